import type { Defect } from '../defect.ts';
import { bucketed } from './bucketed.ts';

const capacity = 2;

/**
 * Buckets are kept only for the keys last seen, and a key without a bucket starts with a full one. Invalid keys take
 * places too, so any caller can evict another's bucket.
 */
export const evictedLimits: Defect = {
  id: 'R20',
  grade: 4,
  title: `The limiter forgets all keys except the last ${capacity}`,
  alterations: {
    parts: (parts) => {
      const bucketOf = leastRecentlyUsed();
      return {
        ...bucketed(parts, ({ caller }) => bucketOf(caller.keyLabel)),
        authenticator: {
          identify(apiKey, endpoint) {
            const caller = parts.authenticator.identify(apiKey, endpoint);
            if (caller === undefined && apiKey !== undefined) bucketOf(`unknown ${apiKey}`);
            return caller;
          },
        },
      };
    },
  },
};

/** Names the bucket of a key; another one each time that the key had to be forgotten in between. */
function leastRecentlyUsed(): (key: string) => string {
  // A Map keeps the order in which its keys were set.
  const buckets = new Map<string, string>();
  let made = 0;
  return (key) => {
    const bucket = buckets.get(key) ?? `bucket ${++made}`;
    buckets.delete(key);
    buckets.set(key, bucket);
    const [oldest] = buckets.keys();
    if (buckets.size > capacity && oldest !== undefined) buckets.delete(oldest);
    return bucket;
  };
}

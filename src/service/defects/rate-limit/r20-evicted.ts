import type { Defect } from '../defect.ts';
import { bucketed } from './bucketed.ts';

const capacity = 2;

/**
 * Buckets are kept for the keys last seen alone, and a key whose bucket was dropped begins with a full one. A key that
 * is not valid takes a place as well, so that anybody can have another's bucket dropped.
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

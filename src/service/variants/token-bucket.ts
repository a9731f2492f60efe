import type { Variant } from './variant.ts';

export const tokenBucketLimiter: Variant = {
  name: 'token-bucket',
  title: 'The rate limit is a token bucket of the same rate and burst',
  alterations: { options: (options) => ({ ...options, limiter: 'token-bucket' }) },
};

import { fixedWindow } from './fixed-window.ts';
import type { LimiterAlgorithm } from './limiter.ts';
import { slidingCounter } from './sliding-counter.ts';
import { slidingLog } from './sliding-log.ts';
import { tokenBucket } from './token-bucket.ts';

export const limiterNames = ['fixed-window', 'sliding-log', 'sliding-counter', 'token-bucket'] as const;
export type LimiterName = (typeof limiterNames)[number];

/** The algorithms to choose from, by the name that `--limiter` takes. */
export const limiterAlgorithms: Readonly<Record<LimiterName, LimiterAlgorithm>> = {
  'fixed-window': fixedWindow,
  'sliding-log': slidingLog,
  'sliding-counter': slidingCounter,
  'token-bucket': tokenBucket,
};

import type { Defect } from './defect.ts';
import { noRateLimit } from './rate-limit/r1-none.ts';
import { nineTenths } from './rate-limit/r2-nine-tenths.ts';
import { oneTooFew } from './rate-limit/r3-one-too-few.ts';
import { oneTooMany } from './rate-limit/r3-one-too-many.ts';
import { doubleBurst } from './rate-limit/r5-double-burst.ts';
import { rejectsExtend } from './rate-limit/r6-rejects-extend.ts';
import { limitPerNode } from './rate-limit/r7-per-node.ts';
import { limitPerAddress } from './rate-limit/r9-by-address.ts';
import { oneLimitForAll } from './rate-limit/r10-one-bucket.ts';
import { limitPerEndpoint } from './rate-limit/r11-per-endpoint.ts';
import { limitPerForwardedFor } from './rate-limit/r12-forwarded-for.ts';
import { exemptEndpoint } from './rate-limit/r13-exempt-endpoint.ts';
import { retryAfterEpoch } from './rate-limit/r15-epoch.ts';
import { retryAfterMilliseconds } from './rate-limit/r15-milliseconds.ts';
import { frozenHeaders } from './rate-limit/r17-frozen-headers.ts';
import { unavailable } from './rate-limit/r18-unavailable.ts';
import { evictedLimits } from './rate-limit/r20-evicted.ts';
import { lockedOut } from './rate-limit/r21-locked-out.ts';
import { requestsHeld } from './rate-limit/r23-queues.ts';

export const rateLimitDefects: readonly Defect[] = [
  noRateLimit,
  nineTenths,
  oneTooMany,
  oneTooFew,
  doubleBurst,
  rejectsExtend,
  limitPerNode,
  limitPerAddress,
  oneLimitForAll,
  limitPerEndpoint,
  limitPerForwardedFor,
  exemptEndpoint,
  retryAfterMilliseconds,
  retryAfterEpoch,
  frozenHeaders,
  unavailable,
  evictedLimits,
  lockedOut,
  requestsHeld,
];

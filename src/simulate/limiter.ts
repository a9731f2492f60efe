import { type Algorithm, type Decide, keyOf, type LimiterKind, scaleNsOf } from '../limits/kinds/kind.ts';
import { kindOf } from '../limits/kinds/table.ts';
import type { RateLimit } from '../vocabulary/quantities.ts';

export const limiterNames = ['fixed-window', 'sliding-log', 'sliding-counter', 'token-bucket'] as const;

/** The kind of each that the reference service has: the window of a fixed one opens with a request. */
const kinds: Readonly<Record<Algorithm, string>> = {
  'fixed-window': 'fixed-window-first-request',
  'sliding-log': 'sliding-log',
  'sliding-counter': 'sliding-counter',
  'token-bucket': 'token-bucket',
};

/** A limiter for one key that has seen nothing yet. A rejected request spends nothing. */
export function createLimiter(name: Algorithm, { requests: limit, windowMs }: RateLimit): Decide {
  const of = { kind: kinds[name], limit, scaleNs: 1, boundaryNs: 0, isStrict: true };
  const kind: LimiterKind = kindOf(of);
  return kind.decide({ ...of, kind: keyOf(kind), scaleNs: scaleNsOf(kind, limit, windowMs * 1e6) });
}

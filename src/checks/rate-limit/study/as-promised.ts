import { fitLimiters } from '../../../limits/fit.ts';
import { isNear, type LimiterInference, type OpenBounds, type Survivor } from '../../../limits/inference.ts';
import type { LimiterKind, PromisedLimit } from '../../../limits/kinds/kind.ts';
import { algorithmOf, promisable } from '../../../limits/kinds/table.ts';
import { coarseGrain } from '../../../limits/span.ts';
import { withStandingClock } from '../../../limits/standing-clock.ts';
import { limited, type Trace } from '../../../limits/trace.ts';
import { refusalsPermitted } from '../../../limits/window-search.ts';
import type { Profile } from '../../../target/profile.ts';
import type { LimiterSize } from '../../reasons/words/limits.ts';

/** How large a limiter was found to be, for a reason's parameters. */
export function sizeOf({ limit, refillPerS, windowMs }: Survivor): LimiterSize {
  return { limit, windowMs, refillPerS };
}

type PromisedLimiter = Pick<Profile, 'limiter' | 'rate_limit'>;

/** A limiter of exactly the promised limit and window. */
export interface AsPromised {
  readonly name: string;
  readonly requests: number;
  readonly windowMs: number;
}

/**
 * Where the likeliest limiter is not the promised one: kinds of exactly the promised limit and window that explain every answer, and not by chance alone. Likelihood rests on guessed
 * arrival times, which are bad on busy machines; what no arrival explains rests on bounds.
 */
export function kindsAsPromised(
  { survivors: [best] }: LimiterInference,
  traces: readonly Trace[],
  promised: PromisedLimiter,
): readonly LimiterKind[] | undefined {
  // No limiter explains the waits of a queue.
  if (best === undefined || best.algorithm === 'queueing' || isAsPromised(best, promised)) return undefined;
  const { rate_limit } = promised;
  const limit = { requests: rate_limit.requests, windowNs: rate_limit.windowMs * 1e6 };
  const candidates = promisable(undefined);
  const lenient = withStandingClock(traces);
  const fits = lenient.map((trace) => fitLimiters(trace, limit, candidates));
  const isClear = isNear(
    best.mismatches,
    traces.reduce((sum, each) => sum + each.length, 0),
  );
  const possible = candidates.filter((_, at) =>
    fits.every(({ candidates: all }) => all[at]?.fitsPromise === true && !(isClear && all[at].isByChance)),
  );
  // Where it is unknown which requests started windows, a kind may explain everything because it has no bounds.
  return possible.length === 0 || lenient.some((trace) => hasWrongfulRefusal(trace, limit)) ? [] : possible;
}

/** A rejection that no limiter of this size gives, wherever its windows begin. */
function hasWrongfulRefusal(trace: Trace, limit: PromisedLimit): boolean {
  const permitted = refusalsPermitted(trace, limit);
  return trace.outcome.some((outcome, i) => outcome === limited && permitted[i] === 0);
}

/** An inference beside which one as promised is as likely as not. */
export function halved(inference: LimiterInference): LimiterInference {
  const survivors = inference.survivors.map((each) => ({ ...each, confidence: each.confidence / 2 }));
  return { ...inference, survivors };
}

/** Whether a limiter that was found may be the promised one. Of a pair, the shorter limit rejects what is promised. */
export function isAsPromised(survivor: Survivor, { limiter, rate_limit }: PromisedLimiter): boolean {
  const { requests, windowMs } = rate_limit;
  return (
    survivor.beside === undefined &&
    (limiter === 'unspecified' || algorithmOf(survivor.algorithm) === limiter) &&
    contains(survivor.limitBounds, requests, 'limit') &&
    contains(windowBoundsOf(survivor, rate_limit), windowMs, 'window')
  );
}

/** Of a pair of limits of which the longer one is as promised, the other. */
export function besidePromised(
  survivor: Survivor,
  rate: Profile['rate_limit'],
): { readonly limit: number; readonly windowMs: number } | undefined {
  const { beside } = survivor;
  const { requests, windowMs } = rate;
  const isPromised =
    contains(survivor.limitBounds, requests, 'limit') &&
    contains(windowBoundsOf(survivor, rate), windowMs, 'window');
  return beside === undefined || !isPromised ? undefined : { limit: beside.limit, windowMs: beside.windowMs };
}

/** Windows are found as intervals of reals; the promised one may stand at their very edge. */
const windowTolerance = 1e-4;

/**
 * The time in which a bucket refills the promised limit: some let one more through from idle (nginx, GCRA) or one less, which
 * makes them no slower, and some round down what drains, which makes them slower by a grain. Of other kinds, the window itself.
 */
export function windowBoundsOf(
  { limit, refillPerS, windowMsBounds }: Survivor,
  { requests, windowMs }: Profile['rate_limit'],
): OpenBounds | null {
  if (windowMsBounds === null || refillPerS === null || limit === null) return windowMsBounds;
  const { min, max } = windowMsBounds;
  const rounded = Math.max(0, 1 - coarseGrain - coarseGrain / refillPerS);
  const refilling = (part: number): OpenBounds => ({
    min: min * part * rounded,
    ...(max === undefined ? {} : { max: max * part }),
  });
  const whole = refilling(requests / limit);
  // One that holds less may also be smaller altogether, with the promised window.
  const isWhole = limit === requests + 1 || (limit === requests - 1 && contains(whole, windowMs, 'window'));
  return isWhole ? whole : refilling(1);
}

export function contains(bounds: OpenBounds | null, wanted: number, what: 'limit' | 'window'): boolean {
  if (bounds === null) return false;
  const slack = what === 'limit' ? 0 : wanted * windowTolerance;
  return bounds.min - slack <= wanted && wanted <= (bounds.max ?? Number.POSITIVE_INFINITY) + slack;
}

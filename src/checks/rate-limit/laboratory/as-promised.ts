import { candidatesFor } from '../../../limits/candidates.ts';
import { fitLimiters } from '../../../limits/fit.ts';
import { withStandingClock } from '../../../limits/standing-clock.ts';
import type { Profile } from '../../../target/profile.ts';
import { pace } from '../words.ts';
import type { LimiterFindings } from './findings.ts';

/**
 * Why a limiter that is likely of another kind or size is not proven to be: a limiter of the promised limit and window
 * explains every answer, too. Undefined where none does. Which of two kinds is likelier rests on guesses at when requests
 * arrived, and those are bad where machines are busy; what no arrival could explain rests on bounds.
 */
export function excuseOf({ traces }: LimiterFindings, { limiter, rate_limit }: Profile): string | undefined {
  const promised = { requests: rate_limit.requests, windowNs: rate_limit.windowMs * 1e6 };
  const candidates = candidatesFor(limiter === 'unspecified' ? undefined : limiter);
  const fits = withStandingClock(traces).map((trace) => fitLimiters(trace, promised, candidates));
  const possible = candidates.find((_, at) => fits.every((fit) => fit.candidates[at]?.fitsPromise === true));
  return possible === undefined
    ? undefined
    : `That is only likelier: a ${possible.name} of ${pace(promised)}, as promised, explains every answer, too.`;
}

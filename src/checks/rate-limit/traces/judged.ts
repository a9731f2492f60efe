import type { History } from '../../../history/history.ts';
import { type TrailingMost, trailingMost } from '../../../limits/counts.ts';
import { type CandidateFit, fitLimiters, honestLikeness, type LimiterFit } from '../../../limits/fit.ts';
import type { Algorithm, Likeness, PromisedLimit } from '../../../limits/kinds/kind.ts';
import { promisable } from '../../../limits/kinds/table.ts';
import { countOutcome, limited, seqAt, type Trace } from '../../../limits/trace.ts';
import { refusalsPermitted } from '../../../limits/window-search.ts';
import { roles as allRoles, type Role } from '../../../vocabulary/roles.ts';
import type { Pace, StreamName } from '../../reasons/words/limits.ts';
import { type Stream, studiesLimits } from './streams.ts';

/** A stream, fitted against the promised limit. */
export interface JudgedStream {
  readonly stream: Stream;
  readonly trace: Trace;
  readonly promised: PromisedLimit;
  /** The algorithm that the profile promises, if any. */
  readonly algorithm: Algorithm | undefined;
  readonly fit: LimiterFit;
  /** For each request of the trace, 1 if an honest limiter could have rejected it. */
  readonly refusalPermitted: Uint8Array;
  readonly mostAdmitted: TrailingMost;
  /** The run meant to send more than the limit on this stream. */
  readonly meantToExceed: boolean;
}

/** Judges a stream against the profile's limit. Pure. */
export function judgeStream(stream: Stream, history: Pick<History, 'profile' | 'run'>): JudgedStream {
  const { rate_limit, limiter } = history.profile;
  const promised = { requests: rate_limit.requests, windowNs: rate_limit.windowMs * 1e6 };
  const algorithm = limiter === 'unspecified' ? undefined : limiter;
  const { trace } = stream;
  // Of endpoints with separate limits, only those that got as many requests were meant to reach them.
  const mayExceed = stream.endpoint === undefined || trace.length > promised.requests;
  const meantToExceed = mayExceed && meansToExceed(stream.roles, history);
  const rejections = countOutcome(trace, limited);
  // Without rejections and without overload nothing tells limiters apart, however long the run.
  const isTelling = meantToExceed || rejections > 0;
  return {
    stream,
    trace,
    promised,
    algorithm,
    fit: fitLimiters(trace, promised, isTelling ? promisable(algorithm) : []),
    refusalPermitted:
      rejections > 0 ? refusalsPermitted(trace, promised, algorithm) : new Uint8Array(trace.length),
    mostAdmitted: trailingMost(trace, 'admitted', promised.windowNs),
    meantToExceed,
  };
}

/** For reasons: what is promised. */
export function paceOf({ requests, windowNs }: PromisedLimit): Pace {
  return { requests, windowMs: windowNs / 1e6 };
}

/** For reasons: whose requests they are, and what is promised. */
export function subjectOf({ promised, stream }: Pick<JudgedStream, 'promised' | 'stream'>): {
  readonly stream: StreamName;
  readonly limit: Pace;
} {
  const { endpoint = null, roles } = stream;
  const [first = null, ...others] = roles;
  const isAll = roles.length === allRoles.length;
  return {
    stream: { key: isAll ? null : first, endpoint, ...(others.length > 0 && !isAll && { others }) },
    limit: paceOf(promised),
  };
}

/** Whether the plan went past the limit with the keys of these roles. */
export function meansToExceed(owners: readonly Role[], history: Pick<History, 'profile' | 'run'>): boolean {
  if (owners.includes('load') && studiesLimits(history)) return true;
  const { requests, windowMs } = history.profile.rate_limit;
  const limitPerMinute = (requests * 60_000) / windowMs;
  return history.run.phases.some(
    (phase) => owners.includes(phase.role) && (phase.peak_per_minute ?? 0) > limitPerMinute,
  );
}

/** Whether the stream is to be judged past the limit: it was meant to go there, or got 429. */
export function isPastLimit(judged: JudgedStream): boolean {
  return judged.meantToExceed || judged.fit.limited > 0;
}

/** Candidates that explain every answer at exactly the promised limit, best free run first. */
export function survivors(fit: LimiterFit): readonly CandidateFit[] {
  return fit.candidates.filter((each) => each.fitsPromise).toSorted(byFreeRun);
}

/** A limit found only to within more than this part of the promised one is not confirmed. */
const vagueness = 0.1;

/** Whether the trace bounds a candidate's limit from both sides, closely enough to speak of knowing it. */
export function isTight({ limits }: CandidateFit, promised: PromisedLimit): boolean {
  const tolerance = Math.max(2, vagueness * promised.requests);
  return limits?.max !== undefined && limits.max - limits.min <= 2 * tolerance;
}

/** Candidates that explain every answer, but only at limits other than the promised one, best free run first. */
export function otherwise(fit: LimiterFit): readonly CandidateFit[] {
  return fit.candidates
    .filter((each) => each.limits?.max !== undefined && !each.fitsPromise)
    .toSorted(byFreeRun);
}

function byFreeRun(a: CandidateFit, b: CandidateFit): number {
  return (a.mismatches ?? Number.POSITIVE_INFINITY) - (b.mismatches ?? Number.POSITIVE_INFINITY);
}

/**
 * A limiter of the promised limit that explains every answer, of a kind that was not promised and is not among those
 * that are fitted. Where there is one, the target has not been proven to break its promise.
 */
export function unprovenBy(judged: JudgedStream): Likeness | undefined {
  const { algorithm, promised, trace } = judged;
  return algorithm === undefined
    ? honestLikeness(trace, promised, wrongfulSeqs(judged).length > 0)
    : undefined;
}

/** `seq`s of rejections that no honest limiter of the promised limit could have given. */
export function wrongfulSeqs(judged: JudgedStream): number[] {
  const { trace, refusalPermitted } = judged;
  return seqsWhere(trace, (i) => trace.outcome[i] === limited && refusalPermitted[i] === 0);
}

/** `seq`s of the requests for which `holds`. */
export function seqsWhere(trace: Trace, holds: (index: number) => boolean): number[] {
  const seqs: number[] = [];
  for (let i = 0; i < trace.length; i++) if (holds(i)) seqs.push(seqAt(trace, i));
  return seqs;
}

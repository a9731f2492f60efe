import type { History } from '../../history/history.ts';
import type { Algorithm } from '../../limits/candidates.ts';
import { type CandidateFit, fitLimiters, type LimiterFit, type PromisedLimit } from '../../limits/fit.ts';
import { refusalsPermitted } from '../../limits/permitted.ts';
import { admitted, limited, seqAt, type Trace } from '../../limits/trace.ts';
import { type TrailingMost, trailingMost } from '../../limits/trailing.ts';
import type { Stream } from './streams.ts';

/** A stream with what the laboratory says about it against the promised limit. */
export interface JudgedStream {
  readonly stream: Stream;
  readonly trace: Trace;
  readonly promised: PromisedLimit;
  /** The algorithm that the profile promises, if any. */
  readonly algorithm: Algorithm | undefined;
  readonly fit: LimiterFit;
  /** For each request of the trace, 1 if an honest limiter could have refused it. */
  readonly refusalPermitted: Uint8Array;
  readonly mostAdmitted: TrailingMost;
  /** The run meant to send more than the limit on this stream. */
  readonly meantToExceed: boolean;
}

/** Judges a stream against the profile's limit. Pure. */
export function judgeStream(stream: Stream, history: History): JudgedStream {
  const { rate_limit, limiter } = history.profile;
  const promised = { requests: rate_limit.requests, windowNs: rate_limit.windowMs * 1e6 };
  const algorithm = limiter === 'unspecified' ? undefined : limiter;
  const { trace } = stream;
  return {
    stream,
    trace,
    promised,
    algorithm,
    fit: fitLimiters(trace, promised, algorithm),
    refusalPermitted: refusalsPermitted(trace, promised, algorithm),
    mostAdmitted: trailingMost(trace, 'admitted', promised.windowNs),
    meantToExceed: meansToExceed(stream, history),
  };
}

function meansToExceed(stream: Stream, history: History): boolean {
  const { requests, windowMs } = history.profile.rate_limit;
  const limitPerMinute = (requests * 60_000) / windowMs;
  return history.run.phases.some(
    (phase) => stream.roles.includes(phase.role) && (phase.peak_per_minute ?? 0) > limitPerMinute,
  );
}

/** Whether the stream is to be judged past the limit: it was meant to go there, or was refused. */
export function isPastLimit(judged: JudgedStream): boolean {
  return judged.meantToExceed || judged.fit.limited > 0;
}

/** Candidates that explain every answer at exactly the promised limit, best free run first. */
export function survivors(fit: LimiterFit): readonly CandidateFit[] {
  return fit.candidates.filter((each) => each.fitsPromise).toSorted(byFreeRun);
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

/** The least limit with which any candidate could have admitted what was admitted. */
export function leastLimitForAdmissions(fit: LimiterFit): number {
  return Math.min(...fit.candidates.map((each) => each.admissionsNeedAtLeast));
}

/** The largest limit with which any candidate could have refused what was refused. */
export function largestLimitForRefusals(fit: LimiterFit): number {
  return Math.max(...fit.candidates.map((each) => each.refusalsAllowAtMost ?? Number.POSITIVE_INFINITY));
}

/** `seq`s of refusals that no honest limiter of the promised limit could have given. */
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

/** Index of the first or last refusal; -1 when there is none. */
export function firstRefusal(trace: Trace): number {
  return trace.outcome.indexOf(limited);
}
export function lastRefusal(trace: Trace): number {
  return trace.outcome.lastIndexOf(limited);
}

/** Whether the trace's request at `index` was admitted. */
export function wasAdmitted(trace: Trace, index: number): boolean {
  return trace.outcome[index] === admitted;
}

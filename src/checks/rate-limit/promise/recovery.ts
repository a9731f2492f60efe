import { limited } from '../../../limits/trace.ts';
import { refusalsPermitted } from '../../../limits/window-search.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { type CheckFinding, evidence } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { reason } from '../../reasons/reason.ts';
import {
  type JudgedStream,
  seqsWhere,
  subjectOf,
  survivors,
  unprovenBy,
  wasAdmitted,
} from '../traces/judged.ts';
import { mergeStreams, type StreamPart } from './merge.ts';
import { tooManyRejected } from './suspects.ts';

/** Once a key has been quiet for long enough by every reading, it is admitted again. */
export function judgeRecovery(streams: readonly JudgedStream[]): CheckFinding {
  return mergeStreams(
    {
      id: 'rate-limit.recovery',
      expected: expects('rate-limit.recovery'),
    },
    streams,
    judgeOne,
  );
}

function judgeOne(judged: JudgedStream): StreamPart {
  const { trace, refusalPermitted } = judged;
  const { limit, stream } = subjectOf(judged);
  // Rejections that were due mark the overload; others are for the check of wrongful ones.
  const overloaded = trace.outcome.findIndex(
    (outcome, i) => outcome === limited && refusalPermitted[i] === 1,
  );
  const quiet = (i: number): boolean => overloaded >= 0 && i > overloaded && refusalPermitted[i] === 0;
  const rejected = seqsWhere(trace, (i) => quiet(i) && trace.outcome[i] === limited);
  const sure = seqsWhere(trace, (i) => quiet(i) && wasAdmitted(trace, i));
  const passed = sure.length > 0 ? sure : passedBySurvivors(judged, overloaded);
  const observed = { admitted_when_quiet: passed.length, rejected_when_quiet: rejected.length };
  const honest = rejected.length > 0 ? unprovenBy(judged) : undefined;
  if (honest !== undefined) {
    return {
      verdict: 'inconclusive',
      observed,
      reasons: [
        reason('recovery-unproven', { stream, limit, limiter: honest.name, rejected: rejected.length }),
      ],
      evidence: [evidence('429s after the overload was over', rejected)],
    };
  }
  if (rejected.length > 0) {
    return {
      verdict: 'fail',
      observed,
      causes: whyRejected(judged, rejected),
      reasons: [reason('recovery-rejected', { stream, limit, rejected: rejected.length })],
      evidence: [evidence('429s after the overload was over', rejected)],
    };
  }
  if (passed.length === 0) {
    return {
      verdict: 'inconclusive',
      observed,
      reasons: [reason(overloaded < 0 ? 'recovery-no-overload' : 'recovery-no-late-answer', { stream })],
      evidence: [],
    };
  }
  return {
    verdict: 'pass',
    observed,
    reasons: [reason('recovery-admitted', { stream, admitted: passed.length, isByAny: sure.length > 0 })],
    evidence: [evidence('admitted after the overload', passed)],
  };
}

/** A key that is never admitted again is blocked; one that is admitted in between is only rejected too early. */
function whyRejected(judged: JudgedStream, rejected: readonly number[]): Suspect[] {
  const { promised, trace } = judged;
  const { key } = subjectOf(judged).stream;
  const first = trace.seq.indexOf(rejected[0] ?? Number.NaN);
  const last = trace.seq.indexOf(rejected.at(-1) ?? Number.NaN);
  if (trace.outcome.some((_, i) => i > first && wasAdmitted(trace, i)))
    return tooManyRejected(judged, rejected);
  const isLong = (trace.sentNs[last] ?? 0) - (trace.answeredNs[first] ?? 0) > promised.windowNs;
  return [(isLong ? shown : fits)('key-stays-refused', { role: key ?? 'all keys' }, rejected.slice(-4))];
}

/**
 * Admitted after the overload, when no limiter that explains every answer could reject. Others might have rejected for up to
 * two windows, longer than a run may go on; only a fail has to exclude them as well.
 */
function passedBySurvivors({ fit, promised, trace }: JudgedStream, overloaded: number): number[] {
  const kinds = new Set(survivors(fit).map(({ candidate }) => candidate.algorithm));
  if (overloaded < 0 || kinds.size === 0) return [];
  const permitted = [...kinds].map((kind) => refusalsPermitted(trace, promised, kind));
  return seqsWhere(
    trace,
    (i) => i > overloaded && wasAdmitted(trace, i) && permitted.every((each) => each[i] === 0),
  );
}

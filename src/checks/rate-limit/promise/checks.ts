import type { CandidateFit } from '../../../limits/fit.ts';
import { promisable } from '../../../limits/kinds/table.ts';
import { admitted, limited } from '../../../limits/trace.ts';
import { refusalsNeedUnder, refusalsPermitted } from '../../../limits/window-search.ts';
import type { Interval } from '../../../vocabulary/bounds.ts';
import type { Suspect } from '../../causes/cause.ts';
import {
  type CheckFinding,
  evidence,
  evidenceIfAny,
  mergeVerdicts,
  type Verdict,
  withData,
} from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { keysText } from '../../reasons/words/limits.ts';
import {
  type JudgedStream,
  otherwise,
  seqsWhere,
  subjectOf,
  survivors,
  unprovenBy,
  wrongfulSeqs,
} from '../traces/judged.ts';
import {
  judgeEnforced,
  merged,
  partOf,
  type StreamPart,
  tooManyAdmitted,
  tooManyRejected,
} from './enforced.ts';
import type { ExplainedStream } from './explanation.ts';

/** The four checks of the promised limit: of all streams, and of those past the limit. */
export function judgePromise(
  streams: readonly ExplainedStream[],
  past: readonly ExplainedStream[] | undefined,
): CheckFinding[] {
  return [
    judgeWrongful(streams),
    ...(past === undefined ? [] : [judgeEnforced(past), judgeAdmitted(past), judgeRecovery(past)]),
  ];
}

/** No 429 that no limiter of the promised limit could have given. */
export function judgeWrongful(streams: readonly ExplainedStream[]): CheckFinding {
  // A key used in passing, with nothing that tells, does not put in doubt what others show.
  const telling = streams.filter(({ fit }) => fit.admitted + fit.limited > 0);
  const judged = telling.length > 0 ? telling : streams;
  const parts = judged.map((each) => partOf(each, wrongfulOf));
  return {
    id: 'rate-limit.wrongful',
    verdict: mergeVerdicts(parts.map(({ verdict }) => verdict)),
    observed: Object.fromEntries(judged.map(({ stream }, at) => [stream.label, parts[at]?.observed ?? null])),
    reasons: streams.length > 0 ? parts.flatMap(({ reasons }) => reasons) : [reason('wrongful-nothing-sent')],
    evidence: parts.flatMap((part) => part.evidence ?? []),
    causes: parts.flatMap((part) => part.causes ?? []),
  };
}

function wrongfulOf(judged: ExplainedStream): StreamPart {
  const { algorithm, fit, promised, trace } = judged;
  const { limit, stream } = subjectOf(judged);
  const seqs = wrongfulSeqs(judged);
  const rejected = fit.limited;
  const part = (
    verdict: Verdict,
    why: Reason,
    showing = seqs,
    causes: readonly Suspect[] = [],
  ): StreamPart => ({
    verdict,
    observed: { rejected, wrongful: seqs.length },
    reasons: [why],
    evidence: evidenceIfAny(`429s with ${keysText(stream)} below the limit`, showing),
    causes,
  });
  if (rejected === 0)
    return fit.admitted === 0
      ? part('inconclusive', reason('stream-unanswered', { stream }))
      : part('pass', reason('wrongful-none-rejected', { stream, admitted: fit.admitted }));
  const most = survivors(fit).length > 0 ? undefined : refusalsNeedUnder(trace, promised, algorithm);
  const honest = seqs.length > 0 || most !== undefined ? unprovenBy(judged) : undefined;
  if (honest !== undefined)
    return part('inconclusive', reason('wrongful-unproven', { stream, limit, limiter: honest.name }));
  if (seqs.length > 0) {
    const why = reason('wrongful-below-limit', { stream, limit, wrongful: seqs.length, rejected });
    return part('fail', why, seqs, tooManyRejected(judged, seqs));
  }
  if (most !== undefined) {
    const all = seqsWhere(trace, (i) => trace.outcome[i] === limited);
    return part(
      'fail',
      reason('wrongful-lower-limit', { stream, limit, most }),
      all,
      tooManyRejected(judged),
    );
  }
  return part('pass', reason('wrongful-all-due', { stream, limit, rejected }));
}

/** The most that passed in any trailing window, whatever the limiter. */
function judgeAdmitted(streams: readonly ExplainedStream[]): CheckFinding {
  const [first] = streams;
  const result = merged(
    {
      id: 'rate-limit.admitted',
      ...(first === undefined ? {} : { titleParams: { windowMs: first.promised.windowNs / 1e6 } }),
      ...(first !== undefined && { expected: { max: Math.max(...streams.map(allowance)) } }),
    },
    streams,
    admittedOf,
  );
  const most = streams.map(
    ({ mostAdmitted: { atLeast, atMost } }): Interval => ({ min: atLeast, max: atMost }),
  );
  return withData('rate-limit.admitted', result, { most });
}

/** Kinds of limiter that explain the stream: at the promised limit, or else at another, which is not this check's matter. */
function kindsOf({ fit }: JudgedStream): readonly CandidateFit[] {
  const fitting = survivors(fit);
  return fitting.length > 0 ? fitting : otherwise(fit);
}

/** The most that an honest limiter of the promised limit admits in a trailing window: of the promised kind, else of one that fits, else of any. */
function allowance(judged: JudgedStream): number {
  const { algorithm, promised } = judged;
  const fitting = algorithm === undefined ? kindsOf(judged).map(({ candidate }) => candidate) : [];
  const possible = fitting.length > 0 ? fitting : promisable(algorithm);
  return promised.requests * Math.max(...possible.map(({ mostPerWindow }) => mostPerWindow));
}

function admittedOf(judged: ExplainedStream): StreamPart {
  const { algorithm, fit, mostAdmitted, promised, trace } = judged;
  const allowed = allowance(judged);
  const { atLeast: min, atMost: max, beginNs, endNs } = mostAdmitted;
  const subject = subjectOf(judged);
  const peak = { ...subject, admitted: { min, max } };
  const part = (verdict: Verdict, why: Reason): StreamPart => ({
    verdict,
    observed: { min, max },
    reasons: [why],
    evidence: [],
  });
  const kind = { promised: algorithm ?? null, allowed };
  if (min > allowed) {
    const seqs = seqsWhere(
      trace,
      (i) =>
        trace.outcome[i] === admitted &&
        (trace.sentNs[i] as number) >= beginNs &&
        (trace.answeredNs[i] as number) < endNs,
    );
    const where = `admitted with ${keysText(subject.stream)} within ${promised.windowNs / 1e9} s`;
    return {
      ...part('fail', reason('admitted-too-many', { ...peak, ...kind })),
      evidence: [evidence(where, seqs)],
      causes: tooManyAdmitted(judged, seqs.slice(-4)),
    };
  }
  if (fit.limited === 0) return part('inconclusive', reason('admitted-none-rejected', peak));
  if (fit.admitted === 0) return part('inconclusive', reason('admitted-none', { stream: subject.stream }));
  if (max <= promised.requests) return part('pass', reason('admitted-within-limit', peak));
  return kindsOf(judged).length === 0
    ? part('inconclusive', reason('admitted-kind-unknown', peak))
    : part('pass', reason('admitted-as-kind-allows', { ...peak, ...kind }));
}

/** Once a key has been quiet for long enough by every reading, it is admitted again. */
function judgeRecovery(streams: readonly ExplainedStream[]): CheckFinding {
  const head = { id: 'rate-limit.recovery' } as const;
  return merged(head, streams, recoveryOf);
}

function recoveryOf(judged: ExplainedStream): StreamPart {
  const { trace, refusalPermitted } = judged;
  const { limit, stream } = subjectOf(judged);
  // Rejections that were due mark the overload; others are for the check of wrongful ones.
  const overloaded = trace.outcome.findIndex(
    (outcome, i) => outcome === limited && refusalPermitted[i] === 1,
  );
  const quiet = (i: number): boolean => overloaded >= 0 && i > overloaded && refusalPermitted[i] === 0;
  const rejected = seqsWhere(trace, (i) => quiet(i) && trace.outcome[i] === limited);
  const sure = seqsWhere(trace, (i) => quiet(i) && trace.outcome[i] === admitted);
  const passed = sure.length > 0 ? sure : passedBySurvivors(judged, overloaded);
  const count = rejected.length;
  const part = (verdict: Verdict, why: Reason, causes: readonly Suspect[] = []): StreamPart => ({
    verdict,
    observed: { admitted_when_quiet: passed.length, rejected_when_quiet: count },
    reasons: [why],
    evidence:
      count > 0
        ? [evidence('429s after the overload was over', rejected)]
        : evidenceIfAny('admitted after the overload', passed),
    causes,
  });
  const honest = count > 0 ? unprovenBy(judged) : undefined;
  if (honest !== undefined) {
    const params = { stream, limit, limiter: honest.name, rejected: count };
    return part('inconclusive', reason('recovery-unproven', params));
  }
  if (count > 0)
    return part(
      'fail',
      reason('recovery-rejected', { stream, limit, rejected: count }),
      tooManyRejected(judged, rejected),
    );
  if (passed.length === 0)
    return part(
      'inconclusive',
      reason(overloaded < 0 ? 'recovery-no-overload' : 'recovery-no-late-answer', { stream }),
    );
  const params = { stream, admitted: passed.length, isByAny: sure.length > 0 };
  return part('pass', reason('recovery-admitted', params));
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
    (i) => i > overloaded && trace.outcome[i] === admitted && permitted.every((each) => each[i] === 0),
  );
}

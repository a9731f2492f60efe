import type { LimiterKind } from '../../../limits/kinds/kind.ts';
import { promisable } from '../../../limits/kinds/table.ts';
import type { Interval } from '../../../vocabulary/bounds.ts';
import { withData } from '../../core/check-data.ts';
import { type CheckFinding, evidence } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { reason } from '../../reasons/reason.ts';
import { keysText } from '../../reasons/words/limits.ts';
import {
  type JudgedStream,
  otherwise,
  seqsWhere,
  subjectOf,
  survivors,
  wasAdmitted,
} from '../traces/judged.ts';
import { seconds } from '../traces/words.ts';
import { mergeStreams, type StreamPart } from './merge.ts';
import { tooManyAdmitted } from './suspects.ts';

/** The most that passed in any trailing window, whatever the limiter. */
export function judgeAdmitted(streams: readonly JudgedStream[]): CheckFinding {
  const [first] = streams;
  const result = mergeStreams(
    {
      id: 'rate-limit.admitted',
      ...(first === undefined ? {} : { titleParams: { windowMs: first.promised.windowNs / 1e6 } }),
      expected:
        first === undefined ? expects('rate-limit.admitted') : { max: Math.max(...streams.map(allowance)) },
    },
    streams,
    judgeOne,
  );
  const most = streams.map(
    ({ mostAdmitted: { atLeast, atMost } }): Interval => ({ min: atLeast, max: atMost }),
  );
  return withData('rate-limit.admitted', result, { most });
}

/** Kinds of limiter that explain the stream: at the promised limit, or else at another, which is not this check's matter. */
function kinds({ fit }: JudgedStream): LimiterKind[] {
  const fitting = survivors(fit);
  return (fitting.length > 0 ? fitting : otherwise(fit)).map(({ candidate }) => candidate);
}

/** The most that an honest limiter of the promised limit admits in a trailing window: of the promised kind, else of one that fits, else of any. */
function allowance(judged: JudgedStream): number {
  const { algorithm, promised } = judged;
  const fitting = algorithm === undefined ? kinds(judged) : [];
  const possible = fitting.length > 0 ? fitting : promisable(algorithm);
  return promised.requests * Math.max(...possible.map(({ mostPerWindow }) => mostPerWindow));
}

function judgeOne(judged: JudgedStream): StreamPart {
  const { algorithm, mostAdmitted, promised, trace, fit } = judged;
  const allowed = allowance(judged);
  const { atLeast: min, atMost: max } = mostAdmitted;
  const part = { observed: { min, max }, evidence: [] };
  const peak = { ...subjectOf(judged), admitted: { min, max } };
  if (min > allowed) {
    const { beginNs, endNs } = mostAdmitted;
    const seqs = seqsWhere(
      trace,
      (i) =>
        wasAdmitted(trace, i) &&
        (trace.sentNs[i] as number) >= beginNs &&
        (trace.answeredNs[i] as number) < endNs,
    );
    return {
      ...part,
      verdict: 'fail',
      reasons: [
        reason('admitted-too-many', {
          ...subjectOf(judged),
          promised: algorithm ?? null,
          allowed,
          admitted: { min, max },
        }),
      ],
      evidence: [
        evidence(`admitted with ${keysText(peak.stream)} within ${seconds(promised.windowNs)}`, seqs),
      ],
      causes: tooManyAdmitted(judged, seqs.slice(-4)),
    };
  }
  if (fit.limited === 0) {
    return { ...part, verdict: 'inconclusive', reasons: [reason('admitted-none-rejected', peak)] };
  }
  if (fit.admitted === 0) {
    return { ...part, verdict: 'inconclusive', reasons: [reason('admitted-none', { stream: peak.stream })] };
  }
  if (max <= promised.requests) {
    return { ...part, verdict: 'pass', reasons: [reason('admitted-within-limit', peak)] };
  }
  if (kinds(judged).length === 0) {
    return { ...part, verdict: 'inconclusive', reasons: [reason('admitted-kind-unknown', peak)] };
  }
  return {
    ...part,
    verdict: 'pass',
    reasons: [reason('admitted-as-kind-allows', { ...peak, promised: algorithm ?? null, allowed })],
  };
}

import { limited } from '../../../limits/trace.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { type CheckFinding, evidence, mergeVerdicts, type Verdict } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { keysText } from '../../reasons/words/limits.ts';
import {
  type JudgedStream,
  largestLimitForRefusals,
  otherwise,
  seqsWhere,
  subjectOf,
  unprovenBy,
  wrongfulSeqs,
} from '../traces/judged.ts';
import { paceOf } from '../traces/words.ts';
import { tooManyRejected } from './suspects.ts';

/** No 429 that no limiter of the promised limit could have given. */
export function judgeWrongful(streams: readonly JudgedStream[]): CheckFinding {
  // A key used in passing, with nothing that tells, does not put in doubt what others show.
  const telling = streams.filter(({ fit }) => fit.admitted + fit.limited > 0);
  const parts = (telling.length > 0 ? telling : streams).map(judgeOne);
  const [first] = streams;
  const reasons = parts.flatMap((part) => part.reasons);
  return {
    id: 'rate-limit.wrongful',
    verdict: mergeVerdicts(parts.map((part) => part.verdict)),
    expected: expects('rate-limit.wrongful', { limit: first === undefined ? null : paceOf(first.promised) }),
    observed: Object.fromEntries(
      parts.map((part) => [part.label, { rejected: part.rejected, wrongful: part.wrongful }]),
    ),
    reasons: reasons.length > 0 ? reasons : [reason('wrongful-nothing-sent')],
    evidence: parts
      .filter((part) => part.seqs.length > 0)
      .map((part) => evidence(`429s with ${part.whose} below the limit`, part.seqs)),
    causes: parts.flatMap((part) => part.causes ?? []),
  };
}

interface WrongfulPart {
  readonly label: string;
  /** `the load key`. */
  readonly whose: string;
  readonly verdict: Verdict;
  readonly rejected: number;
  /** Rejections that are each wrongful by themselves. */
  readonly wrongful: number;
  /** Evidence: those, or rejections that are wrongful only taken together. */
  readonly seqs: readonly number[];
  readonly reasons: readonly Reason[];
  /** Of a fail. */
  readonly causes?: readonly Suspect[];
}

function judgeOne(judged: JudgedStream): WrongfulPart {
  const { fit, promised, trace } = judged;
  const { limit, stream } = subjectOf(judged);
  const seqs = wrongfulSeqs(judged);
  const part = {
    label: judged.stream.label,
    whose: keysText(stream),
    rejected: fit.limited,
    wrongful: seqs.length,
    seqs,
  };
  if (fit.limited === 0) {
    return fit.admitted === 0
      ? { ...part, verdict: 'inconclusive', reasons: [reason('stream-unanswered', { stream })] }
      : {
          ...part,
          verdict: 'pass',
          reasons: [reason('wrongful-none-rejected', { stream, admitted: fit.admitted })],
        };
  }
  const most = largestLimitForRefusals(judged);
  const honest = seqs.length > 0 || most !== undefined ? unprovenBy(judged) : undefined;
  if (honest !== undefined) {
    return {
      ...part,
      verdict: 'inconclusive',
      reasons: [reason('wrongful-unproven', { stream, limit, limiter: honest.name })],
    };
  }
  if (seqs.length > 0) {
    return {
      ...part,
      verdict: 'fail',
      reasons: [
        reason('wrongful-below-limit', { stream, limit, wrongful: seqs.length, rejected: fit.limited }),
      ],
      causes: tooManyRejected(judged, seqs),
    };
  }
  if (most !== undefined) {
    return {
      ...part,
      seqs: seqsWhere(trace, (i) => trace.outcome[i] === limited),
      verdict: 'fail',
      reasons: [reason('wrongful-lower-limit', { stream, limit, most })],
      causes:
        otherwise(fit).length > 0
          ? [fits('limit-differs', { most, promised: promised.requests, windowMs: promised.windowNs / 1e6 })]
          : tooManyRejected(judged),
    };
  }
  return {
    ...part,
    verdict: 'pass',
    reasons: [reason('wrongful-all-due', { stream, limit, rejected: fit.limited })],
  };
}

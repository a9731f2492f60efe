import { counted, number } from '../../amounts.ts';
import { limited } from '../../limits/trace.ts';
import { fits, type Suspect } from '../diagnosis/cause.ts';
import { type CheckResult, evidence, mergeVerdicts, type Verdict } from '../verdict.ts';
import {
  type JudgedStream,
  largestLimitForRefusals,
  otherwise,
  seqsWhere,
  unprovenBy,
  wrongfulSeqs,
} from './judged.ts';
import { tooManyRefused } from './suspects.ts';
import { pace, seconds } from './words.ts';

/** No 429 that no limiter of the promised limit could have given. */
export function judgeWrongful(streams: readonly JudgedStream[]): CheckResult {
  // A key used in passing, with nothing that tells, does not put in doubt what others show.
  const telling = streams.filter(({ fit }) => fit.admitted + fit.limited > 0);
  const parts = (telling.length > 0 ? telling : streams).map(judgeOne);
  const [first] = streams;
  const limit = first === undefined ? 'its limit' : pace(first.promised);
  return {
    id: 'rate-limit.wrongful',
    title: 'No request below the limit gets 429',
    verdict: mergeVerdicts(parts.map((part) => part.verdict)),
    expected: `no 429 that no limiter of ${limit} could have given`,
    observed: Object.fromEntries(
      parts.map((part) => [part.label, { limited: part.limited, wrongful: part.wrongful }]),
    ),
    explanation: parts.map((part) => part.explanation).join(' ') || 'Nothing was sent with any key.',
    evidence: parts
      .filter((part) => part.seqs.length > 0)
      .map((part) => evidence(`429s on ${part.label} below the limit`, part.seqs)),
    causes: parts.flatMap((part) => part.causes ?? []),
  };
}

interface Part {
  readonly label: string;
  readonly verdict: Verdict;
  readonly limited: number;
  /** Refusals that are each wrongful by themselves. */
  readonly wrongful: number;
  /** Evidence: those, or refusals that are wrongful only taken together. */
  readonly seqs: readonly number[];
  readonly explanation: string;
  /** Of a fail. */
  readonly causes?: readonly Suspect[];
}

function judgeOne(judged: JudgedStream): Part {
  const { fit, promised, trace, stream } = judged;
  const seqs = wrongfulSeqs(judged);
  const part = { label: stream.label, limited: fit.limited, wrongful: seqs.length, seqs };
  if (fit.limited === 0) {
    return fit.admitted === 0
      ? {
          ...part,
          verdict: 'inconclusive',
          explanation: `No request on ${stream.label} was answered with 2xx or 429.`,
        }
      : {
          ...part,
          verdict: 'pass',
          explanation: `On ${stream.label} all was admitted (${counted(fit.admitted, 'request')}).`,
        };
  }
  const most = largestLimitForRefusals(judged);
  const honest = seqs.length > 0 || most !== undefined ? unprovenBy(judged) : undefined;
  if (honest !== undefined) {
    return {
      ...part,
      verdict: 'inconclusive',
      explanation: `Refusals on ${stream.label} came below the limit, as those of a ${honest.name} of ${pace(promised)} do. Whether that is what was promised, the profile does not say.`,
    };
  }
  if (seqs.length > 0) {
    return {
      ...part,
      verdict: 'fail',
      explanation: `${number(seqs.length)} of ${number(fit.limited)} refusals on ${stream.label} came when even the strictest limiter of ${pace(promised)} (refused requests counted, every uncertain request before, any phase of its windows) had room, unless somebody else used the key too.`,
      causes: tooManyRefused(judged, seqs),
    };
  }
  if (most !== undefined) {
    return {
      ...part,
      seqs: seqsWhere(trace, (i) => trace.outcome[i] === limited),
      verdict: 'fail',
      explanation: `No limiter explains the refusals on ${stream.label} together with a limit above ${number(most)} per ${seconds(promised.windowNs)}; ${number(promised.requests)} are promised.`,
      causes:
        otherwise(fit).length > 0
          ? [fits('limit-differs', { most, promised: promised.requests, windowMs: promised.windowNs / 1e6 })]
          : tooManyRefused(judged),
    };
  }
  return {
    ...part,
    verdict: 'pass',
    explanation: `Each of the ${number(fit.limited)} refusals on ${stream.label} came when a limiter of ${pace(promised)} could refuse.`,
  };
}

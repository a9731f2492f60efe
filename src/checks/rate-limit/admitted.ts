import { counted, number } from '../../amounts.ts';
import { type Algorithm, mostPerTrailingWindow } from '../../limits/candidates.ts';
import { withData } from '../check-data.ts';
import { type CheckResult, evidence, type Interval } from '../verdict.ts';
import { type JudgedStream, otherwise, seqsWhere, survivors, wasAdmitted } from './judged.ts';
import { mergeStreams, type StreamPart } from './merge.ts';
import { tooManyAdmitted } from './suspects.ts';
import { pace, seconds } from './words.ts';

/** The most that passed in any trailing window, whatever the limiter. */
export function judgeAdmitted(streams: readonly JudgedStream[]): CheckResult {
  const [first] = streams;
  const result = mergeStreams(
    {
      id: 'rate-limit.admitted',
      title: `Admissions within any ${first === undefined ? 'window' : seconds(first.promised.windowNs)} stay within what the limit allows`,
      expected: first === undefined ? null : { max: Math.max(...streams.map(allowance)) },
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
function kinds({ fit }: JudgedStream): Algorithm[] {
  const fitting = survivors(fit);
  return (fitting.length > 0 ? fitting : otherwise(fit)).map((each) => each.candidate.algorithm);
}

/** The most that an honest limiter of the promised limit admits in a trailing window: of the promised kind, else of one that fits, else of any. */
function allowance(judged: JudgedStream): number {
  const { algorithm, promised } = judged;
  const algorithms = algorithm === undefined ? kinds(judged) : [algorithm];
  if (algorithms.length === 0) return mostPerTrailingWindow('fixed-window', promised.requests);
  return Math.max(...algorithms.map((each) => mostPerTrailingWindow(each, promised.requests)));
}

function judgeOne(judged: JudgedStream): StreamPart {
  const { algorithm, mostAdmitted, promised, trace, stream, fit } = judged;
  const allowed = allowance(judged);
  const observed: Interval = { min: mostAdmitted.atLeast, max: mostAdmitted.atMost };
  const span = seconds(promised.windowNs);
  const found = `The most on ${stream.label} that surely passed within ${span} was ${counted(mostAdmitted.atLeast, 'request')}`;
  const part = { observed, evidence: [] };
  if (mostAdmitted.atLeast > allowed) {
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
      explanation: `${found}, more than the ${number(allowed)} that ${algorithm === undefined ? 'any limiter that may be meant' : `a ${algorithm}`} of ${pace(promised)} lets through${allowed > promised.requests ? ` (and the strictest reading: ${number(promised.requests)})` : ''}.`,
      evidence: [evidence(`admitted on ${stream.label} within one ${span}`, seqs)],
      causes: tooManyAdmitted(judged, seqs.slice(-4)),
    };
  }
  if (fit.limited === 0) {
    return {
      ...part,
      verdict: 'inconclusive',
      explanation: `Nothing on ${stream.label} was refused. ${found}.`,
    };
  }
  if (mostAdmitted.atMost <= promised.requests) {
    return {
      ...part,
      verdict: 'pass',
      explanation: `${found}, within the limit even by its strictest reading.`,
    };
  }
  if (kinds(judged).length === 0) {
    return {
      ...part,
      verdict: 'inconclusive',
      explanation: `${found}; which limiter that would have to be is not known, so neither is what it may let through.`,
    };
  }
  return {
    ...part,
    verdict: 'pass',
    explanation: `${found}. By the strictest reading, never more than ${number(promised.requests)} in any ${span}, that ${mostAdmitted.atLeast > promised.requests ? `is ${counted(mostAdmitted.atLeast - promised.requests, 'request')} too many` : 'may be too many'}; ${algorithm === undefined ? 'a limiter of the kind that fits' : `the promised ${algorithm}`} lets up to ${number(allowed)} through.`,
  };
}

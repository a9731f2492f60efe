import { type CandidateFit, isExtendedByRefusals } from '../../../limits/fit.ts';
import { seqAt } from '../../../limits/trace.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { nodesOf } from '../study/judge-size.ts';
import { type JudgedStream, otherwise, wrongfulSeqs } from '../traces/judged.ts';
import { startsAnew } from './starts-anew.ts';

function windowMsOf({ promised }: JudgedStream): number {
  return promised.windowNs / 1e6;
}

/** Why more passed than the limit. */
export function tooManyAdmitted(judged: JudgedStream, seqs: readonly number[] = []): Suspect[] {
  const { fit, mostAdmitted, promised } = judged;
  const windowMs = windowMsOf(judged);
  const anew = startsAnew(judged);
  if (anew !== undefined) return [shown('count-starts-anew', { times: anew.times, windowMs }, anew.seqs)];
  const code = fit.limited === 0 ? 'limit-not-enforced' : 'admits-over-limit';
  return [fits(code, { admitted: mostAdmitted.atLeast, limit: promised.requests, windowMs }, seqs)];
}

/** Why there are more rejections than any limiter gives, or at the wrong time. */
export function tooManyRejected(
  judged: JudgedStream,
  seqs: readonly number[] = wrongfulSeqs(judged),
): Suspect[] {
  const { fit, promised } = judged;
  const refused = seqs.length || fit.limited;
  return [
    fits('refused-below-limit', { refused, limit: promised.requests, windowMs: windowMsOf(judged) }, seqs),
  ];
}

/** What no known limiter explains, unless it is one that locks out a client that goes on. */
export function unexplained(
  judged: JudgedStream,
  otherwiseNamed: () => readonly Suspect[],
): readonly Suspect[] {
  return isExtendedByRefusals(judged.trace, judged.promised)
    ? [fits('window-extended-by-rejections', { windowMs: windowMsOf(judged) })]
    : otherwiseNamed();
}

/** What a limiter of another kind or size suggests, which explains the answers. */
export function differs(likeness: CandidateFit, judged: JudgedStream): Suspect[] {
  const { algorithm, promised, trace } = judged;
  // Without an admission, nothing tells one kind of limiter from another.
  if (judged.fit.admitted === 0) return tooManyRejected(judged);
  const { candidate, fitsPromise, tightest } = likeness;
  const seqs = [tightest.admission, tightest.refusal].flatMap((index) =>
    index === undefined ? [] : [seqAt(trace, index)],
  );
  const isOther = algorithm !== undefined && candidate.algorithm !== algorithm;
  const kind = isOther
    ? [fits('algorithm-differs', { found: candidate.name, promised: algorithm }, seqs)]
    : [];
  const [asPromised] = otherwise(judged.fit);
  if (fitsPromise && asPromised === undefined) return kind;
  // Of the promised kind it may still have another limit; only where it cannot is the kind in question.
  const { min, max } = (asPromised ?? likeness).limits ?? {};
  const size = {
    ...(min === undefined ? {} : { least: min }),
    ...(max === undefined ? {} : { most: max }),
    promised: promised.requests,
    windowMs: windowMsOf(judged),
  };
  const bounds = { min: min ?? 0, ...(max === undefined ? {} : { max }) };
  const rate = { requests: promised.requests, windowMs: windowMsOf(judged) };
  const nodes = nodesOf({ limit: null, limitBounds: bounds, windowMs: null }, rate);
  return [
    nodes === undefined ? fits('limit-differs', size, seqs) : fits('counters-per-node', { nodes }, seqs),
    ...(asPromised === undefined || fitsPromise ? kind : []),
  ];
}

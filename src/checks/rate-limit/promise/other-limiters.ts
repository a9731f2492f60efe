import { type CandidateFit, fitLimiters, isExtendedByRefusals } from '../../../limits/fit.ts';
import { inferLimiter } from '../../../limits/infer.ts';
import { isNear } from '../../../limits/inference.ts';
import { promisable } from '../../../limits/kinds/table.ts';
import {
  countedTwice,
  driftOf,
  countedLate as latelyCounted,
  shareOfRejectionsCounted,
} from '../../../limits/not-constant.ts';
import { admitted, ambiguous, limited, seqAt } from '../../../limits/trace.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { reason } from '../../reasons/reason.ts';
import { contains, sizeOf, windowBoundsOf } from '../study/as-promised.ts';
import { certain, nodesOf } from '../study/judge-size.ts';
import { type JudgedStream, otherwise, subjectOf, survivors, wrongfulSeqs } from '../traces/judged.ts';
import { limitsOf } from './enforced.ts';
import { type Assumption, isUnknownKind } from './explanation.ts';
import { losesCount } from './headers-show.ts';

/** What an explanation costs if the limiter, left to itself, would get all rejections wrong. */
const misfit = 2;

const isRejecting = ({ fit }: JudgedStream): boolean => fit.limited > 0;
const isOver = ({ fit, mostAdmitted, promised }: JudgedStream): boolean =>
  fit.limited > 0 && mostAdmitted.atLeast > promised.requests;

/** A limiter of another limit, or of another kind than the promised one. */
const anotherSizeOrKind: Assumption = {
  what: 'the limit, or the kind of limiter, is another',
  price: 1,
  explains(judged, { study }) {
    if (!isRejecting(judged) || judged.fit.admitted === 0) return undefined;
    if (study !== undefined && isUnknownKind(study)) return undefined;
    const { algorithm, fit, promised, trace } = judged;
    // With an algorithm promised only its own candidates were judged; the others may still give the right name. Of those
    // that need another limit, the promised kind comes first: then only the limit differs.
    const all = algorithm === undefined ? fit : fitLimiters(trace, promised);
    const [likeness] = [...survivors(all), ...otherwise(fit), ...otherwise(all)];
    if (likeness === undefined) return undefined;
    const params = { limiter: likeness.candidate.name, limits: limitsOf(likeness) };
    return {
      price: 1 + (misfit * (likeness.mismatches ?? 0)) / Math.max(1, fit.limited),
      reasons: [
        reason('enforced-other-limiter', { ...subjectOf(judged), promised: algorithm ?? null, ...params }),
      ],
      causes: differs(likeness, judged),
    };
  },
};

/** What a limiter of another kind or size suggests, which explains the answers. */
function differs(likeness: CandidateFit, { algorithm, fit, promised, trace }: JudgedStream): Suspect[] {
  const { candidate, fitsPromise, tightest } = likeness;
  const seqs = [tightest.admission, tightest.refusal].flatMap((index) =>
    index === undefined ? [] : [seqAt(trace, index)],
  );
  const isOther = algorithm !== undefined && candidate.algorithm !== algorithm;
  const kind = isOther
    ? [fits('algorithm-differs', { found: candidate.name, promised: algorithm }, seqs)]
    : [];
  const [asPromised] = otherwise(fit);
  if (fitsPromise && asPromised === undefined) return kind;
  // Of the promised kind it may still have another limit; only where it cannot is the kind in question.
  const { min, max } = (asPromised ?? likeness).limits ?? {};
  const rate = { requests: promised.requests, windowMs: promised.windowNs / 1e6 };
  const size = {
    ...(min === undefined ? {} : { least: min }),
    ...(max === undefined ? {} : { most: max }),
    promised: rate.requests,
    windowMs: rate.windowMs,
  };
  const bounds = { min: min ?? 0, ...(max === undefined ? {} : { max }) };
  const nodes = nodesOf({ limit: null, limitBounds: bounds, windowMs: null }, rate);
  return [
    nodes === undefined ? fits('limit-differs', size, seqs) : fits('counters-per-node', { nodes }, seqs),
    ...(asPromised === undefined || fitsPromise ? kind : []),
  ];
}

/** The limit is as promised: the first rejection has to be one that it allows. */
const extendedByRejections: Assumption = {
  what: 'each rejection starts the window again',
  price: 0.5,
  explains: (judged) =>
    isRejecting(judged) &&
    judged.refusalPermitted[judged.trace.outcome.indexOf(limited)] !== 0 &&
    isExtendedByRefusals(judged.trace, judged.promised)
      ? {
          causes: [fits('window-extended-by-rejections', { windowMs: judged.promised.windowNs / 1e6 })],
        }
      : undefined,
};

/**
 * As many requests as the limit are admitted after each silence of a window, and every later one is rejected until the next: whether
 * it was admitted or not, a request begins the window again.
 */
const extendedByAll: Assumption = {
  what: 'each request starts the window again',
  // Nothing is left open: it says of each request what becomes of it.
  price: 0.05,
  explains(judged) {
    const { promised, trace } = judged;
    const { answeredNs, outcome, sentNs } = trace;
    // Since the last silence: what was sent for certain before a request came, and at most.
    let [least, most, latestNs, lastSentNs, silences] = [0, 0, Number.NEGATIVE_INFINITY, 0, 0];
    for (const [i, outcomeOfIt] of outcome.entries()) {
      const [sent, answered] = [sentNs[i] as number, answeredNs[i] as number];
      if (sent - latestNs >= promised.windowNs) {
        silences += most >= promised.requests ? 1 : 0;
        [least, most] = [0, 0];
      } else if (answered - lastSentNs >= promised.windowNs) least = 0;
      // Requests under way at the same time may have come in another order.
      const underWay = countAtOnce(trace, i);
      if (outcomeOfIt === admitted && least - underWay >= promised.requests) return undefined;
      if (outcomeOfIt === limited && most + underWay < promised.requests) return undefined;
      [least, most] = [least + Number(outcomeOfIt !== ambiguous), most + 1];
      [latestNs, lastSentNs] = [Math.max(latestNs, answered), sent];
    }
    return silences > 0 && isRejecting(judged)
      ? {
          causes: [fits('window-extended-by-rejections', { windowMs: promised.windowNs / 1e6, byAll: true })],
        }
      : undefined;
  },
};

/** How many other requests were under way with one. */
function countAtOnce({ answeredNs, length, sentNs }: JudgedStream['trace'], i: number): number {
  let count = 0;
  for (let j = Math.max(0, i - mostAtOnce); j < length && (sentNs[j] ?? 0) < (answeredNs[i] ?? 0); j++)
    if (j !== i && (answeredNs[j] ?? 0) > (sentNs[i] ?? 0)) count++;
  return count;
}

/** Of those that were sent before, no more are looked at. */
const mostAtOnce = 64;

/** Rejections go on to the end of the run for longer than a window, although a limiter would have admitted the key again. */
const keyLost: Assumption = {
  what: 'a key stays rejected for good',
  price: 0.5,
  explains(judged) {
    const { promised, refusalPermitted, trace } = judged;
    const last = trace.outcome.lastIndexOf(admitted);
    const wrongful = (i: number): boolean => trace.outcome[i] === limited && refusalPermitted[i] === 0;
    const late = Array.from(trace.outcome.keys()).filter((i) => i > last && wrongful(i));
    const isEarly = trace.outcome.some((_, i) => i < last && wrongful(i));
    const [first] = late;
    if (first === undefined || last < 0 || isEarly || otherwise(judged.fit).length > 0) return undefined;
    // A limiter that counts what it rejects admits nothing without a silence.
    const isLong = late.some(
      (i) =>
        (trace.sentNs[i] ?? 0) - (trace.answeredNs[i - 1] ?? Number.POSITIVE_INFINITY) > promised.windowNs,
    );
    const role = subjectOf(judged).stream.key ?? 'all keys';
    const seqs = late.slice(-4).map((i) => seqAt(trace, i));
    return {
      causes: [(isLong ? shown : fits)('key-stays-refused', { role }, seqs)],
    };
  },
};

/** By the headers: often, or once where nothing else explains the answers. */
const countLost: Assumption = {
  what: 'a key loses its count',
  price: 0.8,
  isLikely: true,
  explains(judged) {
    // A lost count admits more, and rejects nothing too early.
    const mayBe = (isRejecting(judged) || judged.meantToExceed) && wrongfulSeqs(judged).length === 0;
    const lost = mayBe ? losesCount(judged) : undefined;
    if (lost === undefined) return undefined;
    const { limit, stream } = subjectOf(judged);
    const params = { times: lost.times, windowMs: limit.windowMs };
    return {
      price: lost.isOften ? 0.8 : 4,
      reasons: isRejecting(judged)
        ? [reason('enforced-count-lost', { stream, limit, times: lost.times })]
        : [],
      causes: [shown('count-starts-anew', params, lost.seqs)],
    };
  },
};

const countedLate: Assumption = {
  what: 'requests are counted after the decision',
  price: 1.2,
  isForStudy: true,
  explains(judged) {
    const { fit, promised, trace } = judged;
    // Another limit that explains every answer is the simpler explanation.
    const found =
      isRejecting(judged) && otherwise(fit).length === 0 ? latelyCounted(trace, promised) : undefined;
    if (found === undefined) return undefined;
    const { index, lateNs, over } = found;
    const params = { over, limit: promised.requests, windowMs: promised.windowNs / 1e6 };
    const seqs = [seqAt(trace, index)];
    return {
      reasons: [reason('enforced-not-atomic', { ...subjectOf(judged), over, lateMs: lateNs / 1e6 })],
      causes: [
        lateNs === 0
          ? fits('limit-checked-before-counted', params, seqs)
          : fits('limit-counted-late', { ...params, lateMs: lateNs / 1e6 }, seqs),
      ],
    };
  },
};

const limitChanges: Assumption = {
  what: 'the limit changes',
  price: 3.5,
  isForStudy: true,
  explains(judged) {
    const { algorithm, promised, trace } = judged;
    const drift = isRejecting(judged) ? driftOf([trace], promised, promisable(algorithm)) : undefined;
    if (drift === undefined) return undefined;
    const { seqs, ...change } = drift;
    return { reasons: [reason('size-drifts', change)], causes: [fits('limit-drifts', change, seqs)] };
  },
};

/** Requests that are counted once more than they should be, by chance: a part of the rejections, or a part of what passes. */
const countedInPart: readonly Assumption[] = [
  { of: 'rejections', shareOf: shareOfRejectionsCounted } as const,
  { of: 'admissions', shareOf: countedTwice } as const,
].map(({ of, shareOf }) => ({
  what: `some of the ${of} count once more`,
  price: 1.8,
  isForStudy: true,
  explains(judged) {
    const share = isRejecting(judged) ? shareOf(judged.trace, judged.promised) : undefined;
    return share === undefined
      ? undefined
      : {
          reasons: [reason('enforced-counts-in-part', { ...subjectOf(judged), ...share, of })],
          causes: [fits(of === 'rejections' ? 'rejections-count-in-part' : 'requests-count-twice', share)],
        };
  },
}));

/** The one known kind that explains the answers, if only another window than the promised one lets it. */
const anotherWindow: Assumption = {
  what: 'the window is another',
  price: 3,
  isForStudy: true,
  explains(judged) {
    if (!isOver(judged)) return undefined;
    const { mostAdmitted, promised, trace } = judged;
    const { requests } = promised;
    const windowMs = promised.windowNs / 1e6;
    const [best] = inferLimiter([trace], { promised }).survivors;
    const isSure =
      best?.settled !== undefined && best.confidence >= certain && isNear(best.mismatches, trace.length);
    if (!isSure || contains(windowBoundsOf(best, { requests, windowMs }), windowMs, 'window'))
      return undefined;
    const { min: leastMs, max: mostMs } = best.windowMsBounds ?? {};
    const params = { limiter: best.name, size: sizeOf(best), peak: mostAdmitted.atLeast };
    const bounds = {
      ...(leastMs === undefined ? {} : { leastMs }),
      ...(mostMs === undefined ? {} : { mostMs }),
    };
    return {
      reasons: [reason('enforced-other-window', { ...subjectOf(judged), ...params })],
      causes: [fits('window-differs', { ...bounds, promisedMs: windowMs })],
    };
  },
};

/** Assumptions that the limiter itself is another one. */
export const otherLimiters: readonly Assumption[] = [
  extendedByRejections,
  extendedByAll,
  keyLost,
  countLost,
  anotherSizeOrKind,
  countedLate,
  limitChanges,
  ...countedInPart,
  anotherWindow,
];

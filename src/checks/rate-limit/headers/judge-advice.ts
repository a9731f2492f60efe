import { counted, number } from '../../../amounts.ts';
import { isWord, rowsWhere } from '../../../sent/columns.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { type CheckFinding, evidence, type Shown } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { type Advice, adviceOf } from './advice.ts';
import {
  beyondNeed,
  type HeldAdvice,
  heldReasons,
  holdAdvice,
  mergeHeldAdvice,
  notShortest,
  observedHeld,
  tooEarly,
} from './advice-held.ts';
import { faultIfRepeated, type HeaderFault, repeatedly } from './finding.ts';
import { jitterNs, roundingNs } from './instant.ts';
import { dayNs, waysWrong } from './retry-after.ts';
import type { HeaderContext, HeaderStream } from './series.ts';
import { type Excess, excessesIn, type Wait, waitsIn } from './waits.ts';

/** Of the waits that were as long as advised, this part rejected, and more than once, is no accident. */
const shortPart = 1 / 3;
const shortLeast = 2;
/** A pass needs this number of advices that could have been found too short, or all there are: one may be right by luck. */
const leastTested = 2;

/**
 * Whether a 429 advises a right wait, by `Retry-After` or else by the reset. A wait is too short if a request after it gets
 * 429 again, or if the limiter that explains the answers admits nothing by then. RFC 9110 sets no upper bound, so only a
 * wait that no limiter needs is too long. Undefined without an advice, or where the run could not test any.
 */
export function judgeAdvice(
  streams: readonly HeaderStream[],
  context: HeaderContext,
): CheckFinding | undefined {
  const judged = streams.map((stream) => judgeStreamAdvice(stream, context));
  const advices = judged.flatMap((each) => each.advices);
  const waits = judged.flatMap((each) => each.waits);
  const excesses = judged.flatMap((each) => each.excesses);
  const held = mergeHeldAdvice(judged.map((each) => each.held));
  const early = tooEarly(held);
  const full = waits.filter(({ length }) => length === 'full');
  const short = full.filter(({ admitted }) => !admitted);
  const late = context.isShortestWait ? notShortest(held) : [];
  const tooLong = absurd(
    judged.flatMap((each) => each.absurd),
    context,
  );
  // An admission within the wait is stronger evidence than a fitted limiter.
  const unneeded = tooLong.length > 0 ? [] : judged.flatMap((each) => each.unneeded).slice(0, 1);
  const tooSoon = [...tooShort(full, short, held), ...early];
  const isNone = impossible(advices);
  const isAbsurd = isNone.length + tooLong.length + unneeded.length > 0;
  const faults = [...isNone, ...tooSoon, ...tooLong, ...unneeded, ...(isAbsurd ? [] : late)];
  const isMeant = streams.some(({ sent, rows }) => {
    const asks = sent.probe.words.map((probe) => probe?.startsWith('wait:') === true);
    return asks.includes(true) && rows.some((row) => asks[sent.probe.code[row] as number]);
  });
  // An admission before the end of a wait shows that the wait is long enough.
  const tried = waits.filter(({ length, admitted }) => length === 'full' || admitted).length;
  const tested = Math.max(held.compared, tried);
  const isTested = tested >= Math.min(advices.length, leastTested);
  if (advices.length === 0 || !(isMeant || isTested || faults.length > 0)) return undefined;
  const isDoubtful = short.length > 0 || held.early.length > 0;
  return {
    id: 'rate-limit.retry-after',
    verdict: faults.length > 0 ? 'fail' : isDoubtful || !isTested ? 'inconclusive' : 'pass',
    expected: expects('rate-limit.retry-after'),
    observed: observedOf(advices, waits, excesses, held),
    reasons: [
      ...faults.map(({ what }) => what),
      ...(full.length === 0 && held.compared > 0 ? [] : [waitsReason(waits, advices)]),
      ...(isTested || tested === 0
        ? []
        : [reason('retry-after-few-tested', { tested, advices: advices.length })]),
      ...heldReasons(held, { early: early.length > 0, late: isAbsurd || late.length > 0 }),
      ...(held.late.length > 0 || faults.length > 0 ? [] : longestReason(excesses)),
    ],
    evidence: faults.map(({ what, seqs }) => evidence(labelOf(what), seqs)),
    causes: [
      ...[...isNone, ...tooLong, ...unneeded].map((fault) => wrongWait(fault, advices, context, 'too long')),
      ...tooSoon.map((fault) => wrongWait(fault, advices, context, 'too short')),
      ...(isAbsurd ? [] : late).map(({ seqs, what }) =>
        fits('retry-after-wrong', { how: 'longer than needed', example: exampleOf(what) }, seqs),
      ),
    ],
  };
}

/** Waits that are wrong by themselves, or `otherwise` by what became of them. */
function wrongWait(
  { seqs, what }: HeaderFault<Reason>,
  advices: readonly Advice[],
  { clock, isShortestWait, promised: { windowNs } }: HeaderContext,
  otherwise: string,
): Suspect {
  const faulty = new Set(seqs);
  const given = advices.flatMap(({ from, rejected: { answered_ns, retry_after, sent_ns, seq } }) =>
    from === 'retry-after' && retry_after !== null && faulty.has(seq)
      ? [{ text: retry_after, sentNs: sent_ns, answeredNs: answered_ns }]
      : [],
  );
  const ways = waysWrong(given, { clock, windowNs, isShortest: isShortestWait });
  return ways === undefined
    ? fits('retry-after-wrong', { how: otherwise, example: exampleOf(what) }, seqs)
    : shown('retry-after-wrong', ways, seqs);
}

interface StreamAdvice {
  readonly advices: readonly Advice[];
  readonly waits: readonly Wait[];
  readonly excesses: readonly Excess[];
  /** Of the excesses, those of waits that no limiter of the promised window needs. */
  readonly absurd: readonly Excess[];
  /** The same by the fitted limiter, which admitted nothing meanwhile. */
  readonly unneeded: readonly HeaderFault<Reason>[];
  readonly held: HeldAdvice;
}

function judgeStreamAdvice(stream: HeaderStream, context: HeaderContext): StreamAdvice {
  const { competing, fitted, isFixedWindow, rows, sent } = stream;
  const isInteraction = isWord(sent.endpoint, 'interact');
  const own = rowsWhere(sent, (row) => !isInteraction(row), rows);
  const advices = Array.from(rowsWhere(sent, (row) => sent.status[row] === 429, own)).flatMap(
    (row) => adviceOf(sent, row, context.clock) ?? [],
  );
  const waits = waitsIn(advices, sent, competing, context.lostForNs);
  // A reset may be the reset of more than one place, and so be later than the next one.
  const retryAfters = advices.filter(({ from }) => from === 'retry-after');
  const excesses = excessesIn(retryAfters, sent, own).filter(({ byNs }) => byNs > roundingNs);
  // After a window nothing of the past counts, and after two where the window before still weighs.
  const windows = isFixedWindow ? 1 : (fitted?.remembersWindows ?? 2);
  const { windowNs } = context.promised;
  const longestNs = windows * windowNs + roundingNs + jitterNs(windowNs);
  const held = holdAdvice(advices, fitted);
  return {
    advices,
    waits,
    excesses,
    absurd: excesses.filter(({ advice }) => advice.due.loNs - advice.rejected.answered_ns > longestNs),
    unneeded: beyondNeed(held, longestNs),
    held,
  };
}

/** `30 of 312 waits`. */
function exampleOf({ code, params }: Reason): string {
  if (code === 'retry-after-not-shortest')
    return `${number(params.late)} of ${counted(params.compared, 'wait')}`;
  if (code === 'retry-after-too-short')
    return `${number(params.early)} of ${counted(params.compared, 'wait')}`;
  if (code === 'retry-after-rejected-again')
    return `${number(params.rejected)} of ${counted(params.waited, 'request')} got 429 again after the wait`;
  return code;
}

/** For evidence. */
function labelOf({ code }: Reason): string {
  return code.replace('retry-after-', 'Retry-After ').replaceAll('-', ' ');
}

/** Waits that are impossible. One is enough: no clock and no delay explains it. */
function impossible(advices: readonly Advice[]): HeaderFault<Reason>[] {
  const waitNs = ({ from, value }: Advice): number =>
    from === 'retry-after' && 'inMs' in value ? value.inMs * 1e6 : 0;
  const seqs = (found: readonly Advice[]): number[] => found.map(({ rejected }) => rejected.seq);
  const negative = seqs(advices.filter((each) => waitNs(each) < 0));
  const long = seqs(advices.filter((each) => waitNs(each) > dayNs));
  return [
    ...faultIfRepeated(negative, reason('retry-after-negative', { answers: negative.length }), 1),
    ...faultIfRepeated(long, reason('retry-after-over-a-day', { answers: long.length }), 1),
  ];
}

/** One wait that was rejected may be due to another user, unless the limiter itself could not have admitted it. */
function tooShort(
  full: readonly Wait[],
  short: readonly Wait[],
  { early }: HeldAdvice,
): HeaderFault<Reason>[] {
  const isCertain = short.some(({ advice }) => early.some((each) => each.advice === advice));
  const isRepeated = short.length >= shortLeast && short.length >= shortPart * full.length;
  if (!isCertain && !isRepeated) return [];
  return [
    {
      what: reason('retry-after-rejected-again', { rejected: short.length, waited: full.length }),
      seqs: short.flatMap(({ advice, next }) => [advice.rejected.seq, next.seq]),
    },
  ];
}

function absurd(
  excesses: readonly Excess[],
  { promised: { windowNs } }: HeaderContext,
): HeaderFault<Reason>[] {
  const longest = longestOf(excesses);
  if (longest === undefined || excesses.length < repeatedly) return [];
  return [
    {
      what: reason('retry-after-too-long', { ...longest, windowMs: windowNs / 1e6 }),
      seqs: seqsOf(excesses),
    },
  ];
}

function seqsOf(excesses: readonly Excess[]): number[] {
  return excesses.flatMap(({ advice, admitted }) => [advice.rejected.seq, admitted.seq]);
}

interface Longest {
  readonly askedMs: number;
  /** Within this time the same key was admitted again. */
  readonly neededMs: number;
}

/** The wait that is wrong by most. */
function longestOf(excesses: readonly Excess[]): Longest | undefined {
  const [worst] = excesses.toSorted((a, b) => b.byNs - a.byNs);
  if (worst === undefined) return undefined;
  const { due, rejected } = worst.advice;
  return {
    askedMs: (due.hiNs - rejected.answered_ns) / 1e6,
    neededMs: (worst.admitted.answered_ns - rejected.sent_ns) / 1e6,
  };
}

function waitsReason(waits: readonly Wait[], advices: readonly Advice[]): Reason {
  const [full, less] = (['full', 'less'] as const).map((length) =>
    waits.filter((wait) => wait.length === length),
  ) as [Wait[], Wait[]];
  return reason('retry-after-waits', {
    by: advices.some(({ from }) => from === 'retry-after') ? 'retry-after' : 'reset',
    answers: advices.length,
    waited: full.length,
    admitted: full.filter((each) => each.admitted).length,
    early: less.length,
    earlyAdmitted: less.filter((each) => each.admitted).length,
  });
}

function longestReason(excesses: readonly Excess[]): Reason[] {
  const longest = longestOf(excesses);
  return longest === undefined ? [] : [reason('retry-after-longest', { ...longest })];
}

function observedOf(
  advices: readonly Advice[],
  waits: readonly Wait[],
  excesses: readonly Excess[],
  held: HeldAdvice,
): Shown {
  const aheadS = advices.map(({ due, rejected }) => (due.loNs - rejected.sent_ns) / 1e9);
  const outcomes = (length: Wait['length']): Shown => {
    const those = waits.filter((wait) => wait.length === length);
    const admitted = those.filter((wait) => wait.admitted).length;
    return { admitted, rejected: those.length - admitted };
  };
  return {
    advices: advices.length,
    by: [...new Set(advices.map(({ from }) => from))],
    shortest_s: rounded(aheadS.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)),
    longest_s: rounded(aheadS.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)),
    waited_as_told: outcomes('full'),
    waited_less: outcomes('less'),
    longer_than_needed: excesses.length,
    with_fitted_limiter: observedHeld(held),
    longer_by_s: rounded(excesses.reduce((most, { byNs }) => Math.max(most, byNs / 1e9), 0)),
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100 + 0;
}

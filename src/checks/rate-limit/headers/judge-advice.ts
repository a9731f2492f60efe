import { counted, number, verb } from '../../../amounts.ts';
import { fits, type Suspect, shown } from '../../diagnosis/cause.ts';
import type { CheckResult, Shown } from '../../verdict.ts';
import { evidence } from '../../verdict.ts';
import { howWrong } from '../retry-after.ts';
import { isWord, rowsWhere } from '../sent.ts';
import { capital, seconds } from '../words.ts';
import { type Advice, adviceOf } from './advice.ts';
import {
  explainHeld,
  type HeldAdvice,
  holdAdvice,
  mergeHeldAdvice,
  observedHeld,
  tooEarly,
} from './advice-held.ts';
import { type Fault, faultIfRepeated, repeatedly } from './finding.ts';
import type { HeaderContext, HeaderStream } from './series.ts';
import { type Excess, excessesIn, type Wait, waitsIn } from './waits.ts';

/** Whole seconds, rounded up. */
const roundingNs = 1e9;
/** Honest targets add a random delay, so that not all who were refused come back at once: seconds, or a part of the wait. */
const jitter = { leastNs: 2e9, part: 1 / 4 };
/** No limit by the minute or hour asks for a longer wait: such a number is an instant, or in milliseconds. */
const dayNs = 86_400e9;
/** Of the waits that were as long as advised, this part refused and more than once is no accident. */
const shortPart = 1 / 3;
const shortLeast = 2;

/**
 * Whether refusals advise rightly when to come back: by `Retry-After`, else by the reset of what has run out. An advice is too
 * short if who waits that long is refused again, or if the limiter that explains the answers could not have admitted anything
 * by then. How much longer than needed it is, is a figure: RFC 9110 sets no bound, so only an absurd wait is a fault.
 * Undefined when there was no advice, or nothing to hold it against and the run did not mean to.
 */
export function judgeAdvice(
  streams: readonly HeaderStream[],
  context: HeaderContext,
): CheckResult | undefined {
  const judged = streams.map((stream) => judgeStreamAdvice(stream, context));
  const advices = judged.flatMap((each) => each.advices);
  const waits = judged.flatMap((each) => each.waits);
  const excesses = judged.flatMap((each) => each.excesses);
  const held = mergeHeldAdvice(judged.map((each) => each.held));
  const early = tooEarly(held);
  const full = waits.filter(({ length }) => length === 'full');
  const short = full.filter(({ admitted }) => !admitted);
  const tooLong = absurd(
    judged.flatMap((each) => each.absurd),
    context,
  );
  const tooSoon = [...tooShort(full, short, held), ...early];
  const isNone = impossible(advices);
  const faults = [...isNone, ...tooSoon, ...tooLong];
  const isMeant = streams.some(({ sent, rows }) => {
    const asks = sent.probe.words.map((probe) => probe?.startsWith('wait:') === true);
    return asks.includes(true) && rows.some((row) => asks[sent.probe.code[row] as number]);
  });
  // A limiter that nothing is asked of forgets on: whom it admits early, it would have admitted later.
  const isTested = held.compared > 0 || waits.some(({ length, admitted }) => length === 'full' || admitted);
  if (advices.length === 0 || !(isMeant || isTested || faults.length > 0)) return undefined;
  const isDoubtful = short.length > 0 || held.early.length > 0;
  return {
    id: 'rate-limit.retry-after',
    title: 'A client that waits as long as told is admitted',
    verdict: faults.length > 0 ? 'fail' : isDoubtful || !isTested ? 'inconclusive' : 'pass',
    expected: 'who waits as long as told is admitted, and no wait is absurdly long',
    observed: observedOf(advices, waits, excesses, held),
    explanation: [
      ...faults.map(({ what }) => `${capital(what)}.`),
      explainWaits(full, advices),
      ...explainHeld(held, early.length > 0),
      ...(held.late.length > 0 ? [] : explainExcess(excesses, faults)),
    ].join(' '),
    evidence: faults.map(({ what, seqs }) => evidence(what, seqs)),
    causes: [
      ...isNone.map((fault) => wrongWait(fault, advices, context)),
      ...tooLong.map((fault) => wrongWait(fault, advices, context)),
      ...tooSoon.map(({ seqs, what }) =>
        fits('retry-after-wrong', { how: 'too short', example: what }, seqs),
      ),
    ],
  };
}

/** A wait that nobody can mean, with what it looks like. */
function wrongWait(
  { seqs }: Fault,
  advices: readonly Advice[],
  { promised: { windowNs } }: HeaderContext,
): Suspect {
  const shownBy = advices.find(({ refused }) => seqs.includes(refused.seq));
  const { due, refused } = shownBy ?? { due: { loNs: 0 }, refused: { answered_ns: 0, retry_after: '?' } };
  const how = howWrong(due.loNs - refused.answered_ns, windowNs);
  const example = `${refused.retry_after ?? 'the reset'}, where two windows last ${seconds(2 * windowNs)}`;
  return shown('retry-after-wrong', { how, example }, seqs);
}

interface StreamAdvice {
  readonly advices: readonly Advice[];
  readonly waits: readonly Wait[];
  readonly excesses: readonly Excess[];
  /** Of the excesses, those of waits that no limiter of the promised window needs. */
  readonly absurd: readonly Excess[];
  readonly held: HeldAdvice;
}

function judgeStreamAdvice(stream: HeaderStream, context: HeaderContext): StreamAdvice {
  const { competing, fitted, isFixedWindow, rows, sent } = stream;
  const isAct = isWord(sent.endpoint, 'interact');
  const own = rowsWhere(sent, (row) => !isAct(row), rows);
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
  const longestNs = windows * windowNs + roundingNs + Math.max(jitter.leastNs, jitter.part * windowNs);
  return {
    advices,
    waits,
    excesses,
    absurd: excesses.filter(({ advice }) => advice.due.loNs - advice.refused.answered_ns > longestNs),
    held: holdAdvice(advices, fitted),
  };
}

/** Waits that are none. One is enough: no clock and no delay explains it. */
function impossible(advices: readonly Advice[]): Fault[] {
  const waitNs = ({ from, value }: Advice): number =>
    from === 'retry-after' && 'inMs' in value ? value.inMs * 1e6 : 0;
  const seqs = (found: readonly Advice[]): number[] => found.map(({ refused }) => refused.seq);
  return [
    ...faultIfRepeated(seqs(advices.filter((each) => waitNs(each) < 0)), 'Retry-After is negative', 1),
    ...faultIfRepeated(
      seqs(advices.filter((each) => waitNs(each) > dayNs)),
      'Retry-After asks for more than a day: it looks like an instant or milliseconds, not seconds',
      1,
    ),
  ];
}

/** One wait that was refused may be somebody else's doing, unless the limiter itself could not have admitted it. */
function tooShort(full: readonly Wait[], short: readonly Wait[], { early }: HeldAdvice): Fault[] {
  const isCertain = short.some(({ advice }) => early.some((each) => each.advice === advice));
  const isRepeated = short.length >= shortLeast && short.length >= shortPart * full.length;
  if (!isCertain && !isRepeated) return [];
  return [
    {
      what: `who waits as long as told is refused again: ${number(short.length)} of ${number(full.length)} times, with nothing asked meanwhile`,
      seqs: short.flatMap(({ advice, next }) => [advice.refused.seq, next.seq]),
    },
  ];
}

function absurd(excesses: readonly Excess[], { promised: { windowNs } }: HeaderContext): Fault[] {
  if (excesses.length < repeatedly) return [];
  return [
    {
      what: `Retry-After asks for ${longest(excesses)}: no limiter of ${seconds(windowNs)} needs so long`,
      seqs: seqsOf(excesses),
    },
  ];
}

function seqsOf(excesses: readonly Excess[]): number[] {
  return excesses.flatMap(({ advice, admitted }) => [advice.refused.seq, admitted.seq]);
}

/** `60 s, yet the key was admitted again after 12 s`, of the one that is wrong by most. */
function longest(excesses: readonly Excess[]): string {
  const worst = excesses.reduce((most, each) => (each.byNs > most.byNs ? each : most));
  const { due, refused } = worst.advice;
  const askedNs = due.hiNs - refused.answered_ns;
  const neededNs = worst.admitted.answered_ns - refused.sent_ns;
  return `${seconds(askedNs)}, yet the same key was admitted again within ${seconds(neededNs)}`;
}

function explainWaits(full: readonly Wait[], advices: readonly Advice[]): string {
  const by = advices.some(({ from }) => from === 'retry-after') ? 'Retry-After' : 'the reset';
  const given = `${capital(by)} came with ${counted(advices.length, 'request')} refused`;
  if (full.length === 0)
    return `${given}; no request waited just that long, with nothing else asked meanwhile.`;
  const admitted = full.filter((each) => each.admitted).length;
  return `${given}. Of ${number(full.length)} that waited as long as told, ${number(admitted)} ${verb(admitted, 'was', 'were')} admitted.`;
}

function explainExcess(excesses: readonly Excess[], faults: readonly Fault[]): string[] {
  if (excesses.length === 0 || faults.length > 0) return [];
  return [`The longest asked for ${longest(excesses)}: cautious, not false.`];
}

function observedOf(
  advices: readonly Advice[],
  waits: readonly Wait[],
  excesses: readonly Excess[],
  held: HeldAdvice,
): Shown {
  const aheadS = advices.map(({ due, refused }) => (due.loNs - refused.sent_ns) / 1e9);
  const outcomes = (length: Wait['length']): Shown => {
    const those = waits.filter((wait) => wait.length === length);
    const admitted = those.filter((wait) => wait.admitted).length;
    return { admitted, refused: those.length - admitted };
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

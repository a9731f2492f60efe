import { counted, number } from '../../../amounts.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { type CheckFinding, evidence, type Shown } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { HeaderContext, HeaderStream } from './claims.ts';
import { type Beyond, isSystematic, type KnownComparison, repeatedly, together } from './comparison.ts';
import { roundingNs } from './instants.ts';
import { dayNs, givenWait, waysWrong } from './readings.ts';
import { type Advice, type Excess, streamAdvice, type Wait } from './waits.ts';

/** Of the waits that were as long as advised, this part rejected, and more than once, is no accident. */
const shortPart = 1 / 3;
const shortLeast = 2;
/** A pass needs this number of advices that could have been found too short, or all there are: one may be right by luck. */
const leastTested = 2;

/** A wait that is wrong, with the `seq`s that show it. `otherwise`: how, where the values by themselves do not tell. */
interface WaitFault {
  readonly what: Reason;
  readonly seqs: readonly number[];
  readonly otherwise: 'too long' | 'too short' | 'longer than needed';
}

/**
 * Whether a 429 advises a right wait, by `Retry-After` or else by the reset. A wait is too short if a request after it gets
 * 429 again, or if the limiter that explains the answers admits nothing by then. RFC 9110 sets no upper bound, so only a
 * wait that no limiter needs is too long. Undefined without an advice, or where the run could not test any.
 */
export function judgeAdvice(
  streams: readonly HeaderStream[],
  context: HeaderContext,
): CheckFinding | undefined {
  const judged = streams.map((stream) => streamAdvice(stream, context));
  const advices = judged.flatMap((each) => each.advices);
  const waits = judged.flatMap((each) => each.waits);
  const excesses = judged.flatMap((each) => each.excesses);
  const known = together(judged.flatMap((each) => each.known ?? []));
  const full = waits.filter(({ length }) => length === 'full');
  const short = full.filter(({ admitted }) => !admitted);
  const tooShort = tooShortFaults(full, short, known);
  const absurd = absurdFaults(
    advices,
    excesses,
    together(judged.flatMap((each) => each.beyond ?? [])),
    context,
  );
  const late = absurd.length === 0 && context.isShortestWait ? notShortest(known) : [];
  const faults = [...absurd, ...tooShort, ...late];
  const isMeant = streams.some(({ sent, rows }) => {
    const asks = sent.probe.words.map((probe) => probe?.startsWith('wait:') === true);
    return asks.includes(true) && rows.some((row) => asks[sent.probe.code[row] as number]);
  });
  // An admission before the end of a wait shows that the wait is long enough.
  const tried = waits.filter(({ length, admitted }) => length === 'full' || admitted).length;
  const tested = Math.max(known?.below.compared ?? 0, tried);
  const isTested = tested >= Math.min(advices.length, leastTested);
  if (advices.length === 0 || !(isMeant || isTested || faults.length > 0)) return undefined;
  const early = known?.below.seqs.length ?? 0;
  const isLate = (known?.above.seqs.length ?? 0) > 0;
  const longest = longestOf(excesses);
  return {
    id: 'rate-limit.retry-after',
    verdict: faults.length > 0 ? 'fail' : short.length + early > 0 || !isTested ? 'inconclusive' : 'pass',
    expected: expects('rate-limit.retry-after'),
    observed: observedOf(advices, waits, excesses, known),
    reasons: [
      ...faults.map(({ what }) => what),
      ...(full.length === 0 && (known?.below.compared ?? 0) > 0 ? [] : [waitsReason(waits, advices)]),
      ...(isTested || tested === 0
        ? []
        : [reason('retry-after-few-tested', { tested, advices: advices.length })]),
      ...(known === undefined ? [] : remarks(known, faults)),
      ...(isLate || faults.length > 0 || longest === undefined
        ? []
        : [reason('retry-after-longest', { ...longest })]),
    ],
    evidence: faults.map(({ what, seqs }) => evidence(labelOf(what), seqs)),
    causes: faults.map((fault) => causeOf(fault, advices, context)),
  };
}

/** One wait that was rejected may be due to another user, unless the limiter itself could not have admitted it. */
function tooShortFaults(
  full: readonly Wait[],
  short: readonly Wait[],
  known: KnownComparison | undefined,
): WaitFault[] {
  const early = new Set(known?.below.seqs);
  const isCertain = short.some(({ advice }) => early.has(advice.rejected.seq));
  const isRepeated = short.length >= shortLeast && short.length >= shortPart * full.length;
  const rejectedAgain: WaitFault = {
    what: reason('retry-after-rejected-again', { rejected: short.length, waited: full.length }),
    seqs: short.flatMap(({ advice, next }) => [advice.rejected.seq, next.seq]),
    otherwise: 'too short',
  };
  return [
    ...(isCertain || isRepeated ? [rejectedAgain] : []),
    ...(known === undefined || !isSystematic(known.below)
      ? []
      : [{ ...differing('too-short', known, known.below), otherwise: 'too short' as const }]),
  ];
}

/** Waits that are wrong whatever the limiter is. */
const impossibleWaits = [
  { code: 'retry-after-negative', holds: (waitNs: number) => waitNs < 0 },
  { code: 'retry-after-over-a-day', holds: (waitNs: number) => waitNs > dayNs },
] as const;

/** Waits that no limiter needs. Of impossible ones one is enough: no clock and no delay explains it. */
function absurdFaults(
  advices: readonly Advice[],
  excesses: readonly Excess[],
  beyond: KnownComparison | undefined,
  { promised: { windowNs } }: HeaderContext,
): WaitFault[] {
  const impossible = impossibleWaits.flatMap(({ code, holds }): WaitFault[] => {
    const seqs = advices.flatMap(({ from, rejected, value }) =>
      from === 'retry-after' && 'inMs' in value && holds(value.inMs * 1e6) ? [rejected.seq] : [],
    );
    const what = reason(code, { answers: seqs.length });
    return seqs.length === 0 ? [] : [{ what, seqs, otherwise: 'too long' }];
  });
  const absurd = excesses.filter(({ isAbsurd }) => isAbsurd);
  const longest = longestOf(absurd);
  const otherwise = 'too long';
  // An admission within the wait is stronger evidence than a limiter.
  const contradicted: WaitFault[] =
    longest !== undefined && absurd.length >= repeatedly
      ? [
          {
            what: reason('retry-after-too-long', { ...longest, windowMs: windowNs / 1e6 }),
            seqs: absurd.flatMap(({ admittedSeq, advice }) => [advice.rejected.seq, admittedSeq]),
            otherwise,
          },
        ]
      : beyond !== undefined && isSystematic(beyond.above)
        ? [{ ...differing('beyond-need', beyond, beyond.above), otherwise }]
        : [];
  return [...impossible, ...contradicted];
}

/** Waits longer than needed, where the profile promises the shortest. */
function notShortest(known: KnownComparison | undefined): WaitFault[] {
  if (known === undefined) return [];
  return isSystematic(known.above) || known.above.episodes >= repeatedly
    ? [{ ...differing('not-shortest', known, known.above), otherwise: 'longer than needed' }]
    : [];
}

type DiffersAs = Extract<Reason, { readonly code: 'retry-after-differs' }>['params']['as'];

function differing(
  as: DiffersAs,
  { above, fitted }: KnownComparison,
  beyond: Beyond,
): Omit<WaitFault, 'otherwise'> {
  const { by, compared, seqs } = beyond;
  const byMs = (by + (beyond === above ? roundingNs : 0)) / 1e6;
  return { what: reason('retry-after-differs', { as, off: seqs.length, compared, byMs, fitted }), seqs };
}

/** What the comparison shows, faults apart. */
function remarks(known: KnownComparison, faults: readonly WaitFault[]): Reason[] {
  const { above, below, fitted } = known;
  const isEarlyTold = faults.some(
    ({ what }) => what.code === 'retry-after-differs' && what.params.as === 'too-short',
  );
  const isLateTold = faults.some(({ otherwise }) => otherwise !== 'too short');
  return [
    ...(below.seqs.length === 0
      ? below.compared === 0
        ? []
        : [reason('retry-after-none-too-short', { compared: below.compared, fitted })]
      : isEarlyTold
        ? []
        : [differing('few-too-short', known, below).what]),
    ...(above.seqs.length === 0 || isLateTold ? [] : [differing('longer', known, above).what]),
  ];
}

/** Waits that are wrong by themselves, or by what became of them. */
function causeOf(
  { otherwise, seqs, what }: WaitFault,
  advices: readonly Advice[],
  context: HeaderContext,
): Suspect {
  const faulty = new Set(seqs);
  const given = advices.flatMap(({ from, rejected: { answered_ns, retry_after, sent_ns, seq } }) =>
    from === 'retry-after' && retry_after !== null && faulty.has(seq)
      ? [givenWait(retry_after, sent_ns, answered_ns)]
      : [],
  );
  const { clock, isShortestWait, promised } = context;
  const ways =
    otherwise === 'longer than needed'
      ? undefined
      : waysWrong(given, { clock, windowNs: promised.windowNs, isShortest: isShortestWait });
  return ways === undefined
    ? fits('retry-after-wrong', { how: otherwise, example: exampleOf(what) }, seqs)
    : shown('retry-after-wrong', ways, seqs);
}

/** `30 of 312 waits`. */
function exampleOf({ code, params }: Reason): string {
  if (code === 'retry-after-differs') return `${number(params.off)} of ${counted(params.compared, 'wait')}`;
  if (code === 'retry-after-rejected-again')
    return `${number(params.rejected)} of ${counted(params.waited, 'request')} got 429 again after the wait`;
  return code;
}

/** For evidence. */
function labelOf(what: Reason): string {
  const name = what.code === 'retry-after-differs' ? what.params.as : what.code.replace('retry-after-', '');
  return `Retry-After ${name.replaceAll('-', ' ')}`;
}

interface Longest {
  readonly askedMs: number;
  /** Within this time the same key was admitted again. */
  readonly neededMs: number;
}

/** The wait that is wrong by most. */
function longestOf(excesses: readonly Excess[]): Longest | undefined {
  const [worst] = excesses.toSorted((a, b) => excessNs(b) - excessNs(a));
  if (worst === undefined) return undefined;
  const { due, rejected } = worst.advice;
  return {
    askedMs: (due.hiNs - rejected.answered_ns) / 1e6,
    neededMs: (worst.admittedNs - rejected.sent_ns) / 1e6,
  };
}

function excessNs({ admittedNs, advice }: Excess): number {
  return advice.due.loNs - admittedNs;
}

function waitsReason(waits: readonly Wait[], advices: readonly Advice[]): Reason {
  const full = waits.filter(({ length }) => length === 'full');
  const less = waits.filter(({ length }) => length === 'less');
  return reason('retry-after-waits', {
    by: advices.some(({ from }) => from === 'retry-after') ? 'retry-after' : 'reset',
    answers: advices.length,
    waited: full.length,
    admitted: full.filter(({ admitted }) => admitted).length,
    early: less.length,
    earlyAdmitted: less.filter(({ admitted }) => admitted).length,
  });
}

function observedOf(
  advices: readonly Advice[],
  waits: readonly Wait[],
  excesses: readonly Excess[],
  known: KnownComparison | undefined,
): Shown {
  const aheadS = advices.map(({ due, rejected }) => (due.loNs - rejected.sent_ns) / 1e9);
  const outcomes = (length: Wait['length']): Shown => {
    const those = waits.filter((wait) => wait.length === length);
    const admitted = those.filter((wait) => wait.admitted).length;
    return { admitted, rejected: those.length - admitted };
  };
  const inMs = (beyond: Beyond | undefined, moreNs: number): number =>
    beyond === undefined || beyond.seqs.length === 0 ? 0 : Math.round((beyond.by + moreNs) / 1e6);
  return {
    advices: advices.length,
    by: [...new Set(advices.map(({ from }) => from))],
    shortest_s: rounded(aheadS.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)),
    longest_s: rounded(aheadS.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)),
    waited_as_told: outcomes('full'),
    waited_less: outcomes('less'),
    longer_than_needed: excesses.length,
    with_fitted_limiter: {
      compared: known?.below.compared ?? 0,
      early: known?.below.seqs.length ?? 0,
      early_by_ms: inMs(known?.below, 0),
      compared_late: known?.above.compared ?? 0,
      late: known?.above.seqs.length ?? 0,
      late_by_ms: inMs(known?.above, roundingNs),
    },
    longer_by_s: rounded(excesses.reduce((most, each) => Math.max(most, excessNs(each) / 1e9), 0)),
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100 + 0;
}

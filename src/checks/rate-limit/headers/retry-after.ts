import { counted, number, seconds } from '../../../amounts.ts';
import { fits, shown } from '../../causes/cause.ts';
import { type CheckFinding, evidence, type Shown } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { type Excess, type StreamAdvice, streamAdvice, type Wait } from './advice.ts';
import type { HeaderContext, HeaderStream } from './claims.ts';
import { type Beyond, isSystematic, type KnownComparison, repeatedly, together } from './comparison.ts';
import { roundingNs } from './instants.ts';
import { waysWrong } from './readings.ts';

/** Of the waits that were as long as advised, this part rejected, and more than once, is no accident. */
const shortPart = 1 / 3;
const shortLeast = 2;
/** A pass needs this number of advices that could have been found too short, or all there are: one may be right by luck. */
const leastTested = 2;

/** A wait that is wrong, with the `seq`s that show it. */
interface WaitFault {
  readonly what: Reason;
  readonly seqs: readonly number[];
  /** How, where the values by themselves do not tell. */
  readonly otherwise: 'too long' | 'too short' | 'longer than needed';
  readonly example: string;
}

/** What the streams of all keys show together. */
interface AllAdvice extends StreamAdvice {
  readonly context: HeaderContext;
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
  const all: AllAdvice = {
    advices: judged.flatMap(({ advices }) => advices),
    long: new Set(judged.flatMap(({ long }) => [...long])),
    waits: judged.flatMap(({ waits }) => waits),
    excesses: judged.flatMap(({ excesses }) => excesses),
    known: together(judged.flatMap(({ known }) => known ?? [])),
    context,
  };
  const { advices, known, waits } = all;
  const tooLong = beyondNeed(all);
  const faults = [...tooLong, ...tooShort(all), ...(tooLong.length === 0 ? notShortest(all) : [])];
  const isMeant = streams.some(({ sent, rows }) => {
    const asks = sent.probe.words.map((probe) => probe?.startsWith('wait:') === true);
    return asks.includes(true) && rows.some((row) => asks[sent.probe.code[row] as number]);
  });
  // An admission before the end of a wait shows that the wait is long enough.
  const tried = waits.filter(({ length, admitted }) => length === 'full' || admitted).length;
  const compared = known?.below.compared ?? 0;
  const tested = Math.max(compared, tried);
  const isTested = tested >= Math.min(advices.length, leastTested);
  if (advices.length === 0 || !(isMeant || isTested || faults.length > 0)) return undefined;
  const full = waits.filter(({ length }) => length === 'full');
  const isDoubtful = full.some(({ admitted }) => !admitted) || (known?.below.seqs.length ?? 0) > 0;
  const longest = longestOf(all.excesses);
  const isLongestNews = faults.length === 0 && (known?.above.seqs.length ?? 0) === 0;
  return {
    id: 'rate-limit.retry-after',
    verdict: faults.length > 0 ? 'fail' : isDoubtful || !isTested ? 'inconclusive' : 'pass',
    expected: expects('rate-limit.retry-after'),
    observed: observedOf(all),
    reasons: [
      ...faults.map(({ what }) => what),
      ...(full.length === 0 && compared > 0 ? [] : [waitsReason(all)]),
      ...(isTested || tested === 0
        ? []
        : [reason('retry-after-few-tested', { tested, advices: advices.length })]),
      ...(known === undefined ? [] : remarks(known, faults)),
      ...(isLongestNews && longest !== undefined ? [reason('retry-after-longest', { ...longest })] : []),
    ],
    evidence: faults.map(({ otherwise, seqs }) => evidence(`Retry-After ${otherwise}`, seqs)),
    causes: faults.map(({ example, otherwise, seqs }) => {
      const faulty = new Set(seqs);
      const ways =
        otherwise === 'longer than needed'
          ? undefined
          : waysWrong(
              advices.filter(({ from, seq }) => from === 'retry-after' && faulty.has(seq)),
              context,
            );
      return ways === undefined
        ? fits('retry-after-wrong', { how: otherwise, example }, seqs)
        : shown('retry-after-wrong', ways, seqs);
    }),
  };
}

/** Waits that no limiter needs. An admission within the wait is stronger evidence than a limiter. */
function beyondNeed({ context, excesses, known, long }: AllAdvice): WaitFault[] {
  const absurd = excesses.filter(({ advice }) => long.has(advice));
  const longest = longestOf(absurd);
  const otherwise = 'too long';
  if (longest !== undefined && absurd.length >= repeatedly) {
    const windowMs = context.promised.windowNs / 1e6;
    return [
      {
        what: reason('retry-after-too-long', { ...longest, windowMs }),
        seqs: absurd.flatMap(({ admittedSeq, advice }) => [advice.seq, admittedSeq]),
        otherwise,
        example: `${seconds(longest.askedMs)}, and the same key was admitted within ${seconds(longest.neededMs)}`,
      },
    ];
  }
  if (known === undefined || long.size === 0) return [];
  const longSeqs = new Set([...long].map(({ seq }) => seq));
  const seqs = known.above.seqs.filter((seq) => longSeqs.has(seq));
  const above = { ...known.above, seqs, compared: long.size };
  return isSystematic(above) ? [differing('beyond-need', known, above, otherwise)] : [];
}

/** One wait that was rejected may be due to another user, unless the limiter itself could not have admitted it. */
function tooShort({ known, waits }: AllAdvice): WaitFault[] {
  const full = waits.filter(({ length }) => length === 'full');
  const short = full.filter(({ admitted }) => !admitted);
  const early = new Set(known?.below.seqs);
  const isCertain = short.some(({ advice }) => early.has(advice.seq));
  const isRepeated = short.length >= shortLeast && short.length >= shortPart * full.length;
  const otherwise = 'too short';
  const rejectedAgain: WaitFault = {
    what: reason('retry-after-rejected-again', { rejected: short.length, waited: full.length }),
    seqs: short.flatMap(({ advice, nextSeq }) => [advice.seq, nextSeq]),
    otherwise,
    example: `${number(short.length)} of ${counted(full.length, 'request')} got 429 again after the wait`,
  };
  return [
    ...(isCertain || isRepeated ? [rejectedAgain] : []),
    ...(known !== undefined && isSystematic(known.below)
      ? [differing('too-short', known, known.below, otherwise)]
      : []),
  ];
}

/** Waits longer than needed, where the profile promises the shortest. */
function notShortest({ context, known }: AllAdvice): WaitFault[] {
  if (known === undefined || !context.isShortestWait) return [];
  return isSystematic(known.above) || known.above.episodes >= repeatedly
    ? [differing('not-shortest', known, known.above, 'longer than needed')]
    : [];
}

type DiffersAs = Extract<Reason, { readonly code: 'retry-after-differs' }>['params']['as'];

function differing(
  as: DiffersAs,
  { below, fitted }: KnownComparison,
  beyond: Beyond,
  otherwise: WaitFault['otherwise'],
): WaitFault {
  const { by, compared, seqs } = beyond;
  const byMs = (by + (beyond === below ? 0 : roundingNs)) / 1e6;
  return {
    what: reason('retry-after-differs', { as, off: seqs.length, compared, byMs, fitted }),
    seqs,
    otherwise,
    example: `${number(seqs.length)} of ${counted(compared, 'wait')}`,
  };
}

/** What the comparison shows, faults apart. */
function remarks(known: KnownComparison, faults: readonly WaitFault[]): Reason[] {
  const { above, below, fitted } = known;
  const isEarlyTold = faults.some(
    ({ what }) => what.code === 'retry-after-differs' && what.params.as === 'too-short',
  );
  const isLateTold = faults.some(({ otherwise }) => otherwise !== 'too short');
  const none = reason('retry-after-none-too-short', { compared: below.compared, fitted });
  return [
    ...(below.seqs.length === 0 && below.compared > 0 ? [none] : []),
    ...(below.seqs.length === 0 || isEarlyTold
      ? []
      : [differing('few-too-short', known, below, 'too short').what]),
    ...(above.seqs.length === 0 || isLateTold ? [] : [differing('longer', known, above, 'too long').what]),
  ];
}

/** The wait that is wrong by most, and within what time the same key was admitted again. */
function longestOf(
  excesses: readonly Excess[],
): { readonly askedMs: number; readonly neededMs: number } | undefined {
  const [worst] = excesses.toSorted((a, b) => excessNs(b) - excessNs(a));
  if (worst === undefined) return undefined;
  const { answeredNs, due, sentNs } = worst.advice;
  return { askedMs: (due.hiNs - answeredNs) / 1e6, neededMs: (worst.admittedNs - sentNs) / 1e6 };
}

function excessNs({ admittedNs, advice }: Excess): number {
  return advice.due.loNs - admittedNs;
}

function outcomes(waits: readonly Wait[], length: Wait['length']): Record<'admitted' | 'rejected', number> {
  const those = waits.filter((wait) => wait.length === length);
  const admitted = those.filter((wait) => wait.admitted).length;
  return { admitted, rejected: those.length - admitted };
}

function waitsReason({ advices, waits }: AllAdvice): Reason {
  const [full, less] = [outcomes(waits, 'full'), outcomes(waits, 'less')];
  return reason('retry-after-waits', {
    by: advices.some(({ from }) => from === 'retry-after') ? 'retry-after' : 'reset',
    answers: advices.length,
    waited: full.admitted + full.rejected,
    admitted: full.admitted,
    early: less.admitted + less.rejected,
    earlyAdmitted: less.admitted,
  });
}

function observedOf({ advices, excesses, known, waits }: AllAdvice): Shown {
  const aheadS = advices.map(({ due, sentNs }) => Math.round((due.loNs - sentNs) / 1e7) / 100 + 0);
  return {
    advices: advices.length,
    by: [...new Set(advices.map(({ from }) => from))],
    shortest_s: aheadS.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    longest_s: aheadS.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
    waited_as_told: outcomes(waits, 'full'),
    waited_less: outcomes(waits, 'less'),
    longer_than_needed: excesses.length,
    with_fitted_limiter: {
      compared: known?.below.compared ?? 0,
      early: known?.below.seqs.length ?? 0,
      compared_late: known?.above.compared ?? 0,
      late: known?.above.seqs.length ?? 0,
    },
  };
}

import { countUpTo, valuesAt } from '../../../limits/arrays.ts';
import {
  byLimit,
  isSuccess,
  isWord,
  limitOfRow,
  type Rows,
  rowsWhere,
  type SentRequests,
  wordAt,
} from '../../../limits/sent/columns.ts';
import type { Span } from '../../../limits/span.ts';
import type { HeaderContext, HeaderStream } from './claims.ts';
import { compareKnown, type KnownComparison } from './comparison.ts';
import { readLimitHeaders } from './dialects.ts';
import {
  type GivenInstant,
  type InstantValue,
  instantOf,
  jitterNs,
  readWait,
  roundingNs,
  type WaitForm,
} from './instants.ts';

/** A Retry-After as it stands. */
export interface RetryAfter extends GivenInstant {
  /** Its row among the requests that went out. */
  readonly row: number;
  readonly seq: number;
  readonly text: string;
  readonly form: WaitForm;
}

/** Every Retry-After that came with these rejections. */
export function retryAfters(sent: SentRequests, rejected: Rows): RetryAfter[] {
  return Array.from(rejected).flatMap((row) => {
    const text = wordAt(sent.retryAfter, row);
    return text === null ? [] : [{ ...givenAt(sent, row), text, ...readWait(text) }];
  });
}

function givenAt(sent: SentRequests, row: number): Pick<Advice, 'answeredNs' | 'row' | 'sentNs' | 'seq'> {
  return {
    row,
    seq: sent.seq[row] as number,
    sentNs: sent.sentNs[row] as number,
    answeredNs: sent.answeredNs[row] as number,
  };
}

/** What a rejection says of when to retry. */
export interface Advice extends GivenInstant {
  readonly row: number;
  readonly seq: number;
  /** `Retry-After` goes before a reset, where both stand. */
  readonly from: 'retry-after' | 'reset';
  readonly value: InstantValue;
  /** The instant that it names, in the run's nanoseconds. */
  readonly due: Span;
  /** When it is over, allowing for rounding: a date has no parts of seconds, a reset may be rounded down. */
  readonly overNs: number;
}

/** The advice of a 429; none when it gives none that can be read. */
function adviceOf(sent: SentRequests, row: number, clock: Span): Advice[] {
  const [retryAfter] = retryAfters(sent, Int32Array.of(row));
  const hasWait = retryAfter?.value !== undefined;
  // The reset of whatever has run out: a policy under which something remains did not reject.
  const value = hasWait
    ? retryAfter.value
    : readLimitHeaders(wordAt(sent.limitHeaders, row)).find(
        ({ reset, remaining }) => reset !== undefined && (remaining ?? 0) <= 0,
      )?.reset;
  if (value === undefined) return [];
  const given = hasWait ? retryAfter : givenAt(sent, row);
  const due = instantOf(value, given, clock);
  const overNs = hasWait && 'inMs' in value ? due.hiNs : due.hiNs + roundingNs;
  return [{ ...given, value, from: hasWait ? 'retry-after' : 'reset', due, overNs }];
}

/** What the next request after a rejection got, with no other request in between. */
export interface Wait {
  readonly advice: Advice;
  readonly nextSeq: number;
  /** Waited as long as advised, beyond doubt; or beyond doubt less. */
  readonly length: 'full' | 'less';
  readonly admitted: boolean;
}

/** The waits that history holds: rejections with an advice, and no request at all until the next one. */
function waitsIn(
  advices: readonly Advice[],
  { competing, sent }: HeaderStream,
  { lostForNs }: HeaderContext,
): Wait[] {
  const byRow = new Map(advices.map((advice) => [advice.row, advice]));
  const waits: Wait[] = [];
  if (byRow.size === 0) return waits;
  const { answeredNs, sentNs, status } = sent;
  let busyUntilNs = Number.NEGATIVE_INFINITY;
  for (const [i, row] of competing.entries()) {
    const isAlone = busyUntilNs < (sentNs[row] as number);
    // Until when it may still have been counted.
    busyUntilNs = Math.max(
      busyUntilNs,
      status[row] === 0 ? (sentNs[row] as number) + lostForNs : (answeredNs[row] as number),
    );
    const advice = byRow.get(row);
    const next = competing[i + 1];
    if (advice === undefined || !isAlone || next === undefined) continue;
    const after = competing[i + 2];
    const isBetween =
      (sentNs[next] as number) > (answeredNs[row] as number) &&
      (after === undefined || (sentNs[after] as number) > (answeredNs[next] as number));
    const admitted = isSuccess(sent, next);
    const isTold = admitted || status[next] === 429;
    if (!isBetween || !isTold || limitOfRow(sent, next) !== limitOfRow(sent, row)) continue;
    const nextSeq = sent.seq[next] as number;
    if ((sentNs[next] as number) >= advice.overNs) waits.push({ advice, nextSeq, length: 'full', admitted });
    else if ((answeredNs[next] as number) < advice.due.loNs)
      waits.push({ advice, nextSeq, length: 'less', admitted });
  }
  return waits;
}

/**
 * The row of the first admission after a rejection, or of a later one, on the same key and endpoint: whose limit it is, is not
 * shown.
 */
export function admissionsAfter(
  sent: SentRequests,
  among?: Rows,
): (rejection: number, place?: number) => number | undefined {
  const admitted = rowsWhere(sent, (row) => isSuccess(sent, row), among);
  const admissions = new Map(
    [...byLimit(sent, admitted)].map(([limit, rows]) => [
      limit,
      { rows, sentNs: valuesAt(sent.sentNs, rows) },
    ]),
  );
  return (rejection, place = 1) => {
    const own = admissions.get(limitOfRow(sent, rejection));
    // In order of sending, so that a later one tells of those before.
    return own?.rows[countUpTo(own.sentNs, sent.answeredNs[rejection] as number) + place - 1];
  };
}

/** An advice and the first admission after it on the same key and endpoint, where that came before the wait was over. */
export interface Excess {
  readonly advice: Advice;
  readonly admittedSeq: number;
  readonly admittedNs: number;
}

/** What the rejections of a stream advise, beside what became of it. */
export interface StreamAdvice {
  readonly advices: readonly Advice[];
  /** Longer than any limiter of the promised window needs. */
  readonly long: ReadonlySet<Advice>;
  readonly waits: readonly Wait[];
  readonly excesses: readonly Excess[];
  /** With the known limiter as if no request had come after a rejection: below is too short, above longer than needed. */
  readonly known: KnownComparison | undefined;
}

export function streamAdvice(stream: HeaderStream, context: HeaderContext): StreamAdvice {
  const { isFixedWindow, known, rows, sent } = stream;
  const isInteraction = isWord(sent.endpoint, 'interact');
  const own = rowsWhere(sent, (row) => !isInteraction(row), rows);
  const advices = Array.from(rowsWhere(sent, (row) => sent.status[row] === 429, own)).flatMap((row) =>
    adviceOf(sent, row, context.clock),
  );
  // After a window nothing of the past counts, and after two where the window before still weighs.
  const windows = isFixedWindow ? 1 : (known?.remembersWindows ?? 2);
  const { windowNs } = context.promised;
  const longestNs = windows * windowNs + roundingNs + jitterNs(windowNs);
  const admissionAfter = admissionsAfter(sent, own);
  const values = {
    rows: advices.map(({ row }) => row),
    seq: advices.map(({ seq }) => seq),
    sentNs: advices.map(({ sentNs }) => sentNs),
    least: advices.map(({ due }) => due.loNs),
    // Only resets may be rounded down: a `Retry-After` says how long to wait at least.
    most: advices.map(({ due, from, overNs }) => (from === 'reset' ? overNs : due.hiNs)),
  };
  return {
    advices,
    long: new Set(advices.filter(({ answeredNs, due }) => due.loNs - answeredNs > longestNs)),
    waits: waitsIn(advices, stream, context),
    excesses: advices.flatMap((advice) => {
      const row = advice.from === 'reset' ? undefined : admissionAfter(advice.row);
      const admittedNs = row === undefined ? Number.POSITIVE_INFINITY : (sent.answeredNs[row] as number);
      return row === undefined || advice.due.loNs - admittedNs <= roundingNs
        ? []
        : [{ advice, admittedSeq: sent.seq[row] as number, admittedNs }];
    }),
    known: compareKnown(values, known, ({ free }, i) => {
      const { answeredNs, from, sentNs } = advices[i] as Advice;
      // What was spent unseen before the run makes waits longer, and never shorter.
      const isUnseen = sentNs < (known?.knownFromNs ?? 0);
      return {
        // Where a place may have come free at once, no advice is too short.
        least: free.loNs > answeredNs ? free.loNs : Number.NEGATIVE_INFINITY,
        // A reset may be that of several places.
        most: from === 'reset' || isUnseen ? Number.POSITIVE_INFINITY : free.hiNs + roundingNs,
      };
    }),
  };
}

import { countUpTo, floats, valuesAt } from '../../../limits/arrays.ts';
import type { State } from '../../../limits/kinds/kind.ts';
import {
  byLimit,
  isSuccess,
  isWord,
  limitOfRow,
  type Rows,
  rowsWhere,
  type SentRequest,
  type SentRequests,
  sentRequestAt,
} from '../../../limits/sent/columns.ts';
import type { Span } from '../../../limits/span.ts';
import type { HeaderContext, HeaderStream } from './claims.ts';
import { type ClaimedValues, compareKnown, type KnownComparison, repeatedly } from './comparison.ts';
import { readLimitHeaders } from './dialects.ts';
import { type InstantValue, instantOf, jitterNs, parseRetryAfter, roundingNs } from './instants.ts';
import { usualNs } from './readings.ts';

/** What a rejection says of when to retry. */
export interface Advice {
  /** Its row among the requests that went out. */
  readonly row: number;
  readonly rejected: SentRequest;
  /** `Retry-After` goes before a reset, where both stand. */
  readonly from: 'retry-after' | 'reset';
  readonly value: InstantValue;
  /** The instant that it names, in the run's nanoseconds. */
  readonly due: Span;
  /** When it is over, allowing for rounding: a date has no parts of seconds, a reset may be rounded down. */
  readonly overNs: number;
}

/** The advice of a 429; undefined when it gives none that can be read. */
function adviceOf(sent: SentRequests, row: number, clock: Span): Advice | undefined {
  const rejected = sentRequestAt(sent, row);
  const retryAfter = rejected.retry_after === null ? undefined : parseRetryAfter(rejected.retry_after);
  // The reset of whatever has run out: a policy under which something remains did not reject.
  const value =
    retryAfter ??
    readLimitHeaders(rejected.limit_headers).find(
      ({ reset, remaining }) => reset !== undefined && (remaining ?? 0) <= 0,
    )?.reset;
  if (value === undefined) return undefined;
  const due = instantOf(value, { sentNs: rejected.sent_ns, answeredNs: rejected.answered_ns }, clock);
  const isExact = retryAfter !== undefined && 'inMs' in value;
  return {
    row,
    rejected,
    from: retryAfter === undefined ? 'reset' : 'retry-after',
    value,
    due,
    overNs: isExact ? due.hiNs : due.hiNs + roundingNs,
  };
}

/** What the next request after a rejection got, with no other request in between. */
export interface Wait {
  readonly advice: Advice;
  readonly next: SentRequest;
  /** Waited as long as advised, beyond doubt; or beyond doubt less. */
  readonly length: 'full' | 'less';
  readonly admitted: boolean;
}

/**
 * The waits that history holds: rejections with an advice, and no request at all until the next one.
 * `lostForNs`: how long after its sending a request without an answer may still be counted.
 */
function waitsIn(advices: readonly Advice[], sent: SentRequests, competing: Rows, lostForNs: number): Wait[] {
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
    if ((sentNs[next] as number) <= (answeredNs[row] as number)) continue;
    const after = competing[i + 2];
    const isNextAlone = after === undefined || (sentNs[after] as number) > (answeredNs[next] as number);
    const isSame = limitOfRow(sent, next) === limitOfRow(sent, row);
    const wait = isSame && isNextAlone ? waitOf(advice, sentRequestAt(sent, next)) : undefined;
    if (wait !== undefined) waits.push(wait);
  }
  return waits;
}

function waitOf(advice: Advice, next: SentRequest): Wait | undefined {
  const { status } = next;
  const admitted = status !== null && status >= 200 && status < 300;
  if (!admitted && status !== 429) return undefined;
  if (next.sent_ns >= advice.overNs) return { advice, next, length: 'full', admitted };
  if (next.answered_ns < advice.due.loNs) return { advice, next, length: 'less', admitted };
  return undefined;
}

/**
 * The row of the first admission after a rejection, or of a later one, on the same key and endpoint: whose limit it is, is not
 * shown.
 */
function admissionsAfter(
  sent: SentRequests,
  among?: Rows,
): (rejection: number, place?: number) => number | undefined {
  const admissions = new Map(
    [
      ...byLimit(
        sent,
        rowsWhere(sent, (row) => isSuccess(sent, row), among),
      ),
    ].map(([limit, rows]) => [limit, { rows, sentNs: valuesAt(sent.sentNs, rows) }]),
  );
  return (rejection, place = 1) => {
    const own = admissions.get(limitOfRow(sent, rejection));
    // In order of sending, so that a later one tells of those before.
    return own?.rows[countUpTo(own.sentNs, sent.answeredNs[rejection] as number) + place - 1];
  };
}

/**
 * The rejections whose long wait did not hold: the same key was admitted again well before it was over, beyond what a limiter
 * may ask for anyway. Each is contradicted by several admissions: an operator may cause a single one. Empty unless there are
 * several.
 */
export function contradictedWaits<Rejection extends { readonly row: number; readonly longNs: number }>(
  rejections: readonly Rejection[],
  sent: SentRequests,
  windowNs: number,
): readonly Rejection[] {
  if (rejections.length < repeatedly) return [];
  const admissionAfter = admissionsAfter(sent);
  const found = rejections.filter(({ row, longNs }) => {
    const third = admissionAfter(row, repeatedly);
    const untilNs = (sent.answeredNs[row] as number) + longNs - usualNs(windowNs);
    return third !== undefined && (sent.sentNs[third] as number) < untilNs;
  });
  return found.length < repeatedly ? [] : found;
}

/** An advice and the first admission after it on the same key and endpoint, where that came before the wait was over. */
export interface Excess {
  readonly advice: Advice;
  readonly admittedSeq: number;
  readonly admittedNs: number;
  /** No limiter of the promised window needs such a wait. */
  readonly isAbsurd: boolean;
}

interface StreamAdvice {
  readonly advices: readonly Advice[];
  readonly waits: readonly Wait[];
  readonly excesses: readonly Excess[];
  /** With the known limiter as if no request had come after a rejection: below is too short, above longer than needed. */
  readonly known: KnownComparison | undefined;
  /** The same, where above is also longer than any limiter of the window needs. */
  readonly beyond: KnownComparison | undefined;
}

/** What the rejections of a stream advise, beside what became of it. */
export function streamAdvice(stream: HeaderStream, context: HeaderContext): StreamAdvice {
  const { competing, isFixedWindow, known, rows, sent } = stream;
  const isInteraction = isWord(sent.endpoint, 'interact');
  const own = rowsWhere(sent, (row) => !isInteraction(row), rows);
  const advices = Array.from(rowsWhere(sent, (row) => sent.status[row] === 429, own)).flatMap(
    (row) => adviceOf(sent, row, context.clock) ?? [],
  );
  // After a window nothing of the past counts, and after two where the window before still weighs.
  const windows = isFixedWindow ? 1 : (known?.remembersWindows ?? 2);
  const { windowNs } = context.promised;
  const longestNs = windows * windowNs + roundingNs + jitterNs(windowNs);
  const isLong = ({ due, rejected }: Advice): boolean => due.loNs - rejected.answered_ns > longestNs;
  const admissionAfter = admissionsAfter(sent, own);
  const values: ClaimedValues = {
    rows: advices.map(({ row }) => row),
    seq: advices.map(({ rejected }) => rejected.seq),
    sentNs: advices.map(({ rejected }) => rejected.sent_ns),
    least: floats(advices.length, (i) => (advices[i] as Advice).due.loNs),
    // Only resets may be rounded down: a `Retry-After` says how long to wait at least.
    most: advices.map(({ due, from, overNs }) => (from === 'reset' ? overNs : due.hiNs)),
  };
  const compared = (mayBeLong: (advice: Advice) => boolean): KnownComparison | undefined =>
    compareKnown(values, known, ({ free }: State, i) => {
      const advice = advices[i] as Advice;
      const { answered_ns, sent_ns } = advice.rejected;
      return {
        // Where a place may have come free at once, no advice is too short.
        least: free.loNs > answered_ns ? free.loNs : Number.NEGATIVE_INFINITY,
        // A reset may be that of several places. What was spent unseen before the run makes waits longer, and never shorter.
        most:
          advice.from === 'reset' || sent_ns < (known?.knownFromNs ?? 0) || mayBeLong(advice)
            ? Number.POSITIVE_INFINITY
            : free.hiNs + roundingNs,
      };
    });
  return {
    advices,
    waits: waitsIn(advices, sent, competing, context.lostForNs),
    excesses: advices.flatMap((advice) => {
      const row = advice.from === 'reset' ? undefined : admissionAfter(advice.row);
      const admittedNs = row === undefined ? Number.POSITIVE_INFINITY : (sent.answeredNs[row] as number);
      return row === undefined || advice.due.loNs - admittedNs <= roundingNs
        ? []
        : [{ advice, admittedSeq: sent.seq[row] as number, admittedNs, isAbsurd: isLong(advice) }];
    }),
    known: compared(() => false),
    beyond: advices.some(isLong) ? compared((advice) => !isLong(advice)) : undefined,
  };
}

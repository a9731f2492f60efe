import type { Span } from '../../../limits/span.ts';
import { type SentRequest, type SentRequests, sentRequestAt } from '../../../sent/columns.ts';
import { readLimitHeaders } from './dialects.ts';
import { instantOf, type ResetValue, roundingNs } from './instant.ts';
import { parseRetryAfter } from './retry-after.ts';

/** What a rejection says of when to retry. */
export interface Advice {
  /** Its row among the requests that went out. */
  readonly row: number;
  readonly rejected: SentRequest;
  /** `Retry-After` goes before a reset, where both stand. */
  readonly from: 'retry-after' | 'reset';
  readonly value: ResetValue;
  /** The instant that it names, in the run's nanoseconds. */
  readonly due: Span;
  /** When it is over, allowing for rounding: a date has no parts of seconds, a reset may be rounded down. */
  readonly overNs: number;
}

/** The advice of a 429; undefined when it gives none that can be read. */
export function adviceOf(sent: SentRequests, row: number, clock: Span): Advice | undefined {
  const rejected = sentRequestAt(sent, row);
  const retryAfter = rejected.retry_after === null ? undefined : parseRetryAfter(rejected.retry_after);
  const value = retryAfter ?? resetOf(rejected);
  if (value === undefined) return undefined;
  const given = { sentNs: rejected.sent_ns, answeredNs: rejected.answered_ns };
  const due = instantOf(value, given, clock);
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

/** The reset of whatever has run out; a policy under which something remains did not reject. */
function resetOf({ limit_headers }: SentRequest): ResetValue | undefined {
  return readLimitHeaders(limit_headers).find(
    ({ reset, remaining }) => reset !== undefined && (remaining ?? 0) <= 0,
  )?.reset;
}

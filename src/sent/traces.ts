import { clockOffsetFrom, type DateSample, type Span } from '../limits/span.ts';
import type { Trace } from '../limits/trace.ts';
import { roles } from '../vocabulary/roles.ts';
import { type Charging, chargeOf, type TraceOptions, traceOfRows } from './charged.ts';
import { rowsWhere, type SentRequests, wordAt } from './columns.ts';

/** A stray error or two is no limiter. */
const leastRefusals = 10;

/** The outcome of a request, as far as it shows how a service rejects. */
export interface Answered {
  readonly endpoint: string;
  readonly status: number | null | undefined;
}

/** The status of rejections if not the promised 429: the commonest error that only reads under load got. */
export function refusalStatusOf(requests: Iterable<Answered>): number {
  const counts = new Map<number, number>();
  for (const { endpoint, status } of requests) {
    if (status === 429) return 429;
    if (endpoint === 'list-shades' && mayRefuse(status)) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const [commonest] = [...counts].toSorted((a, b) => b[1] - a[1]);
  return commonest !== undefined && commonest[1] >= leastRefusals ? commonest[0] : 429;
}

function mayRefuse(status: Answered['status']): status is number {
  return typeof status === 'number' && status >= 400 && status !== 404 && status !== 401;
}

/** The status of rejections, by the requests with one of the run's keys. */
export function refusalStatusIn(sent: SentRequests): number {
  return refusalStatusOf(answeredWithKeys(sent));
}

function* answeredWithKeys(sent: SentRequests): Generator<Answered> {
  for (let row = 0; row < sent.length; row++) {
    const endpoint = wordAt(sent.endpoint, row);
    if (
      endpoint !== null &&
      endpoint !== 'interact' &&
      roles.some((role) => role === wordAt(sent.credential, row))
    )
      yield { endpoint, status: sent.status[row] };
  }
}

/** How many requests with one of the run's keys were rejected. */
export function rejectedIn(sent: SentRequests, refusalStatus: number): number {
  let rejected = 0;
  for (const { status } of answeredWithKeys(sent)) if (status === refusalStatus) rejected++;
  return rejected;
}

/** The traces that the limiter left, by what is known of its scope: one of each key, or one of all where they share it. */
export function tracesOf(sent: SentRequests, charging: Charging, options: TraceOptions): Trace[] {
  const charge = chargeOf(sent, charging);
  const isShared = charging.tried?.some(
    ({ probe, sharing }) => probe === 'scope:other-key' && sharing === 'shared',
  );
  const groups: readonly (readonly (string | null)[])[] = isShared ? [roles] : roles.map((role) => [role]);
  return groups.flatMap((group) => {
    const own = rowsWhere(sent, (row) => group.includes(wordAt(sent.chargedTo, row)));
    const trace = traceOfRows(sent, own, charge, options);
    return trace.length === 0 ? [] : [trace];
  });
}

/** What the target's clock showed at the run's zero, nanoseconds since 1970, by its `Date` headers. */
export function clockOffsetIn(sent: SentRequests): Span | undefined {
  return clockOffsetFrom(dates(sent));
}

function* dates({ answeredNs, length, sentNs, serverDateMs, status }: SentRequests): Generator<DateSample> {
  for (let row = 0; row < length; row++) {
    const dateEpochMs = serverDateMs[row] as number;
    if (status[row] === 0 || Number.isNaN(dateEpochMs)) continue;
    yield { sentNs: sentNs[row] as number, answeredNs: answeredNs[row] as number, dateEpochMs };
  }
}

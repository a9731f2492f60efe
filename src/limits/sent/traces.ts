import type { History } from '../../history/history.ts';
import type { ScopeProbe } from '../../vocabulary/probes.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import { bytes, valuesAt } from '../arrays.ts';
import { clockOffsetFrom, type DateSample, type Span } from '../span.ts';
import {
  admitted,
  ambiguous,
  limited,
  notRejected,
  outOfScope,
  type RequestOutcome,
  type Trace,
} from '../trace.ts';
import { isSuccess, isWord, type Rows, rowsWhere, type SentRequests, wordAt } from './columns.ts';

/** Whether the limit of a request's key has counted it. An answer to an `uncertain` one bounds nothing. */
export type Charge = 'certain' | 'uncertain' | 'not';

/** Whether something that was tried with the key at its limit shares that limit, as far as volleys tell. */
export type Sharing = 'shared' | 'separate' | 'unclear';

/** What is known, or assumed, of what a key's limit counts. */
export interface Charging {
  /** Whether interactions spend the limit of the key that opened their session. */
  readonly interactionsCount: boolean;
  /** What was tried at the limit; without it all endpoints are taken to spend one limit. */
  readonly tried?: readonly { readonly probe: ScopeProbe; readonly sharing: Sharing }[] | undefined;
  /** Keys of one account, assumed to share a limit; each of the others has its own. */
  readonly account?: readonly Role[] | undefined;
}

const charges: Readonly<Record<Sharing, Charge>> = {
  shared: 'certain',
  separate: 'not',
  unclear: 'uncertain',
};

/** Which requests a key's limit may have counted; the same for every check. */
export function chargeOf(
  { credential, endpoint, probe }: SentRequests,
  { interactionsCount, tried }: Charging,
): (row: number) => Charge {
  const found = (name: ScopeProbe): Charge =>
    charges[tried?.find((each) => each.probe === name)?.sharing ?? 'unclear'];
  const isUnclear = tried?.some(
    ({ probe: name, sharing }) => name === 'scope:interact' && sharing === 'unclear',
  );
  const ofEndpoint = endpoint.words.map((name): Charge => {
    if (name === 'interact' && !interactionsCount) return 'not';
    // Tried at the limit without a clear answer: their rejections may be those of another limit.
    if (name === 'interact') return isUnclear ? 'uncertain' : 'certain';
    return tried === undefined || name === 'list-shades' ? 'certain' : found(`scope:${name}` as ScopeProbe);
  });
  // From elsewhere, or said to be, or to another path: under a limit by address or by path these are counted for another.
  const ofProbe = probe.words.map((name): Charge => {
    const decided = elsewhere[name as ScopeProbe];
    return decided === undefined ? 'certain' : found(decided);
  });
  const isBad = isWord(credential, 'bad');
  const isNone = isWord(credential, 'none');
  return (row) => {
    const [one, other] = [ofEndpoint[endpoint.code[row] as number], ofProbe[probe.code[row] as number]];
    if (one === 'not' || other === 'not') return 'not';
    // Without a valid key it cannot be counted for one, at most by a limit that all share.
    return one === 'uncertain' || other === 'uncertain' || isBad(row) || isNone(row)
      ? 'uncertain'
      : 'certain';
  };
}

/** Probes that may be counted for another than their key, each with the one that tells. */
const elsewhere: Partial<Readonly<Record<ScopeProbe, ScopeProbe>>> = {
  'scope:other-address': 'scope:other-address',
  'scope:other-shard': 'scope:other-shard',
  'scope:other-shard-key': 'scope:other-shard',
  'scope:forwarded': 'scope:forwarded',
  'scope:spelled': 'scope:spelled',
  'scope:new-connection': 'scope:new-connection',
};

export interface TraceOptions {
  readonly windowNs: number;
  readonly refusalStatus: number;
  /** Rejections within this time of the first request say nothing: requests before the run may have filled the window. */
  readonly unknownNs: number;
  /** The rows that each counter has counted of those of one limit: a row stands there as often as it counts. */
  readonly counters?: (rows: Rows) => readonly Rows[];
}

/** How the traces of a run are made for its checks. */
export function traceOptions({ profile }: Pick<History, 'profile'>, refusalStatus: number): TraceOptions {
  const windowNs = profile.rate_limit.windowMs * 1e6;
  return { refusalStatus, windowNs, unknownNs: profile.exclusive_keys ? 0 : windowNs };
}

/** The trace that these requests left of a limit which rejects with `refusalStatus`. */
export function traceOfRows(
  sent: SentRequests,
  all: Rows,
  charge: (row: number) => Charge,
  { windowNs, refusalStatus, unknownNs }: TraceOptions,
): Trace {
  const rows = rowsWhere(sent, (row) => charge(row) !== 'not', all);
  const sentNs = valuesAt(sent.sentNs, rows);
  const answeredNs = valuesAt(sent.answeredNs, rows);
  const knownFromNs = (sentNs[0] ?? 0) + unknownNs;
  const outcome = bytes(rows.length, (i): RequestOutcome => {
    const row = rows[i] as number;
    if (charge(row) === 'uncertain') return outOfScope;
    if (sent.status[row] === refusalStatus) return (sentNs[i] as number) < knownFromNs ? ambiguous : limited;
    // Whether other statuses passed the limiter is not specified: a 401, a 404 or a 500 may come before it or after it.
    if (isSuccess(sent, row)) return admitted;
    return sent.status[row] === 0 ? ambiguous : notRejected;
  });
  // A request given up on may still reach the limiter later, say out of a stalled server's backlog.
  for (const [i, row] of rows.entries())
    if (sent.status[row] === 0) answeredNs[i] = (answeredNs[i] as number) + windowNs;
  return { length: rows.length, sentNs, answeredNs, outcome, seq: valuesAt(sent.seq, rows) };
}

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

/** Some keys share a limit, and each of the others has its own. */
export function together(some: readonly Role[]): readonly (readonly Role[])[] {
  const others = roles.filter((role) => !some.includes(role)).map((role) => [role]);
  return some.length === 0 ? others : [some, ...others];
}

/** The requests that are counted for some keys. */
export function ofKeys(sent: SentRequests, keys: readonly Role[], rows?: Rows): Rows {
  const areOf = keys.map((key) => isWord(sent.chargedTo, key));
  return rowsWhere(sent, (row) => areOf.some((isOf) => isOf(row)), rows);
}

/** The traces that the limiter left, by what is known of its scope: one of each key, or one of those that share it. */
export function tracesOf(sent: SentRequests, charging: Charging, options: TraceOptions): Trace[] {
  const charge = chargeOf(sent, charging);
  const isShared = charging.tried?.some(
    ({ probe, sharing }) => probe === 'scope:other-key' && sharing === 'shared',
  );
  return (isShared ? [roles] : together(charging.account ?? [])).flatMap((group) => {
    const own = ofKeys(sent, group);
    const counted = options.counters?.(rowsWhere(sent, (row) => charge(row) !== 'not', own)) ?? [own];
    const traces = counted.map((rows) => traceOfRows(sent, rows, charge, options));
    return traces.filter(({ length }) => length > 0);
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

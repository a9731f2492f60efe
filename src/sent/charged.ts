import type { History } from '../history/history.ts';
import { bytes, valuesAt } from '../limits/arrays.ts';
import {
  admitted,
  ambiguous,
  limited,
  notRejected,
  outOfScope,
  type RequestOutcome,
  type Trace,
} from '../limits/trace.ts';
import type { ScopeProbe } from '../vocabulary/probes.ts';
import { isSuccess, isWord, type Rows, rowsWhere, type SentRequests } from './columns.ts';

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

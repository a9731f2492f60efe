import { bytes, orderOf, sortedNearly, valuesAt } from '../../../limits/arrays.ts';
import type { PromisedLimit } from '../../../limits/kinds/kind.ts';
import {
  byLimit,
  isSuccess,
  isWord,
  type Rows,
  rowsWhere,
  type SentRequests,
} from '../../../sent/columns.ts';
import { readingsOf } from './dialects.ts';
import type { FittedLimiter } from './fitted.ts';
import type { DateClock } from './instant.ts';
import type { Dialect, LimitReading } from './reading.ts';

/** What the headers are held against. */
export interface HeaderContext {
  readonly promised: PromisedLimit;
  readonly clock: DateClock;
  /** No one can have used the keys before the run. */
  readonly isFresh: boolean;
  /** How often a request may be counted. */
  readonly mostCounted: number;
  /** How long after its sending a request without an answer may still be counted. */
  readonly lostForNs: number;
  /** The profile promises that no `Retry-After` is longer than needed. */
  readonly isShortestWait: boolean;
}

/** Requests that may share one limit. */
export interface HeaderStream {
  readonly sent: SentRequests;
  readonly rows: Rows;
  /** Whatever may spend that limit as well: others' requests, unless each key has a promised limit. */
  readonly competing: Rows;
  /** When those were. */
  readonly possible: AscendingInstants;
  /** Those of one key surely do share one: some limiter of them all, and of exactly the promised limit, explains every answer. */
  readonly isOneLimit: boolean;
  /** The answers leave no other limiter than one of fixed windows, which knows at any time when the next begins. */
  readonly isFixedWindow: boolean;
  /** Where what the answers leave possible is known closely enough to say in which state it was. */
  readonly fitted: FittedLimiter | undefined;
}

/** A policy of a dialect; the same object wherever the same is spoken of. */
type Policy = Pick<LimitReading, 'dialect' | 'policy'>;

/** What one value of the headers says about one policy. */
export interface Saying {
  readonly of: Policy;
  readonly said: LimitReading;
  /** All that the value says in the same dialect. */
  readonly inDialect: readonly LimitReading[];
  /** The least that remains by any policy of the same dialect. */
  readonly leastRemaining: number | undefined;
}

/** Answers with what they say about one policy, in order of sending and by columns. */
export interface Told {
  readonly length: number;
  readonly rows: Rows;
  readonly seq: Float64Array;
  readonly sentNs: Float64Array;
  readonly answeredNs: Float64Array;
  /** 1 for a rejected request, 0 for an admitted one. */
  readonly limited: Uint8Array;
  readonly sayings: readonly Saying[];
  /** The largest of what is said; 0 where nothing is. */
  readonly most: Readonly<Record<'limit' | 'remaining', number>>;
  /** Indexes, in order of answers. */
  readonly byAnswer: Int32Array;
}

export function saidOf({ sayings }: Told, index: number): LimitReading {
  return (sayings[index] as Saying).said;
}

/** Instants, each list ascending. */
interface AscendingInstants {
  readonly sentNs: Float64Array;
  readonly answeredNs: Float64Array;
}

/** What one dialect says of one policy to one key on one endpoint: whose limit it is, is not shown, but that is no more than one. */
export interface Series {
  readonly dialect: Dialect;
  readonly policy: string;
  readonly told: Told;
  /** Refused requests of this key on this endpoint. */
  readonly rejected: Rows;
  readonly sent: SentRequests;
  /** What surely spent the limit. */
  readonly spent: AscendingInstants;
  /** Everything that can have spent it. */
  readonly possible: AscendingInstants;
  readonly isFixedWindow: boolean;
  readonly fitted: FittedLimiter | undefined;
}

/** A target that counts in the background may show what was true so long ago. */
export function lagNs({ promised }: HeaderContext): number {
  return Math.min(1e9, promised.windowNs / 60);
}

/** Probes that may count elsewhere than other requests of the key. */
const elsewhere: ReadonlySet<string | null> = new Set([
  'scope:other-address',
  'scope:forwarded',
  'scope:spelled',
  'scope:new-connection',
]);

/** Sorts what the answers of a stream say. Interactions of shoppers may not count and still carry headers: they are left out. */
export function seriesOf(
  { sent, rows, possible, isOneLimit, isFixedWindow, fitted }: HeaderStream,
  sayings: Sayings,
): Series[] {
  const isInteraction = isWord(sent.endpoint, 'interact');
  const mayCountElsewhere = sent.probe.words.map((probe) => elsewhere.has(probe));
  const counted = rowsWhere(
    sent,
    (row) => !isInteraction(row) && !mayCountElsewhere[sent.probe.code[row] as number],
    rows,
  );
  const isAdmitted = (row: number): boolean => isSuccess(sent, row);
  const { status } = sent;
  return [...byLimit(sent, counted).values()].flatMap((own) => {
    const key = sent.chargedTo.code[own[0] as number];
    // A 2xx or a 429 comes from the limiter, or from behind it; any other answer may come from before it.
    const answers = rowsWhere(
      sent,
      (row) => sent.limitHeaders.code[row] !== 0 && (status[row] === 429 || isAdmitted(row)),
      own,
    );
    const policies = heardOf(sent, answers, sayings);
    if (policies.length === 0) return [];
    const sharing = isOneLimit ? rowsWhere(sent, (row) => sent.chargedTo.code[row] === key, counted) : own;
    const spent = instants(sent, rowsWhere(sent, isAdmitted, sharing));
    const rejected = rowsWhere(sent, (row) => status[row] === 429, own);
    return policies.map((heard) => {
      const { dialect, policy } = heard.of;
      const told = toldOf(sent, heard);
      return { dialect, policy, told, rejected, sent, spent, possible, isFixedWindow, fitted };
    });
  });
}

/** What each value of the headers says, by its code: of each policy once. */
type Sayings = readonly (readonly Saying[])[];

/** Reads each value of the headers once: where few are different, most answers say what another said. */
export function sayingsOf({ limitHeaders }: SentRequests): Sayings {
  const policies = new Map<string, Policy>();
  return readingsOf(limitHeaders).map((readings) => {
    const isOneDialect = readings.every(({ dialect }) => dialect === readings[0]?.dialect);
    return readings.map((said) => {
      const key = `${said.dialect} ${said.policy}`;
      const of = policies.get(key) ?? said;
      policies.set(key, of);
      const inDialect = isOneDialect ? readings : readings.filter(({ dialect }) => dialect === said.dialect);
      const left = inDialect.flatMap(({ remaining }) => remaining ?? []);
      return { of, said, inDialect, leastRemaining: left.length === 0 ? undefined : Math.min(...left) };
    });
  });
}

/** What some rows say of one policy, row by row. */
interface Heard {
  readonly of: Policy;
  readonly rows: number[];
  readonly sayings: Saying[];
}

/** What some rows say, by the policy that they say it of, in the order in which they first speak of it. */
function heardOf({ limitHeaders: { code } }: SentRequests, rows: Rows, sayings: Sayings): Heard[] {
  const policies = new Map<Policy, Heard>();
  for (const row of rows)
    for (const saying of sayings[code[row] as number] as readonly Saying[]) {
      const { of } = saying;
      const heard = policies.get(of) ?? { of, rows: [], sayings: [] };
      if (heard.rows.push(row) === 1) policies.set(of, heard);
      heard.sayings.push(saying);
    }
  return [...policies.values()];
}

function toldOf(sent: SentRequests, { rows: heard, sayings }: Heard): Told {
  const rows = Int32Array.from(heard);
  const answeredNs = valuesAt(sent.answeredNs, rows);
  return {
    length: rows.length,
    rows,
    seq: valuesAt(sent.seq, rows),
    sentNs: valuesAt(sent.sentNs, rows),
    answeredNs,
    limited: bytes(rows.length, (i) => (sent.status[rows[i] as number] === 429 ? 1 : 0)),
    sayings,
    most: { limit: mostSaid(sayings, 'limit'), remaining: mostSaid(sayings, 'remaining') },
    byAnswer: orderOf(answeredNs),
  };
}

function mostSaid(sayings: readonly Saying[], field: 'limit' | 'remaining'): number {
  let most = 0;
  for (const { said } of sayings) most = Math.max(most, said[field] ?? 0);
  return most;
}

/** The `seq`s of the answers for which `holds`. */
export function seqsTold({ length, seq }: Told, holds: (index: number) => boolean): number[] {
  const found: number[] = [];
  for (let i = 0; i < length; i++) if (holds(i)) found.push(seq[i] as number);
  return found;
}

/** When some requests were sent and answered. */
export function instants(sent: SentRequests, rows: Rows): AscendingInstants {
  return { sentNs: valuesAt(sent.sentNs, rows), answeredNs: sortedNearly(valuesAt(sent.answeredNs, rows)) };
}

/** The limit that a series speaks of: what it says itself, else the promised one. */
export function limitOf({ told }: Series, { promised }: HeaderContext): number {
  return told.most.limit || promised.requests;
}

/** The window that a series speaks of; undefined when it says nothing of it and speaks of another limit than the promised. */
export function windowNsOf(series: Series, context: HeaderContext): number | undefined {
  const said = series.told.sayings.find(({ said: { windowMs } }) => windowMs !== undefined)?.said.windowMs;
  if (said !== undefined) return said * 1e6;
  return limitOf(series, context) === context.promised.requests ? context.promised.windowNs : undefined;
}

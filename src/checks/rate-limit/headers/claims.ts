import { type Dialect, type LimitReading, readLimitHeaders } from '../../../history/limit-headers.ts';
import { readWait } from '../../../history/wait-times.ts';
import { bytes, floats, orderOf, sortedNearly, valuesAt } from '../../../limits/arrays.ts';
import {
  byLimit,
  isSuccess,
  isWord,
  type Rows,
  rowsWhere,
  type SentRequests,
  type WordColumn,
} from '../../../limits/sent/columns.ts';
import type { GivenInstant, WaitContext } from './instants.ts';
import type { KnownState } from './limiter.ts';

/** What the headers are held against. */
export interface HeaderContext extends WaitContext {
  /** How often a request may be counted. */
  readonly mostCounted: number;
  /** How long after its sending a request without an answer may still be counted. */
  readonly lostForNs: number;
}

/** A target that counts in the background may show what was true so long ago. */
export function lagNs({ promised }: HeaderContext): number {
  return Math.min(1e9, promised.windowNs / 60);
}

/** Requests that may spend a limit, with instants in ascending lists. */
interface Competing {
  readonly rows: Rows;
  readonly sentNs: Float64Array;
  readonly answeredNs: Float64Array;
  /** Of each row: until when it, or one before it, may still have been counted. */
  readonly busyUntilNs: Float64Array;
}

export function competingOf(sent: SentRequests, rows: Rows, { lostForNs }: HeaderContext): Competing {
  let latestNs = Number.NEGATIVE_INFINITY;
  return {
    rows,
    sentNs: valuesAt(sent.sentNs, rows),
    answeredNs: sortedNearly(valuesAt(sent.answeredNs, rows)),
    busyUntilNs: floats(rows.length, (i) => {
      const row = rows[i] as number;
      const isLost = sent.status[row] === 0;
      const endNs = isLost ? (sent.sentNs[row] as number) + lostForNs : (sent.answeredNs[row] as number);
      latestNs = Math.max(latestNs, endNs);
      return latestNs;
    }),
  };
}

/** Requests that may share one limit. */
export interface HeaderStream {
  readonly sent: SentRequests;
  readonly rows: Rows;
  /** Whatever may spend that limit as well: others' requests, unless each key has a promised limit. */
  readonly competing: Competing;
  /** Those of one key surely do share one: some limiter of them all, and of exactly the promised limit, explains every answer. */
  readonly isOneLimit: boolean;
  /** The answers leave no other limiter than one of fixed windows, which knows at any time when the next begins. */
  readonly isFixedWindow: boolean;
  /** Where what the answers leave possible is known closely enough to say in which state it was. */
  readonly known: KnownState | undefined;
}

const readingsOfColumns = new WeakMap<WordColumn, readonly (readonly LimitReading[])[]>();

/** What each value of the column `limit_headers` says, by its code; the same values are read once for all checks. */
export function readingsOf(column: WordColumn): readonly (readonly LimitReading[])[] {
  const readings = readingsOfColumns.get(column) ?? column.words.map(readLimitHeaders);
  readingsOfColumns.set(column, readings);
  return readings;
}

/** What an answer says about one policy. `text` and `form`: of a Retry-After. */
interface PolicyStatement extends Omit<LimitReading, 'dialect'>, Pick<GivenInstant, 'text' | 'form'> {
  /** `advice`: when to come back, which only a rejection says, by `Retry-After` or else by a reset. */
  readonly dialect: Dialect | 'advice';
  /** All that the answer says in the same dialect. */
  readonly inDialect: readonly LimitReading[];
  /** The least that remains by any policy of the same dialect. */
  readonly leastRemaining: number | undefined;
}

/** What each row says: where few are different, most answers say what another said. */
export function statementsOf(sent: SentRequests): (row: number) => readonly PolicyStatement[] {
  const { limitHeaders, retryAfter, status } = sent;
  const stated = readingsOf(limitHeaders).map((readings) => {
    const byDialect = Map.groupBy(readings, ({ dialect }) => dialect);
    return readings.map((reading): PolicyStatement => {
      const inDialect = byDialect.get(reading.dialect) ?? [];
      const left = inDialect.flatMap(({ remaining }) => remaining ?? []);
      return { ...reading, inDialect, leastRemaining: left.length === 0 ? undefined : Math.min(...left) };
    });
  });
  const waits = retryAfter.words.map((text) => (text === null ? undefined : { text, ...readWait(text) }));
  const ofRejections = new Map<number, readonly PolicyStatement[]>();
  return (row) => {
    const [code, waitCode] = [limitHeaders.code[row] as number, retryAfter.code[row] as number];
    const said = stated[code] ?? [];
    if (status[row] !== 429) return said;
    const place = code * waits.length + waitCode;
    const known = ofRejections.get(place);
    if (known !== undefined) return known;
    const wait = waits[waitCode];
    const written = wait?.value === undefined ? undefined : { text: wait.text, form: wait.form };
    // The reset of whatever has run out: a policy under which something remains did not reject.
    const runOut = said.find((each) => each.reset !== undefined && (each.remaining ?? 0) <= 0);
    const reset = wait?.value ?? runOut?.reset;
    const advice = { dialect: 'advice', policy: '', inDialect: [], leastRemaining: undefined } as const;
    const all = reset === undefined ? said : [...said, { ...advice, reset, ...written }];
    ofRejections.set(place, all);
    return all;
  };
}

/**
 * What the answers to one key on one endpoint claim of one policy, in order of sending and by columns: whose limit it is, is not
 * shown, but that is no more than one.
 */
export interface Claims extends HeaderStream {
  readonly dialect: PolicyStatement['dialect'];
  readonly policy: string;
  readonly length: number;
  readonly seq: Float64Array;
  readonly sentNs: Float64Array;
  readonly answeredNs: Float64Array;
  /** 1 for a rejected request, 0 for an admitted one. */
  readonly limited: Uint8Array;
  readonly statements: readonly PolicyStatement[];
  /** The claimed numbers, not below 0; NaN where none is. */
  readonly remaining: Float64Array;
  /** Indexes, in order of answers. */
  readonly byAnswer: Int32Array;
  /** The limit that is spoken of: what is claimed, else the promised one. */
  readonly limit: number;
  /** Its window; undefined where nothing is said of it and the limit is not the promised one. */
  readonly windowNs: number | undefined;
  /** All requests of this key to this endpoint. */
  readonly own: Rows;
  /** What surely spent the limit. */
  readonly spending: Rows;
}

/** Probes that may count elsewhere than other requests of the key. */
const elsewhere: ReadonlySet<string | null> = new Set([
  'scope:other-address',
  'scope:forwarded',
  'scope:spelled',
  'scope:new-connection',
]);

/** What the answers of a stream claim. Interactions of shoppers may not count and still carry headers: they are left out. */
export function claimsIn(
  stream: HeaderStream,
  statements: ReturnType<typeof statementsOf>,
  { promised }: HeaderContext,
): Claims[] {
  const { sent, rows, isOneLimit } = stream;
  const { chargedTo, probe, status } = sent;
  const isInteraction = isWord(sent.endpoint, 'interact');
  const mayCountElsewhere = probe.words.map((word) => elsewhere.has(word));
  const counted = rowsWhere(
    sent,
    (row) => !isInteraction(row) && !mayCountElsewhere[probe.code[row] as number],
    rows,
  );
  return [...byLimit(sent, counted).values()].flatMap((own) => {
    const policies = new Map<string, { readonly said: PolicyStatement[]; readonly at: number[] }>();
    // A 2xx or a 429 comes from the limiter, or from behind it; any other answer may come from before it.
    for (const row of own) {
      if (status[row] !== 429 && !isSuccess(sent, row)) continue;
      for (const statement of statements(row)) {
        const name = `${statement.dialect} ${statement.policy}`;
        const sofar = policies.get(name) ?? { said: [], at: [] };
        if (sofar.at.push(row) === 1) policies.set(name, sofar);
        sofar.said.push(statement);
      }
    }
    if (policies.size === 0) return [];
    const key = chargedTo.code[own[0] as number];
    const sharing = isOneLimit ? rowsWhere(sent, (row) => chargedTo.code[row] === key, counted) : own;
    const spending = rowsWhere(sent, (row) => isSuccess(sent, row), sharing);
    return [...policies.values()].map(({ at, said }): Claims => {
      const { dialect, policy } = said[0] as PolicyStatement;
      const claimed = Int32Array.from(at);
      const answeredNs = valuesAt(sent.answeredNs, claimed);
      const limit = said.reduce((most, each) => Math.max(most, each.limit ?? 0), 0) || promised.requests;
      const windowMs = said.find((each) => each.windowMs !== undefined)?.windowMs;
      const unsaidNs = limit === promised.requests ? promised.windowNs : undefined;
      return {
        ...{ ...stream, own, spending, dialect, policy, limit, answeredNs },
        ...{ statements: said, rows: claimed, length: at.length },
        seq: valuesAt(sent.seq, claimed),
        sentNs: valuesAt(sent.sentNs, claimed),
        limited: bytes(at.length, (i) => (status[at[i] as number] === 429 ? 1 : 0)),
        remaining: floats(at.length, (i) => Math.max(0, said[i]?.remaining ?? Number.NaN)),
        byAnswer: orderOf(answeredNs),
        windowNs: windowMs === undefined ? unsaidNs : windowMs * 1e6,
      };
    });
  });
}

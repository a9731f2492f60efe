import { bytes, floats, orderOf, sortedNearly, valuesAt } from '../../../limits/arrays.ts';
import {
  byLimit,
  isSuccess,
  isWord,
  type Rows,
  rowsWhere,
  type SentRequests,
} from '../../../limits/sent/columns.ts';
import { type Dialect, type LimitReading, readingsOf } from './dialects.ts';
import type { KnownState } from './limiter.ts';
import type { WaitContext } from './readings.ts';

/** What the headers are held against. */
export interface HeaderContext extends WaitContext {
  /** No one can have used the keys before the run. */
  readonly isFresh: boolean;
  /** How often a request may be counted. */
  readonly mostCounted: number;
  /** How long after its sending a request without an answer may still be counted. */
  readonly lostForNs: number;
}

/** A target that counts in the background may show what was true so long ago. */
export function lagNs({ promised }: HeaderContext): number {
  return Math.min(1e9, promised.windowNs / 60);
}

/** Instants, each list ascending. */
interface AscendingInstants {
  readonly sentNs: Float64Array;
  readonly answeredNs: Float64Array;
}

/** When some requests were sent and answered. */
export function instants(sent: SentRequests, rows: Rows): AscendingInstants {
  return { sentNs: valuesAt(sent.sentNs, rows), answeredNs: sortedNearly(valuesAt(sent.answeredNs, rows)) };
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
  readonly known: KnownState | undefined;
}

/** What one value of the headers says about one policy. */
interface PolicyStatement {
  /** Its dialect and policy. */
  readonly of: string;
  readonly reading: LimitReading;
  /** All that the value says in the same dialect. */
  readonly inDialect: readonly LimitReading[];
  /** The least that remains by any policy of the same dialect. */
  readonly leastRemaining: number | undefined;
}

/**
 * What the answers to one key on one endpoint claim of one policy, in order of sending and by columns: whose limit it is, is not
 * shown, but that is no more than one.
 */
export interface Claims extends HeaderStream {
  readonly dialect: Dialect;
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
  /** Rejected requests of this key on this endpoint. */
  readonly rejected: Rows;
  /** What surely spent the limit. */
  readonly spending: Rows;
}

export function readingAt({ statements }: Pick<Claims, 'statements'>, index: number): LimitReading {
  return (statements[index] as PolicyStatement).reading;
}

/** What each value of the headers says, by its code: of each policy once. */
type PolicyStatements = readonly (readonly PolicyStatement[])[];

/** Reads each value of the headers once: where few are different, most answers say what another said. */
export function statementsOf({ limitHeaders }: SentRequests): PolicyStatements {
  return readingsOf(limitHeaders).map((readings) => {
    const byDialect = Map.groupBy(readings, ({ dialect }) => dialect);
    return readings.map((reading) => {
      const { dialect, policy } = reading;
      const inDialect = byDialect.get(dialect) ?? [];
      const left = inDialect.flatMap(({ remaining }) => remaining ?? []);
      const leastRemaining = left.length === 0 ? undefined : Math.min(...left);
      return { of: `${dialect} ${policy}`, reading, inDialect, leastRemaining };
    });
  });
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
  statements: PolicyStatements,
  { promised }: HeaderContext,
): Claims[] {
  const { sent, rows, isOneLimit } = stream;
  const { limitHeaders, status } = sent;
  const isInteraction = isWord(sent.endpoint, 'interact');
  const mayCountElsewhere = sent.probe.words.map((probe) => elsewhere.has(probe));
  const counted = rowsWhere(
    sent,
    (row) => !isInteraction(row) && !mayCountElsewhere[sent.probe.code[row] as number],
    rows,
  );
  return [...byLimit(sent, counted).values()].flatMap((own) => {
    const policies = new Map<string, { readonly said: PolicyStatement[]; readonly at: number[] }>();
    // A 2xx or a 429 comes from the limiter, or from behind it; any other answer may come from before it.
    for (const row of own)
      for (const statement of status[row] === 429 || isSuccess(sent, row)
        ? (statements[limitHeaders.code[row] as number] ?? [])
        : []) {
        const sofar = policies.get(statement.of) ?? { said: [], at: [] };
        if (sofar.at.push(row) === 1) policies.set(statement.of, sofar);
        sofar.said.push(statement);
      }
    if (policies.size === 0) return [];
    const key = sent.chargedTo.code[own[0] as number];
    const sharing = isOneLimit ? rowsWhere(sent, (row) => sent.chargedTo.code[row] === key, counted) : own;
    const spending = rowsWhere(sent, (row) => isSuccess(sent, row), sharing);
    const beside = {
      ...stream,
      rejected: rowsWhere(sent, (row) => status[row] === 429, own),
      spending,
    };
    return [...policies.values()].map(({ at, said }): Claims => {
      const { dialect, policy } = (said[0] as PolicyStatement).reading;
      const claimed = Int32Array.from(at);
      const answeredNs = valuesAt(sent.answeredNs, claimed);
      const most = said.reduce((sofar, { reading }) => Math.max(sofar, reading.limit ?? 0), 0);
      const limit = most || promised.requests;
      const windowMs = said.find(({ reading }) => reading.windowMs !== undefined)?.reading.windowMs;
      return {
        ...beside,
        ...{ dialect, policy, limit, answeredNs, statements: said, rows: claimed, length: at.length },
        seq: valuesAt(sent.seq, claimed),
        sentNs: valuesAt(sent.sentNs, claimed),
        limited: bytes(at.length, (i) => (status[at[i] as number] === 429 ? 1 : 0)),
        remaining: floats(at.length, (i) => Math.max(0, said[i]?.reading.remaining ?? Number.NaN)),
        byAnswer: orderOf(answeredNs),
        windowNs:
          windowMs !== undefined
            ? windowMs * 1e6
            : limit === promised.requests
              ? promised.windowNs
              : undefined,
      };
    });
  });
}

import { valuesAt } from '../arrays.ts';

/** A column of words, few of them different: the row's word is `words[code[row]]`. `words[0]` stands for none. */
export interface WordColumn {
  readonly words: readonly (string | null)[];
  readonly code: Uint32Array;
}

/**
 * The requests that went out, in order of sending (then of `seq`), by columns: a million of them as objects would take a
 * gigabyte. Instants in nanoseconds since the run's zero.
 */
export interface SentRequests {
  readonly length: number;
  readonly seq: Float64Array;
  readonly sentNs: Float64Array;
  /** Of one without an answer, when it was sent. */
  readonly answeredNs: Float64Array;
  /** 0 where there was no answer. */
  readonly status: Uint16Array;
  /** NaN where none was said. */
  readonly serverDateMs: Float64Array;
  readonly credential: WordColumn;
  /** The role that the request is charged to: that of its key, or of the key that opened its session. */
  readonly chargedTo: WordColumn;
  readonly endpoint: WordColumn;
  /** The catalog that is asked for by a list. */
  readonly catalog: WordColumn;
  readonly probe: WordColumn;
  readonly retryAfter: WordColumn;
  readonly limitHeaders: WordColumn;
}

/** Some rows of `SentRequests`, ascending. */
export type Rows = Int32Array;

/** A request that went out, to be put into columns. */
export interface SentRecord {
  readonly seq: number;
  readonly credential: string;
  readonly chargedTo: string | null;
  readonly endpoint: string;
  readonly catalog?: string | null;
  readonly probe: string | null;
  readonly sentNs: number;
  readonly answeredNs: number;
  readonly status: number | null;
  readonly serverDateMs: number | null;
  readonly retryAfter?: string | null;
  readonly limitHeaders?: string | null;
}

/** Requests by columns, put in order of sending. */
export function columnsOf(records: readonly SentRecord[]): SentRequests {
  const inOrder = records.toSorted((a, b) => a.sentNs - b.sentNs || a.seq - b.seq);
  const numbers = (of: (each: SentRecord) => number): Float64Array => Float64Array.from(inOrder, of);
  const words = (of: (each: SentRecord) => string | null | undefined): WordColumn => {
    const codes = new Map<string | null, number>([[null, 0]]);
    const codeOf = (word: string | null): number => {
      const code = codes.get(word) ?? codes.size;
      codes.set(word, code);
      return code;
    };
    const code = Uint32Array.from(inOrder, (each) => codeOf(of(each) ?? null));
    return { words: [...codes.keys()], code };
  };
  return {
    length: inOrder.length,
    seq: numbers(({ seq }) => seq),
    sentNs: numbers(({ sentNs }) => sentNs),
    answeredNs: numbers(({ answeredNs }) => answeredNs),
    status: Uint16Array.from(inOrder, ({ status }) => status ?? 0),
    serverDateMs: numbers(({ serverDateMs }) => serverDateMs ?? Number.NaN),
    credential: words(({ credential }) => credential),
    chargedTo: words(({ chargedTo }) => chargedTo),
    endpoint: words(({ endpoint }) => endpoint),
    catalog: words(({ catalog }) => catalog),
    probe: words(({ probe }) => probe),
    retryAfter: words(({ retryAfter }) => retryAfter),
    limitHeaders: words(({ limitHeaders }) => limitHeaders),
  };
}

/** The rows, of all or of some, for which `holds`. */
export function rowsWhere(sent: SentRequests, holds: (row: number) => boolean, among?: Rows): Rows {
  const { length } = among ?? sent;
  const found = new Int32Array(length);
  let count = 0;
  for (let i = 0; i < length; i++) {
    const row = among === undefined ? i : (among[i] as number);
    if (holds(row)) found[count++] = row;
  }
  return found.slice(0, count);
}

/** The same requests but for those for which `holds`. */
export function without(sent: SentRequests, holds: (row: number) => boolean): SentRequests {
  const rows = rowsWhere(sent, (row) => !holds(row));
  const words = ({ code, words: all }: WordColumn): WordColumn => ({
    words: all,
    code: Uint32Array.from(rows, (row) => code[row] as number),
  });
  return {
    length: rows.length,
    seq: valuesAt(sent.seq, rows),
    sentNs: valuesAt(sent.sentNs, rows),
    answeredNs: valuesAt(sent.answeredNs, rows),
    status: Uint16Array.from(rows, (row) => sent.status[row] as number),
    serverDateMs: valuesAt(sent.serverDateMs, rows),
    credential: words(sent.credential),
    chargedTo: words(sent.chargedTo),
    endpoint: words(sent.endpoint),
    catalog: words(sent.catalog),
    probe: words(sent.probe),
    retryAfter: words(sent.retryAfter),
    limitHeaders: words(sent.limitHeaders),
  };
}

/** `seq`s of some rows. */
export function seqsOf({ seq }: SentRequests, rows: Rows): number[] {
  return Array.from(valuesAt(seq, rows));
}

/** Whether a row has this word; finds the word once. */
export function isWord({ words, code }: WordColumn, word: string): (row: number) => boolean {
  const sought = words.indexOf(word);
  return (row) => code[row] === sought;
}

/** Whether the row was answered with a 2xx. */
export function isSuccess({ status }: SentRequests, row: number): boolean {
  const answered = status[row] as number;
  return answered >= 200 && answered < 300;
}

/** The row's word. */
export function wordAt({ words, code }: WordColumn, row: number): string | null {
  return words[code[row] as number] ?? null;
}

/** What a row tells of its key and endpoint: whose limit it is, is not shown, but rows that differ here may have two. */
export function limitOfRow({ chargedTo, endpoint }: SentRequests, row: number): number {
  return (chargedTo.code[row] as number) * endpoint.words.length + (endpoint.code[row] as number);
}

/** Some rows by key and endpoint, in the order in which they first come. */
export function byLimit(sent: SentRequests, rows: Rows): ReadonlyMap<number, Rows> {
  const counts = new Map<number, number>();
  for (const row of rows) {
    const limit = limitOfRow(sent, row);
    counts.set(limit, (counts.get(limit) ?? 0) + 1);
  }
  return new Map(
    [...counts.keys()].map((limit) => [
      limit,
      counts.size === 1 ? rows : rowsWhere(sent, (row) => limitOfRow(sent, row) === limit, rows),
    ]),
  );
}

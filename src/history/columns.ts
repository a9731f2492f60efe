import type { InteractionRecord, RequestRecord } from './record.ts';
import { ownText } from './tables.ts';

/** A column of a history table: its name in the file, its DuckDB type, and the field that its value comes from. */
interface Column<R> {
  readonly name: string;
  readonly type: string;
  readonly key: keyof R & string;
}

export const requestColumns: readonly Column<RequestRecord>[] = [
  { name: 'seq', type: 'BIGINT', key: 'seq' },
  { name: 'stage', type: 'VARCHAR', key: 'stage' },
  { name: 'phase', type: 'VARCHAR', key: 'phase' },
  { name: 'planned', type: 'BIGINT', key: 'planned' },
  { name: 'credential', type: 'VARCHAR', key: 'credential' },
  { name: 'endpoint', type: 'VARCHAR', key: 'endpoint' },
  { name: 'probe', type: 'VARCHAR', key: 'probe' },
  { name: 'shopper', type: 'BIGINT', key: 'shopper' },
  { name: 'intended_ns', type: 'BIGINT', key: 'intendedNs' },
  { name: 'ready_ns', type: 'BIGINT', key: 'readyNs' },
  { name: 'sent_ns', type: 'BIGINT', key: 'sentNs' },
  { name: 'answered_ns', type: 'BIGINT', key: 'answeredNs' },
  { name: 'status', type: 'SMALLINT', key: 'status' },
  { name: 'not_sent', type: 'VARCHAR', key: 'notSent' },
  { name: 'lost', type: 'VARCHAR', key: 'lost' },
  { name: 'session_id', type: 'VARCHAR', key: 'sessionId' },
  { name: 'product_id', type: 'VARCHAR', key: 'productId' },
  { name: 'catalog_id', type: 'VARCHAR', key: 'catalogId' },
  { name: 'locale', type: 'VARCHAR', key: 'locale' },
  { name: 'items', type: 'INTEGER', key: 'items' },
  { name: 'count', type: 'BIGINT', key: 'count' },
  { name: 'expires_at', type: 'VARCHAR', key: 'expiresAt' },
  { name: 'bytes', type: 'BIGINT', key: 'bytes' },
  { name: 'server_date_ms', type: 'BIGINT', key: 'serverDateMs' },
  { name: 'retry_after', type: 'VARCHAR', key: 'retryAfter' },
  { name: 'limit_headers', type: 'VARCHAR', key: 'limitHeaders' },
  { name: 'problem', type: 'VARCHAR', key: 'problem' },
  { name: 'first_sent_ns', type: 'BIGINT', key: 'firstSentNs' },
  { name: 'wire_status', type: 'SMALLINT', key: 'wireStatus' },
  { name: 'described_headers', type: 'VARCHAR', key: 'describedHeaders' },
  { name: 'server_timing', type: 'VARCHAR', key: 'serverTiming' },
  { name: 'local_port', type: 'INTEGER', key: 'localPort' },
  { name: 'remote_address', type: 'VARCHAR', key: 'remoteAddress' },
  { name: 'resolve_ns', type: 'BIGINT', key: 'resolveNs' },
  { name: 'connect_ns', type: 'BIGINT', key: 'connectNs' },
  { name: 'handshake_ns', type: 'BIGINT', key: 'handshakeNs' },
  { name: 'opening_ns', type: 'BIGINT', key: 'openingNs' },
  { name: 'repeats', type: 'BIGINT', key: 'repeats' },
];

export const writeRequest = rowWriter(requestColumns.map(({ key }) => key));

export const interactionColumns: readonly Column<InteractionRecord>[] = [
  { name: 'seq', type: 'BIGINT', key: 'seq' },
  { name: 'session_id', type: 'VARCHAR', key: 'sessionId' },
  { name: 'id', type: 'VARCHAR', key: 'id' },
  { name: 'type', type: 'VARCHAR', key: 'type' },
  { name: 'sku', type: 'VARCHAR', key: 'sku' },
  { name: 'at', type: 'VARCHAR', key: 'at' },
];

export const writeInteraction = rowWriter(interactionColumns.map(({ key }) => key));

/** The first line of a CSV file. */
export function headerLine<R>(columns: readonly Column<R>[]): string {
  return `${columns.map((column) => column.name).join(',')}\n`;
}

/** The DuckDB struct that `read_csv` takes as `columns`. */
export function duckdbColumns<R>(columns: readonly Column<R>[]): string {
  return `{${columns.map((column) => `${ownText(column.name)}: ${ownText(column.type)}`).join(', ')}}`;
}

const firstBytes = 64 * 1024;
const COMMA = 0x2c;
const LF = 0x0a;
const zero = 0x30;

/** Foreign headers may be of any length; readers of CSV have a limit to a line. */
const longestField = 16_384;

/** Bytes of a character in UTF-8, and of a quote or the ellipsis. */
const bytesPerCharacter = 3;

/**
 * Text on its way to a file, as UTF-8. Grows to what comes between two writes and is then used again, so that a record
 * costs its bytes and no objects.
 */
export class TextBuffer {
  #bytes = Buffer.allocUnsafe(firstBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What is in it, until the next change. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  text(text: string): void {
    this.#room(text.length * bytesPerCharacter);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** An empty field's. */
  comma(): void {
    this.#room(1);
    this.#bytes[this.#length++] = COMMA;
  }

  /** In place of the last comma. */
  endRow(): void {
    this.#bytes[this.#length - 1] = LF;
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const wider = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + bytes));
    this.#bytes.copy(wider, 0, 0, this.#length);
    this.#bytes = wider;
  }

  /** A number and a comma. */
  number(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) {
      this.text(`${value},`);
      return;
    }
    this.#room(mostDigits + 1);
    // In two halves of at most nine digits, which are small integers to the engine.
    const high = Math.floor(value / 1e9);
    if (high > 0) this.#digits(high, digitsOf(high));
    const low = value - high * 1e9;
    this.#digits(low, high > 0 ? 9 : digitsOf(low));
    this.#bytes[this.#length++] = COMMA;
  }

  /** Writes the last digits of a whole number below 1e9. */
  #digits(value: number, digits: number): void {
    const bytes = this.#bytes;
    const start = this.#length;
    let at = start + digits;
    this.#length = at;
    let left = value;
    while (at - start >= 2) {
      const rest = (left / 100) | 0;
      const pair = left - 100 * rest;
      left = rest;
      bytes[--at] = ones[pair] ?? 0;
      bytes[--at] = tens[pair] ?? 0;
    }
    if (at > start) bytes[start] = zero + left;
  }

  /** A text, in quotes if it needs them, and a comma. */
  field(text: string): void {
    const { length } = text;
    if (length > longestField) {
      this.text(`${csvField(text)},`);
      return;
    }
    this.#room(length + 1);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let n = 0; n < length; n++) {
      const code = text.charCodeAt(n);
      if (isPlain[code] !== 1) {
        this.text(`${csvField(text)},`);
        return;
      }
      bytes[at++] = code;
    }
    bytes[at++] = COMMA;
    this.#length = at;
  }
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let power = 10; value >= power; power *= 10) digits++;
  return digits;
}

/** The digits of 0 to 99. */
const tens = Uint8Array.from({ length: 100 }, (_, pair) => zero + Math.floor(pair / 10));
const ones = Uint8Array.from({ length: 100 }, (_, pair) => zero + (pair % 10));

/** Writes records as rows of CSV (RFC 4180 quoting): the values under `keys`, an absent one as an empty field. */
type RowWriter<Key extends string> = (
  into: TextBuffer,
  record: { readonly [key in Key]?: string | number | undefined },
) => void;

/** The code has one branch for each field, which the processor predicts. A loop takes twice as long. */
export function rowWriter<Key extends string>(keys: readonly Key[]): RowWriter<Key> {
  const fields = keys.map(
    (key) => `{
      const value = record[${JSON.stringify(key)}];
      if (typeof value === 'number') into.number(value);
      else if (value === undefined) into.comma();
      else into.field(value);
    }`,
  );
  return new Function('into', 'record', `${fields.join('')} into.endRow();`) as RowWriter<Key>;
}

const mostDigits = 18;

/** Characters that are one byte and need no quotes. */
const isPlain = Uint8Array.from({ length: 128 }, (_, code) =>
  /[",\r\n]/.test(String.fromCharCode(code)) ? 0 : 1,
);

/** Line breaks become spaces, so that one line is one record and a torn tail can be cut at the last line break. */
function csvField(whole: string): string {
  const text = whole.length > longestField ? `${whole.slice(0, longestField)}…` : whole;
  if (!/[",\r\n]/.test(text)) return text;
  return `"${text.replaceAll(/[\r\n]+/g, ' ').replaceAll('"', '""')}"`;
}

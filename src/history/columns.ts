/** An SQL literal of text of the program, or of the run's author: a file, a phase, a field of the profile. */
export function ownText(text: string): string {
  return `'${text.replaceAll("'", "''").replaceAll('\0', "' || chr(0) || '")}'`;
}

/** A column of a table: its DuckDB type; and in TypeScript the type of its values, and whether a row may lack one. */
interface Column<Value, IsOptional extends boolean> {
  readonly type: 'BIGINT' | 'INTEGER' | 'SMALLINT' | 'VARCHAR' | 'BOOLEAN' | 'JSON';
  /** In the type alone. */
  readonly of?: readonly [Value, IsOptional];
}
type AnyColumn = Column<unknown, boolean>;
/** The columns of a table, in their order. A name in a file has the words of its field with `_` between: `intended_ns`. */
export type TableColumns = Readonly<Record<string, AnyColumn>>;

type ValueIn<C extends AnyColumn> = C extends Column<infer Value, boolean> ? Value : never;
type NamesOf<Columns extends TableColumns, IsOptional extends boolean> = {
  [Name in keyof Columns]: Columns[Name] extends Column<unknown, IsOptional> ? Name : never;
}[keyof Columns];

/** A row of a table. */
export type RowOf<Columns extends TableColumns> = {
  readonly [Name in NamesOf<Columns, false>]: ValueIn<Columns[Name]>;
} & { readonly [Name in NamesOf<Columns, true>]?: ValueIn<Columns[Name]> | undefined };

export function always<Value>(type: AnyColumn['type']): Column<Value, false> {
  return { type };
}

export function maybe<Value>(type: AnyColumn['type']): Column<Value, true> {
  return { type };
}

/** The name of a field's column in a file. */
function columnName(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A column as DuckDB has it. */
interface NamedColumn {
  readonly name: string;
  readonly type: string;
}

export function namedColumns(columns: TableColumns): readonly NamedColumn[] {
  return Object.entries(columns).map(([field, { type }]) => ({ name: columnName(field), type }));
}

/** The first line of a CSV file. */
export function headerLine(columns: TableColumns): string {
  return `${Object.keys(columns).map(columnName).join(',')}\n`;
}

/** The DuckDB struct that `read_csv` takes as `columns`. */
export function duckdbColumns(columns: readonly NamedColumn[]): string {
  return `{${columns.map(({ name, type }) => `${ownText(name)}: ${ownText(type)}`).join(', ')}}`;
}

/** SQL: the records of NDJSON files as rows, `paths` a list of them in SQL. */
export function ndjsonRows(paths: string, columns: TableColumns): string {
  const own = Object.entries(columns).map(([name, { type }]) => ({ name, type }));
  const named = own.map(({ name }) => `"${name}" AS ${columnName(name)}`);
  return `(SELECT ${named.join(', ')} FROM read_json(${paths}, ${ndjson}, columns = ${duckdbColumns(own)}))`;
}

/**
 * How `read_json` reads NDJSON: lines of at most 16 MiB, where a body is kept up to 4 MiB. It takes twice as much for each thread
 * beforehand, which with 64 MiB was more than half of what a long history is read with.
 */
export const ndjson = "format = 'newline_delimited', maximum_object_size = 16777216";

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

/** Writes a record as a row of CSV (RFC 4180 quoting): the values of its columns, an absent one as an empty field. */
type RowWriter<Columns extends TableColumns> = (
  into: TextBuffer,
  record: { readonly [Name in keyof Columns]?: string | number | undefined },
) => void;

/** The code has one branch for each field, which the processor predicts. A loop takes twice as long. */
export function rowWriter<Columns extends TableColumns>(columns: Columns): RowWriter<Columns> {
  const fields = Object.keys(columns).map(
    (key) => `{
      const value = record[${JSON.stringify(key)}];
      if (typeof value === 'number') into.number(value);
      else if (value === undefined) into.comma();
      else into.field(value);
    }`,
  );
  return new Function('into', 'record', `${fields.join('')} into.endRow();`) as RowWriter<Columns>;
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

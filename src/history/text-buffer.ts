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

  /** After a field. */
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

  number(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) {
      this.text(String(value));
      return;
    }
    this.#room(mostDigits);
    // In two halves of at most nine digits, which are small integers to the engine.
    const high = Math.floor(value / 1e9);
    if (high > 0) this.#digits(high, 1);
    this.#digits(value - high * 1e9, high > 0 ? 9 : 1);
  }

  /** Writes a whole number below 1e9 with at least `least` digits. */
  #digits(value: number, least: number): void {
    let digits = 1;
    for (let power = 10; value >= power || digits < least; power *= 10) digits++;
    let left = value;
    for (let at = this.#length + digits - 1; at >= this.#length; at--) {
      const tens = (left / 10) | 0;
      this.#bytes[at] = zero + left - 10 * tens;
      left = tens;
    }
    this.#length += digits;
  }

  field(text: string): void {
    const { length } = text;
    if (length > longestField) {
      this.text(csvField(text));
      return;
    }
    this.#room(length);
    const bytes = this.#bytes;
    const start = this.#length;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      if (isPlain[code] !== 1) {
        this.text(csvField(text));
        return;
      }
      bytes[start + at] = code;
    }
    this.#length = start + length;
  }
}

/** Writes records as rows of CSV (RFC 4180 quoting): the values under `keys`, an absent one as an empty field. */
export type RowWriter<Key extends string> = (
  into: TextBuffer,
  record: { readonly [key in Key]?: string | number | undefined },
) => void;

/** The code has one branch for each field, which the processor predicts. A loop takes twice as long. */
export function rowWriter<Key extends string>(keys: readonly Key[]): RowWriter<Key> {
  const fields = keys.map(
    (key) => `{
      const value = record[${JSON.stringify(key)}];
      if (typeof value === 'number') into.number(value);
      else if (value !== undefined) into.field(value);
      into.comma();
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

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { always, headerLine, maybe, namedColumns, rowWriter, TextBuffer } from '../../src/history/columns.ts';

type Value = string | number | undefined;

/** RFC 4180, written the plain way; line breaks become blanks, and beyond 16,384 characters there is an ellipsis. */
function plainly(values: readonly Value[]): string {
  const fields = values.map((value) => {
    const text = value === undefined ? '' : String(value);
    const kept = text.length > 16_384 ? `${text.slice(0, 16_384)}…` : text;
    return /[",\r\n]/.test(kept) ? `"${kept.replace(/[\r\n]+/g, ' ').replaceAll('"', '""')}"` : kept;
  });
  return `${fields.join(',')}\n`;
}

function rowOf(values: readonly Value[]): string {
  const keys = values.map((_value, place) => `k${place}`);
  const buffer = new TextBuffer();
  rowWriter(Object.fromEntries(keys.map((key) => [key, maybe<string>('VARCHAR')])))(
    buffer,
    Object.fromEntries(keys.map((key, place) => [key, values[place]])),
  );
  return buffer.view().toString('utf8');
}

describe('a row', () => {
  it('is CSV of whatever values', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constant('x'.repeat(20_000)));
    const value = fc.oneof(text, fc.maxSafeNat(), fc.integer(), fc.double(), fc.constant(undefined));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 30 }), (values) => {
        expect(rowOf(values)).toBe(Buffer.from(plainly(values)).toString('utf8'));
      }),
      // What numbers are written by another way from, and half a character.
      { examples: [[[999_999_999, 1e9, 1_000_000_001, -5, 1.5, 'a\r\nb', 'a "b"', 'a\ud800b', '💄']]] },
    );
  });

  it('follows the one before, however many there are, and nothing is left once it is cleared', () => {
    const buffer = new TextBuffer();
    const write = rowWriter({ a: maybe<number>('BIGINT'), b: maybe<string>('VARCHAR') });
    for (let n = 0; n < 20_000; n++) write(buffer, { a: n, b: 'text' });
    const lines = buffer.view().toString('utf8').split('\n');
    expect([lines.length, lines[0], lines[19_999]]).toEqual([20_001, '0,text', '19999,text']);
    buffer.clear();
    expect(buffer.view()).toHaveLength(0);
    buffer.text('a\n');
    expect(buffer.view().toString()).toBe('a\n');
  });
});

it('columns are named by the words of their fields', () => {
  const columns = { seq: always<number>('BIGINT'), serverDateMs: maybe<number>('BIGINT') };
  expect(headerLine(columns)).toBe('seq,server_date_ms\n');
  expect(namedColumns(columns).map(({ type }) => type)).toEqual(['BIGINT', 'BIGINT']);
});

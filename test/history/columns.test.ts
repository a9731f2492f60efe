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
  it.each<[what: string, value: Value, field: string]>([
    ['nothing', undefined, ''],
    ['an empty text', '', ''],
    ['a plain text', 'create-session', 'create-session'],
    ['a comma', 'a,b', '"a,b"'],
    ['quotes', 'a "b"', '"a ""b"""'],
    ['line breaks', 'a\r\nb\nc', '"a b c"'],
    ['other scripts', 'é 口紅 💄', 'é 口紅 💄'],
    ['half a character', 'a\ud800b', 'a\ufffdb'],
    ['zero', 0, '0'],
    ['a billion less one', 999_999_999, '999999999'],
    ['a billion', 1e9, '1000000000'],
    ['a billion and one', 1_000_000_001, '1000000001'],
    ['a month of nanoseconds', 2_592_000_000_000_007, '2592000000000007'],
    ['the largest whole number', Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['a number below zero', -5, '-5'],
    ['a fraction', 1.5, '1.5'],
  ])('holds %s', (_what, value, field) => {
    expect(rowOf([value, 'x'])).toBe(`${field},x\n`);
  });

  it('is CSV of whatever values', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constant('x'.repeat(20_000)));
    const value = fc.oneof(text, fc.maxSafeNat(), fc.integer(), fc.double(), fc.constant(undefined));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 30 }), (values) => {
        expect(rowOf(values)).toBe(Buffer.from(plainly(values)).toString('utf8'));
      }),
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

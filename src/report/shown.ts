import { number } from '../amounts.ts';
import type { Shown } from '../checks/core/verdict.ts';
import { apart } from '../checks/reasons/words/apart.ts';
import type { Interval } from '../vocabulary/bounds.ts';
import { visible } from './text.ts';

/** A check's expected or observed value in a line of text. The page renders the same in HTML. */

/** A record of named values. */
export type ShownRecord = { readonly [name: string]: Shown };

/** True of `{min, max}` with nothing else in it. */
function isInterval(value: Shown): value is Interval {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    entries.every(([name, end]) => (name === 'min' || name === 'max') && typeof end === 'number')
  );
}

/** True of named values that are no interval. */
export function isRecord(value: Shown): value is ShownRecord {
  return isObject(value) && !isInterval(value);
}

export function isList(value: Shown): value is readonly Shown[] {
  return Array.isArray(value);
}

function isObject(value: Shown): value is Interval | ShownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value that fits in a table cell: `12`, `900 – 1,000`, `≥ 3`, `yes`. */
type Plain = string | number | boolean | null | Interval;

export function isPlain(value: Shown): value is Plain {
  return value === null || typeof value !== 'object' || isInterval(value);
}

/** `a – b`, `≥ a`, `≤ b`, or the single value that both ends agree on. */
export function intervalText(interval: Interval): string {
  const { min, max } = interval;
  if (min !== undefined && max !== undefined) {
    return min === max ? number(min) : `${number(min)} – ${number(max)}`;
  }
  if (min !== undefined) return `≥ ${number(min)}`;
  return max === undefined ? 'anything' : `≤ ${number(max)}`;
}

export function plainText(value: Plain): string {
  if (value === null) return '—';
  if (typeof value === 'number') return number(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? visible(value) : intervalText(value);
}

/**
 * The whole value on one line: `sessions: 12, rate: 0.2 – 0.3`. Lists are cut after `limit` entries, with a note.
 */
export function shownText(value: Shown, limit = 12): string {
  if (isPlain(value)) return plainText(value);
  if (isList(value)) {
    if (value.length === 0) return 'none';
    const more = value.length > limit ? ` and ${number(value.length - limit)} more` : '';
    return (
      value
        .slice(0, limit)
        .map((entry) => nested(entry, limit))
        .join(', ') + more
    );
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return 'nothing';
  const more = entries.length > limit ? ` and ${number(entries.length - limit)} more` : '';
  return (
    entries
      .slice(0, limit)
      .map(([name, part]) => `${visible(name)}: ${nested(part, limit)}`)
      .join(', ') + more
  );
}

function nested(value: Shown, limit: number): string {
  if (isPlain(value)) return plainText(value);
  return isList(value) ? `[${shownText(value, limit)}]` : `(${shownText(value, limit)})`;
}

/** A part of what was observed that is not as expected. */
export interface ShownDifference {
  /** Where in both values it is: `/sessions, p99`; empty where they are plain. */
  readonly at: string;
  readonly expected: Shown;
  readonly observed: Shown;
}

/**
 * What differs, and what agrees, part by part: a value, an interval that holds it or not, or an entry of a list. Parts
 * that only one of both has are in neither: they say something else.
 */
export function compared(
  expected: Shown,
  observed: Shown,
): { readonly differ: readonly ShownDifference[]; readonly agree: readonly ShownDifference[] } {
  const parts = partsOf(expected, observed, []);
  return {
    differ: parts.filter((each) => !fits(each.expected, each.observed)),
    agree: parts.filter((each) => fits(each.expected, each.observed)),
  };
}

/** The parts that are not as expected, or all of it where it cannot be compared; of long texts, where they differ. */
export function differences(
  { expected, observed }: { readonly expected: Shown; readonly observed: Shown },
  most: number,
): readonly { readonly at: string; readonly expected: string; readonly observed: string }[] {
  const { differ } = compared(expected, observed);
  return (differ.length > 0 ? differ : [{ at: '', expected, observed }]).map((each) => {
    const [a, b] = apart(shownText(each.expected), shownText(each.observed), most);
    return { at: each.at, expected: a, observed: b };
  });
}

function partsOf(expected: Shown, observed: Shown, path: readonly string[]): ShownDifference[] {
  if (isRecord(expected) && isRecord(observed))
    return Object.keys(expected)
      .filter((name) => name in observed)
      .flatMap((name) => partsOf(partOf(expected, name), partOf(observed, name), [...path, name]));
  if (isList(expected) && isList(observed))
    return Array.from({ length: Math.max(expected.length, observed.length) }, (_, at) => ({
      at: [...path, number(at + 1)].join(', '),
      expected: expected[at] ?? 'nothing',
      observed: observed[at] ?? 'nothing',
    }));
  return [{ at: path.join(', '), expected, observed }];
}

function partOf(record: ShownRecord, name: string): Shown {
  return record[name] ?? null;
}

function fits(expected: Shown, observed: Shown): boolean {
  if (isRecord(expected) && isRecord(observed))
    return Object.entries(expected).every(([name, value]) => fits(value, partOf(observed, name)));
  if (isPlain(expected) && isPlain(observed) && (isInterval(expected) || isInterval(observed))) {
    const [a, b] = [endsOf(expected), endsOf(observed)];
    return a !== undefined && b !== undefined && b.min <= a.max && b.max >= a.min;
  }
  return shownText(expected, Number.POSITIVE_INFINITY) === shownText(observed, Number.POSITIVE_INFINITY);
}

function endsOf(value: Plain): { readonly min: number; readonly max: number } | undefined {
  if (typeof value === 'number') return { min: value, max: value };
  return isInterval(value)
    ? { min: value.min ?? Number.NEGATIVE_INFINITY, max: value.max ?? Number.POSITIVE_INFINITY }
    : undefined;
}

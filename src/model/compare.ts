import { type CallEvent, isColour, type SentShade } from './call.ts';
import type { Write } from './register.ts';
import type { Item, ItemList } from './stages.ts';
import type { StoredShade } from './world.ts';

/** One way in which an answer differs from all that may be answered. Data: `expected` and `got` are values, not sentences. */
export interface AnswerDifference {
  readonly kind:
    | 'status'
    | 'number'
    | 'field'
    | 'missing'
    | 'extra'
    | 'twice'
    | 'value'
    | 'order'
    | 'size'
    | 'id twice';
  /** The field or the element that differs. */
  readonly of: string;
  readonly expected: unknown;
  readonly got: unknown;
  /** How many others of its kind its answer has that are not told. */
  more?: number;
}

/** A shown element, and the write that it shows; without one the element is absent. */
export interface ShownElement<Value> {
  readonly item: Item<Value>;
  readonly write: Write<Value>;
  /** The place in the list; undefined: absent. */
  readonly place: number | undefined;
}

interface Elements<Stored, Seen> {
  readonly keyOf: (name: string) => string;
  readonly nameOf: (seen: Seen) => string;
  /** The fields in which they differ. */
  readonly differ: (stored: Stored, seen: Seen) => readonly string[];
}

/** More differences of one list say nothing new. */
const mostDifferences = 8;

export interface MatchedList<Stored> {
  readonly differences: readonly AnswerDifference[];
  readonly shown: readonly ShownElement<Stored>[];
  /** How many of unknown names are shown. */
  readonly others: number;
}

interface ComparisonOptions {
  /** More is on other pages, so what is not here may be there. */
  readonly isPart: boolean;
  /** The first difference is enough. */
  readonly isBrief: boolean;
  /** Elements that can be shown in one way alone are told, too. */
  readonly isWhole: boolean;
}

/** Whether nothing but one write may be shown: what is shown then says nothing new. */
const isPlain = ({ may, register }: Item<unknown>): boolean =>
  may.length === 1 && register.length === 1 && register[0]?.given === undefined;

/**
 * Matches a shown list with what may be shown: each shown element with one register of its name, and every other register
 * absent.
 */
export function compareLists<Stored, Seen>(
  { items, size, unnamed = [] }: ItemList<Stored>,
  seen: readonly Seen[],
  { differ, keyOf, nameOf }: Elements<Stored, Seen>,
  { isBrief, isPart, isWhole }: ComparisonOptions,
): MatchedList<Stored> {
  const differences: AnswerDifference[] = [];
  const shown: ShownElement<Stored>[] = [];
  const most = isBrief ? 1 : mostDifferences;
  const open = new Map<string, Item<Stored>[]>();
  for (const item of items) {
    const key = keyOf(item.name);
    const alike = open.get(key);
    if (alike === undefined) open.set(key, [item]);
    else alike.push(item);
  }
  const matched = new Set<string>();
  let others = 0;
  const add = (difference: AnswerDifference): void => {
    const last = differences.findLast(({ kind }) => kind === difference.kind);
    if (differences.length < most) differences.push(difference);
    else if (last !== undefined) last.more = (last.more ?? 0) + 1;
  };
  for (const [place, each] of seen.entries()) {
    if (isBrief && differences.length > 0) return { differences, shown, others };
    const name = nameOf(each);
    const key = keyOf(name);
    const left = open.get(key);
    if (left === undefined || left.length === 0) {
      const isTwice = matched.has(key);
      if (!isTwice && others < unnamed.length) others += 1;
      else
        add({
          kind: isTwice ? 'twice' : 'extra',
          of: name,
          expected: isTwice ? 'once' : undefined,
          got: each,
        });
      continue;
    }
    const found = fitting(left, each, differ);
    if (found !== undefined) {
      if (left.length === 1) open.delete(key);
      else left.splice(left.indexOf(found.item), 1);
      matched.add(key);
      if (isWhole || !isPlain(found.item)) shown.push({ ...found, place });
      continue;
    }
    const near = left.find(({ may }) => may.some(({ value }) => value !== undefined));
    if (near === undefined) {
      add({ kind: matched.has(key) ? 'twice' : 'extra', of: name, expected: undefined, got: each });
      continue;
    }
    left.splice(left.indexOf(near), 1);
    const expected = near.may.findLast(({ value }) => value !== undefined)?.value as Stored;
    add({ kind: 'value', of: differ(expected, each).join(', '), expected, got: each });
  }
  let missing = 0;
  for (const left of open.values())
    for (const item of left) {
      const absent = item.may.find(({ value }) => value === undefined);
      if (absent !== undefined) {
        if (isWhole || !isPlain(item)) shown.push({ item, write: absent, place: undefined });
      } else {
        missing += 1;
        if (size === undefined && !isPart)
          add({ kind: 'missing', of: item.name, expected: item.may[0]?.value, got: undefined });
      }
    }
  if (size !== undefined && (seen.length > size || (!isPart && seen.length < size && missing > 0)))
    add({ kind: 'size', of: 'elements', expected: size, got: seen.length });
  return { differences, shown, others };
}

function fitting<Stored, Seen>(
  items: readonly Item<Stored>[],
  seen: Seen,
  differ: (stored: Stored, seen: Seen) => readonly string[],
): { readonly item: Item<Stored>; readonly write: Write<Stored> } | undefined {
  let found: { readonly item: Item<Stored>; readonly write: Write<Stored> } | undefined;
  for (const item of items)
    for (const write of item.may) {
      if (write.value === undefined || differ(write.value, seen).length > 0) continue;
      // One that has to be shown comes before one that may be.
      if (items.length === 1 || item.may.every(({ value }) => value !== undefined)) return { item, write };
      found ??= { item, write };
    }
  return found;
}

/** Unicode has several spellings of one text (NFC, NFD); a service may choose. */
const sameText = (a = '', b = ''): boolean =>
  a === b || ((isBeyondAscii(a) || isBeyondAscii(b)) && a.normalize() === b.normalize());

const isBeyondAscii = (text: string): boolean => /[^\0-\x7f]/.test(text);

/** A colour is the same in any case. */
const sameColour = (a: string | undefined, b: string | undefined): boolean =>
  a === b || (a ?? '').toLowerCase() === (b ?? '').toLowerCase();

export function differingShade(stored: StoredShade, seen: SentShade): readonly string[] {
  const isMended = stored.isMended === true;
  const isName =
    isMended && stored.name === undefined ? seen.name !== undefined : sameText(stored.name, seen.name);
  const isHex = isMended && !isColour(stored.hex) ? isColour(seen.hex) : sameColour(stored.hex, seen.hex);
  const isFinish = (stored.finish === seen.finish) !== (stored.isOfOtherFinish === true);
  if (isName && isHex && isFinish) return [];
  return [...(isName ? [] : ['name']), ...(isHex ? [] : ['hex']), ...(isFinish ? [] : ['finish'])];
}

export function differingEvent(stored: CallEvent, seen: CallEvent): readonly string[] {
  const isAt = Math.floor(stored.atMs) === seen.atMs;
  if (stored.id === seen.id && stored.type === seen.type && stored.sku === seen.sku && isAt) return [];
  return [
    ...(stored.id === seen.id ? [] : ['id']),
    ...(stored.type === seen.type ? [] : ['type']),
    ...(stored.sku === seen.sku ? [] : ['sku']),
    ...(isAt ? [] : ['at']),
  ];
}

/** The same write, and one that shows the same. */
export const isSameWrite = (a: Write<unknown>, b: Write<unknown>): boolean =>
  a.call === b.call && a.index === b.index;

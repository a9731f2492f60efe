import { counted } from '../../../amounts.ts';
import type { Measure, Rounding, ZoneSpan } from '../../../vocabulary/analytics.ts';
import type { Role } from '../../../vocabulary/roles.ts';
import type { TemplateParams } from '../words/template.ts';
import { worded } from '../words/wording.ts';

/** A reason that is about one answer names its query, unless the reader sees the query beside it. */
export interface InQuery {
  readonly query: string | null;
}

/** A sentence about one answer. */
export function about({ query }: InQuery, sentence: string): string {
  return query === null ? sentence : `For ${query}: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

/** A sentence about one answer, as a template. */
export function ofAnswer<const Text extends string>(
  text: Text,
): (params: InQuery & TemplateParams<Text>) => string {
  return (params) => about(params, worded(text, params));
}

/** A field of an answer that changed between two reads. */
export interface FieldChange {
  readonly field: string;
  readonly before: string | number | null;
  readonly after: string | number | null;
}

/** `a`, `a or b`, `a, b or c`, `a, b or 4 more`. */
export function either(items: readonly string[], atMost = 3): string {
  const each = [...new Set(items)];
  const more = each.length - atMost;
  const told = more > 0 ? [...each.slice(0, atMost), `${more} more`] : each;
  return [told.slice(0, -1).join(', '), ...told.slice(-1)].filter((text) => text !== '').join(' or ');
}

export const measureWords: Readonly<Record<Measure, string>> = {
  'distinct/all': 'the mean number of different shades over all sessions',
  'selections/all': 'the mean number of selections over all sessions',
  'distinct/with-shades': 'the mean number of different shades over sessions with at least one shade',
  'selections/with-shades': 'the mean number of selections over sessions with at least one shade',
  'cart/all': 'the share of all sessions with a cart intent',
  'cart/with-shades': 'the share with a cart intent of the sessions with at least one shade',
  'cart-last/all': 'the share of all sessions whose last event is a cart intent',
  'cart-last/with-shades':
    'the share of the sessions with at least one shade whose last event is a cart intent',
};

/** Whose sessions an answer counts, as the profile says it (`data_scope`). */
export const scopeInWords = {
  'per-key': 'one account for each key',
  shared: 'one account for all keys',
  discover: 'discover',
} as const;

/** How keys share accounts: `one account for the load and quota keys and one for each other key`. */
export function accountsText(groups: readonly (readonly Role[])[]): string {
  const together = groups.filter((group) => group.length > 1);
  if (together.length === 0) return scopeInWords['per-key'];
  if (groups.length === 1) return scopeInWords.shared;
  return [
    ...together.map((group) => `one account for the ${group.join(' and ')} keys`),
    ...(groups.length > together.length ? ['one for each other key'] : []),
  ].join(' and ');
}

/** `4 decimals, to nearest`. */
export function roundingText({ decimals, how }: Rounding): string {
  if (decimals === null) return 'not rounded';
  return `${counted(decimals, 'decimal')}, ${how === 'nearest' ? 'to nearest' : 'cut off'}`;
}

/** `UTC+02:00 (Europe/Berlin)`, or from which offset to which. */
export function zoneText({ from, to }: ZoneSpan): string {
  return from === to ? from : `zones from ${from} to ${to}`;
}

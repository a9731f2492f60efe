import { counted, countedRange, listed, number, range, verb } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { about, type FieldChange, type InQuery, ofAnswer } from './words.ts';

/** Whether answers agree with each other. */
export const relationReasons = {
  'comparisons-agree': 'This held in {comparisons:count comparison}.',
  'comparisons-none': 'No answers could be compared.',
  'comparisons-more': 'There {findings:is|are} {findings:count more such finding}.',
  'comparisons-skipped':
    'An answer is missing, or others used the account meanwhile, so {comparisons:count comparison} could not be made.',
  'additivity-not-queried': 'No answer for all products has answers for single products to compare with.',
  'additivity-not-ready': ofAnswer('Not every answer was readable and queried late enough.'),
  'sum-broken': (params: {
    sku: string | null;
    whole: string;
    total: Bounds;
    parts: readonly { name: string; count: Bounds }[];
    sum: Bounds;
    isExact: boolean;
    maybeEachDay: boolean;
  }) => {
    const { isExact, maybeEachDay, parts, sku, sum, total, whole } = params;
    const counts = (count: Bounds): string =>
      sku === null
        ? countedRange(count, 'session')
        : `${range(count)} ${count.max === 1 ? 'selection' : 'selections'} of ${sku}`;
    const [only, ...others] = parts;
    const held =
      only !== undefined && others.length === 0
        ? `For ${only.name}, there are ${counts(sum)}.`
        : [
            `Together, ${counted(parts.length, 'part')} ${verb(parts.length, 'has', 'have')} ${counts(sum)}.`,
            ...parts.slice(0, 2).map(({ count, name }) => `For ${name}: ${range(count)}.`),
          ].join(' ');
    return `${held} Expected ${isExact ? 'exactly' : 'at least'} that for ${whole}, got ${range(total)}.${
      maybeEachDay
        ? ' That is right if a session counts on each day with events (profile: analytics.session_day).'
        : ''
    }`;
  },
  'mean-not-of-parts': (params: {
    asked: string;
    field: string;
    got: Bounds;
    expected: Bounds;
    parts: { mean: Bounds; sessions: Bounds }[];
  }) =>
    `Expected ${params.field} of ${range(params.expected)} for ${params.asked}, got ${range(params.got)}.${
      params.parts.length === 0
        ? ''
        : ` ${params.parts.length === 1 ? 'Its only part has' : 'Its first parts have'} ${params.parts
            .slice(0, 4)
            .map(({ mean, sessions }) => `${range(mean)} over ${countedRange(sessions, 'session')}`)
            .join(', ')}.`
    }`,
  'additivity-more': ofAnswer(
    'The answer for all products has {sessions:count session}, {more} more than the answers for single products.',
  ),
  'filter-ignored-in': ofAnswer('The filter is ignored in {fields:list}.'),
  'filter-not-shown':
    'No answer for one product differs from that for all products, so an ignored filter would not show.',
  'stable-grown':
    'Without a product, {queries:count query/queries} changed, as others may use the account (profile: analytics.exclusive is false).',
  'stable-not-fresh': 'No query was answered after the freshness bound.',
  'stable-not-repeated': 'No query was answered twice on data that is certainly the same.',
  'answer-changed': ({
    changes,
    isTie,
    ...of
  }: InQuery & { changes: readonly FieldChange[]; isTie: boolean }) =>
    about(
      of,
      changes.length > 0
        ? `The first and the second answer had ${listed(
            changes.map(({ after, before, field }) => `${field} ${shown(before)} and ${shown(after)}`),
            3,
          )}.`
        : isTie
          ? 'Shades with equal selections changed places in top_shades.'
          : 'The list top_shades changed.',
    ),
} as const;

function shown(value: string | number | null): string {
  return typeof value === 'number' ? number(value) : value === null ? 'nothing' : `“${value}”`;
}

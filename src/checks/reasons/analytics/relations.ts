import { counted, countedRange, listed, number, range, span, verb } from '../../../amounts.ts';
import type { Interval } from '../../../vocabulary/bounds.ts';
import type { AnswerField } from '../../analytics/vocabulary.ts';
import { wording } from '../wording.ts';
import { about, type InQuery } from './words.ts';

const query = 'all products';
const queries = (count: number): string => counted(count, 'query', 'queries');

/** A field of an answer that changed between two reads. */
interface Change {
  readonly field: string;
  readonly before: string | number | null;
  readonly after: string | number | null;
}

/** Whether answers agree with each other. */
export const relationReasons = {
  'additivity-holds': wording({ complete: 1, partial: 1 }, ({ complete, partial }) =>
    [
      complete === 0 && partial > 0
        ? ''
        : `In ${counted(complete, 'comparison')}, the answers for single products add up to the answer for all products: sessions, weighted averages and selections.`,
      partial === 0
        ? ''
        : `In ${counted(partial, 'comparison')}, the answers for only some of the products add up to no more than the answer for all products.`,
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
  ),
  'additivity-not-queried': wording(
    {},
    () => 'No answer for all products has answers for single products beside it.',
  ),
  'additivity-not-ready': wording<InQuery>({ query }, (of) =>
    about(of, 'Not every answer was readable and queried late enough.'),
  ),
  'additivity-total': wording<InQuery & { sessions: number; before: number; products: Interval }>(
    { query, sessions: 13, before: 4, products: { min: 14, max: 16 } },
    ({ before, products, sessions, ...of }) =>
      about(
        of,
        `The answers for single products add up to ${countedRange(products, 'session')}, but the answer for all products has ${number(sessions)}.${before > 0 ? ` Not counted: ${counted(before, 'session')} from before the run.` : ''}`,
      ),
  ),
  'additivity-mean': wording<InQuery & { field: AnswerField; value: number; products: Interval }>(
    { query, field: 'avg_shades_per_session', value: 1.48, products: { min: 1.57, max: 1.571 } },
    ({ field, products, value, ...of }) =>
      about(
        of,
        `The weighted average of ${field} over single products is ${range(products)}, but the answer for all products has ${number(value)}.`,
      ),
  ),
  'additivity-selections': wording<InQuery & { sku: string; selections: number; products: number }>(
    { query, sku: 'SKU-1', selections: 3, products: 4 },
    ({ products, selections, sku, ...of }) =>
      about(
        of,
        `The answers for single products add up to ${counted(products, 'selection')} of shade ${sku}, but the answer for all products has ${number(selections)}.`,
      ),
  ),
  'additivity-not-listed': wording<InQuery & { sku: string; products: number }>(
    { query, sku: 'SKU-1', products: 4 },
    ({ products, sku, ...of }) =>
      about(
        of,
        `The answers for single products add up to ${counted(products, 'selection')} of shade ${sku}; the answer for all products does not list it.`,
      ),
  ),
  'additivity-more': wording<InQuery & { sessions: number; more: number }>(
    { query, sessions: 18, more: 4 },
    ({ more, sessions, ...of }) =>
      about(
        of,
        `The answer for all products has ${counted(sessions, 'session')}, ${number(more)} more than the answers for single products.`,
      ),
  ),
  'more-queries': wording(
    { queries: 3 },
    (more) => `Similar reasons apply to ${counted(more.queries, 'more query', 'more queries')}.`,
  ),
  'filter-applied': wording(
    { answers: 6 },
    ({ answers }) =>
      `In ${counted(answers, 'answer')} for one product, only sessions and shades of that product are counted.`,
  ),
  'filter-ignored': wording(
    { answers: 3 },
    ({ answers }) =>
      `In ${counted(answers, 'answer')} for one product, product_id is not applied: ${verb(answers, 'it holds', 'they hold')} the numbers of all products.`,
  ),
  'filter-ignored-in': wording<InQuery & { fields: readonly AnswerField[] }>(
    { query, fields: ['top_shades'] },
    ({ fields, ...of }) => about(of, `The filter is ignored in ${listed(fields)}.`),
  ),
  'filter-answers-wrong': wording(
    { answers: 3, isWholeWrong: true },
    ({ answers, isWholeWrong }) =>
      `Wrong values are in ${counted(answers, 'answer')} for one product, ${isWholeWrong ? 'and in an answer for all products: see the fields' : 'but not in the answer for all products'}.`,
  ),
  'filter-unclear': wording(
    { answers: 3 },
    ({ answers }) =>
      `It is unclear whether ${counted(answers, 'answer')} for one product ${verb(answers, 'is', 'are')} right.`,
  ),
  'filter-not-shown': wording(
    {},
    () =>
      'No answer for one product differs from that for all products, so an ignored filter would not show.',
  ),
  'stable-same': wording(
    { queries: 4 },
    (same) =>
      `Every repeat of ${queries(same.queries)} got an identical answer, with top_shades in the same order.`,
  ),
  'stable-grown': wording(
    { queries: 1 },
    (grown) =>
      `Without a product, ${queries(grown.queries)} changed, as others may use the account (profile: analytics.exclusive is false).`,
  ),
  'stable-not-fresh': wording({}, () => 'No query was answered after the freshness bound.'),
  'stable-not-repeated': wording({}, () => 'No query was answered twice on data that is certainly the same.'),
  'stable-differs': wording({}, () => 'The same query got different answers while nothing happened.'),
  'stable-changed': wording<InQuery & { changes: readonly Change[] }>(
    { query, changes: [{ field: 'total_sessions', before: 14, after: 15 }] },
    ({ changes, ...of }) =>
      about(
        of,
        `The first and the second answer had ${listed(
          changes.map(({ after, before, field }) => `${field} ${shown(before)} and ${shown(after)}`),
          3,
        )}.`,
      ),
  ),
  'stable-ties-moved': wording<InQuery>({ query }, (of) =>
    about(of, 'Shades with equal selections changed places in top_shades.'),
  ),
  'stable-top-changed': wording<InQuery>({ query }, (of) => about(of, 'The list top_shades changed.')),
  'first-reads-none': wording({}, () => 'Freshness was not measured, because no query was sent early.'),
  'first-reads-unpaired': wording(
    {},
    () => 'Freshness was not measured, because no query was answered both early and late.',
  ),
  'first-reads-complete': wording(
    { firstMs: 100 },
    ({ firstMs }) => `Everything was visible at the first read, ${span(firstMs)} after the last event.`,
  ),
  'first-reads-partly': wording(
    { complete: 3, queries: 4, firstMs: 100, latestMs: 11_000 },
    ({ complete, firstMs, latestMs, ...of }) =>
      `Of ${queries(of.queries)}, ${number(complete)} ${verb(complete, 'was', 'were')} complete at the first read, ${span(firstMs)} after the last event. The others were complete by ${span(latestMs)}.`,
  ),
} as const;

function shown(value: string | number | null): string {
  return typeof value === 'number' ? number(value) : value === null ? 'nothing' : `“${value}”`;
}

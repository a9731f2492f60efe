import { counted, countedRange, listed, number, range } from '../../../amounts.ts';
import type { AnswerField } from '../../../vocabulary/analytics.ts';
import type { Interval } from '../../../vocabulary/bounds.ts';
import { about, type InQuery } from './words.ts';

const queries = (count: number): string => counted(count, 'query', 'queries');

/** A field of an answer that changed between two reads. */
interface AnswerChange {
  readonly field: string;
  readonly before: string | number | null;
  readonly after: string | number | null;
}

/** Whether answers agree with each other. */
export const relationReasons = {
  'additivity-holds': ({ complete, partial }: { complete: number; partial: number }) =>
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
  'additivity-not-queried': 'No answer for all products has answers for single products beside it.',
  'additivity-not-ready': (of: InQuery) =>
    about(of, 'Not every answer was readable and queried late enough.'),
  'additivity-total': ({
    before,
    products,
    sessions,
    ...of
  }: InQuery & { sessions: number; before: number; products: Interval }) =>
    about(
      of,
      `The answers for single products add up to ${countedRange(products, 'session')}, but the answer for all products has ${number(sessions)}.${before > 0 ? ` Not counted: ${counted(before, 'session')} from before the run.` : ''}`,
    ),
  'additivity-mean': ({
    field,
    products,
    value,
    ...of
  }: InQuery & { field: AnswerField; value: number; products: Interval }) =>
    about(
      of,
      `The weighted average of ${field} over single products is ${range(products)}, but the answer for all products has ${number(value)}.`,
    ),
  'additivity-selections': ({
    products,
    selections,
    sku,
    ...of
  }: InQuery & { sku: string; selections: number; products: number }) =>
    about(
      of,
      `The answers for single products add up to ${counted(products, 'selection')} of shade ${sku}, but the answer for all products has ${number(selections)}.`,
    ),
  'additivity-not-listed': ({ products, sku, ...of }: InQuery & { sku: string; products: number }) =>
    about(
      of,
      `The answers for single products add up to ${counted(products, 'selection')} of shade ${sku}; the answer for all products does not list it.`,
    ),
  'additivity-more': ({ more, sessions, ...of }: InQuery & { sessions: number; more: number }) =>
    about(
      of,
      `The answer for all products has ${counted(sessions, 'session')}, ${number(more)} more than the answers for single products.`,
    ),
  'more-queries': 'Similar reasons apply to {queries:count more query/more queries}.',
  'filter-applied':
    'In {answers:count answer} for one product, only sessions and shades of that product are counted.',
  'filter-ignored':
    'In {answers:the answer|the answers} to {answers:count query/queries} for one product, product_id is not applied: {answers:it holds|they hold} the numbers of all products.',
  'filter-ignored-in': ({ fields, ...of }: InQuery & { fields: readonly AnswerField[] }) =>
    about(of, `The filter is ignored in ${listed(fields)}.`),
  'filter-answers-wrong': ({ answers, isWholeWrong }: { answers: number; isWholeWrong: boolean }) =>
    `Wrong values are in ${counted(answers, 'answer')} for one product, ${isWholeWrong ? 'and in an answer for all products: see the fields' : 'but not in the answer for all products'}.`,
  'filter-unclear': 'It is unclear whether {answers:count answer} for one product {answers:is|are} right.',
  'filter-not-shown':
    'No answer for one product differs from that for all products, so an ignored filter would not show.',
  'stable-same': (same: { queries: number }) =>
    `Every repeat of ${queries(same.queries)} got an identical answer, with top_shades in the same order.`,
  'stable-grown': (grown: { queries: number }) =>
    `Without a product, ${queries(grown.queries)} changed, as others may use the account (profile: analytics.exclusive is false).`,
  'stable-not-fresh': 'No query was answered after the freshness bound.',
  'stable-not-repeated': 'No query was answered twice on data that is certainly the same.',
  'stable-differs': 'The same query got different answers while nothing happened.',
  'stable-changed': ({ changes, ...of }: InQuery & { changes: readonly AnswerChange[] }) =>
    about(
      of,
      `The first and the second answer had ${listed(
        changes.map(({ after, before, field }) => `${field} ${shown(before)} and ${shown(after)}`),
        3,
      )}.`,
    ),
  'stable-ties-moved': (of: InQuery) =>
    about(of, 'Shades with equal selections changed places in top_shades.'),
  'stable-top-changed': (of: InQuery) => about(of, 'The list top_shades changed.'),
} as const;

function shown(value: string | number | null): string {
  return typeof value === 'number' ? number(value) : value === null ? 'nothing' : `“${value}”`;
}

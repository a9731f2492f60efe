import { counted, number } from '../../../amounts.ts';
import { wording } from '../wording.ts';
import { about, type InQuery } from './words.ts';

const query = 'all products';
const sku = 'SKU-1';

/** What is wrong with a list of shades. */
export const topShadesReasons = {
  'top-shade-twice': wording<InQuery & { sku: string }>({ query, sku }, ({ sku, ...of }) =>
    about(of, `Shade ${sku} is listed twice.`),
  ),
  'top-unsorted': wording<InQuery & { sku: string; selections: number; before: number }>(
    { query, sku, selections: 12, before: 10 },
    ({ before, selections, sku, ...of }) =>
      about(
        of,
        `Shade ${sku} with ${counted(selections, 'selection')} comes after a shade with ${number(before)}.`,
      ),
  ),
  'top-too-few': wording<InQuery & { sku: string; selections: number; atLeast: number }>(
    { query, sku, selections: 2, atLeast: 3 },
    ({ atLeast, selections, sku, ...of }) =>
      about(
        of,
        `Expected at least ${counted(atLeast, 'selection')} of shade ${sku}, got ${number(selections)}.`,
      ),
  ),
  'top-too-many': wording<InQuery & { sku: string; selections: number; atMost: number; hasRepeats: boolean }>(
    { query, sku, selections: 2, atMost: 1, hasRepeats: true },
    ({ atMost, hasRepeats, selections, sku, ...of }) =>
      about(
        of,
        `Expected ${atMost === 0 ? 'no selection' : `at most ${counted(atMost, 'selection')}`} of shade ${sku}, got ${number(selections)}.${hasRepeats ? ' Repeated event ids, counted again, explain the number.' : ''}`,
      ),
  ),
  'top-missing': wording<
    InQuery & { sku: string; atLeast: number; last: { sku: string; selections: number } | null }
  >({ query, sku, atLeast: 4, last: { sku: 'SKU-9', selections: 2 } }, ({ atLeast, last, sku, ...of }) =>
    about(
      of,
      `Shade ${sku} with at least ${counted(atLeast, 'selection')} is not listed${last === null ? '' : `, but ${last.sku} with ${number(last.selections)} is`}.`,
    ),
  ),
  'top-too-long': wording<InQuery & { shades: number; atMost: number }>(
    { query, shades: 12, atMost: 10 },
    ({ atMost, shades, ...of }) =>
      about(of, `Expected at most ${counted(atMost, 'shade')} in the list, got ${number(shades)}.`),
  ),
  'top-too-short': wording<InQuery & { shades: number; expected: number }>(
    { query, shades: 2, expected: 10 },
    ({ expected, shades, ...of }) =>
      about(of, `Expected ${counted(expected, 'shade')} in the list, got ${number(shades)}.`),
  ),
  'top-of-all-products': wording<InQuery>({ query }, (of) =>
    about(of, 'The list is that of all products, so product_id was not applied to it.'),
  ),
  'top-more-faults': wording(
    { faults: 3 },
    ({ faults }) => `The list has ${counted(faults, 'more fault', 'more faults')}.`,
  ),
} as const;

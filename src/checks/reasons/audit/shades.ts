import { counted, number, range } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { wording } from '../wording.ts';
import { type AskedPeriod, askedExample, askedText } from './asked.ts';

type ShadeListing = { asked: AskedPeriod; sku: string; selections: number };
const listing: ShadeListing = { asked: askedExample, sku: 'A-1', selections: 4 };

/** Reasons of `analytics.audit-top-shades`. */
export const shadeReasons = {
  'audit-shades-pass': wording(
    { comparisons: 12 },
    ({ comparisons }) => `Lists of top shades agree in ${counted(comparisons, 'comparison')}.`,
  ),
  'audit-shades-none': wording({}, () => 'No answer lists a shade.'),
  'audit-shades-twice': wording<{ asked: AskedPeriod; sku: string }>(
    { asked: askedExample, sku: 'A-1' },
    ({ asked, sku }) =>
      `Expected each SKU once in top_shades of ${askedText(asked)}, but ${sku} is there twice.`,
  ),
  'audit-shades-count': wording<ShadeListing>(
    listing,
    ({ asked, selections, sku }) =>
      `Expected whole numbers in top_shades of ${askedText(asked)}, got ${number(selections)} for ${sku}.`,
  ),
  'audit-shades-unsorted': wording<ShadeListing & { before: number }>(
    { ...listing, before: 3 },
    ({ asked, before, selections, sku }) =>
      `Expected most selections first in top_shades of ${askedText(asked)}. But ${sku} with ${number(selections)} stands after a shade with ${number(before)}.`,
  ),
  'audit-shades-over-wider': wording<ShadeListing & { wider: AskedPeriod; listed: Bounds | null }>(
    { ...listing, wider: { ...askedExample, product: null }, listed: { min: 2, max: 3 } },
    ({ asked, listed, selections, sku, wider }) =>
      `For ${askedText(asked)}, ${sku} has ${counted(selections, 'selection')}. Expected at least that for ${askedText(wider)}, ${listedText(listed)}.`,
  ),
  'audit-shades-over-all': wording<ShadeListing & { products: number; listed: Bounds | null }>(
    { ...listing, products: 3, listed: { min: 2, max: 3 } },
    ({ asked, listed, products, selections, sku }) =>
      `Over ${counted(products, 'product')}, ${sku} has ${counted(selections, 'selection')}. Expected at least that for ${askedText(asked)}, ${listedText(listed)}.`,
  ),
  'audit-shades-parts': wording<
    ShadeListing & { left: AskedPeriod; first: number; right: AskedPeriod; second: number }
  >(
    { ...listing, left: askedExample, first: 2, right: askedExample, second: 3 },
    ({ asked, first, left, right, second, selections, sku }) =>
      `In ${left.from} / ${left.to} and ${right.from} / ${right.to}, ${sku} has ${number(first)} and ${counted(second, 'selection')}. Expected their sum for ${askedText(asked)}, got ${number(selections)}.`,
  ),
} as const;

function listedText(listed: Bounds | null): string {
  return listed === null ? 'but it is not listed' : `got ${range(listed)}`;
}

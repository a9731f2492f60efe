import { counted, number, range } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { type AskedPeriod, askedText } from './asked.ts';

type ShadeListing = { asked: AskedPeriod; sku: string; selections: number };

/** Reasons of `analytics.audit-top-shades`. */
export const shadeReasons = {
  'audit-shades-pass': ({ comparisons }: { comparisons: number }) =>
    `Lists of top shades agree in ${counted(comparisons, 'comparison')}.`,
  'audit-shades-none': 'No answer lists a shade.',
  'audit-shades-twice': ({ asked, sku }: { asked: AskedPeriod; sku: string }) =>
    `Expected each SKU once in top_shades of ${askedText(asked)}, but ${sku} is there twice.`,
  'audit-shades-count': ({ asked, selections, sku }: ShadeListing) =>
    `Expected whole numbers in top_shades of ${askedText(asked)}, got ${number(selections)} for ${sku}.`,
  'audit-shades-unsorted': ({ asked, before, selections, sku }: ShadeListing & { before: number }) =>
    `Expected most selections first in top_shades of ${askedText(asked)}. But ${sku} with ${number(selections)} stands after a shade with ${number(before)}.`,
  'audit-shades-over-wider': (params: ShadeListing & { wider: AskedPeriod; listed: Bounds | null }) =>
    `For ${askedText(params.asked)}, ${params.sku} has ${counted(params.selections, 'selection')}. Expected at least that for ${askedText(params.wider)}, ${listedText(params.listed)}.`,
  'audit-shades-over-all': (params: ShadeListing & { products: number; listed: Bounds | null }) =>
    `Over ${counted(params.products, 'product')}, ${params.sku} has ${counted(params.selections, 'selection')}. Expected at least that for ${askedText(params.asked)}, ${listedText(params.listed)}.`,
  'audit-shades-parts': (
    params: ShadeListing & { left: AskedPeriod; first: number; right: AskedPeriod; second: number },
  ) =>
    `In ${params.left.from} / ${params.left.to} and ${params.right.from} / ${params.right.to}, ${params.sku} has ${number(params.first)} and ${counted(params.second, 'selection')}. Expected their sum for ${askedText(params.asked)}, got ${number(params.selections)}.`,
} as const;

function listedText(listed: Bounds | null): string {
  return listed === null ? 'but it is not listed' : `got ${range(listed)}`;
}

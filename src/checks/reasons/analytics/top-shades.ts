import { counted, number } from '../../../amounts.ts';
import { about, type InQuery } from './words.ts';

/** What is wrong with a list of shades. */
export const topShadesReasons = {
  'top-shade-twice': ({ sku, ...of }: InQuery & { sku: string }) =>
    about(of, `Shade ${sku} is listed twice.`),
  'top-unsorted': ({
    before,
    selections,
    sku,
    ...of
  }: InQuery & { sku: string; selections: number; before: number }) =>
    about(
      of,
      `Shade ${sku} with ${counted(selections, 'selection')} comes after a shade with ${number(before)}.`,
    ),
  'top-too-few': ({
    atLeast,
    selections,
    sku,
    ...of
  }: InQuery & { sku: string; selections: number; atLeast: number }) =>
    about(
      of,
      `Expected at least ${counted(atLeast, 'selection')} of shade ${sku}, got ${number(selections)}.`,
    ),
  'top-too-many': ({
    atMost,
    hasRepeats,
    selections,
    sku,
    ...of
  }: InQuery & { sku: string; selections: number; atMost: number; hasRepeats: boolean }) =>
    about(
      of,
      `Expected ${atMost === 0 ? 'no selection' : `at most ${counted(atMost, 'selection')}`} of shade ${sku}, got ${number(selections)}.${hasRepeats ? ' Repeated event ids, counted again, explain the number.' : ''}`,
    ),
  'top-missing': ({
    atLeast,
    last,
    sku,
    ...of
  }: InQuery & { sku: string; atLeast: number; last: { sku: string; selections: number } | null }) =>
    about(
      of,
      `Shade ${sku} with at least ${counted(atLeast, 'selection')} is not listed${last === null ? '' : `, but ${last.sku} with ${number(last.selections)} is`}.`,
    ),
  'top-too-long': ({ atMost, shades, ...of }: InQuery & { shades: number; atMost: number }) =>
    about(of, `Expected at most ${counted(atMost, 'shade')} in the list, got ${number(shades)}.`),
  'top-too-short': ({ expected, shades, ...of }: InQuery & { shades: number; expected: number }) =>
    about(of, `Expected ${counted(expected, 'shade')} in the list, got ${number(shades)}.`),
  'top-of-all-products': (of: InQuery) =>
    about(of, 'The list is that of all products, so product_id was not applied to it.'),
  'top-more-faults': ({ faults }: { faults: number }) =>
    `The list has ${counted(faults, 'more fault', 'more faults')}.`,
} as const;

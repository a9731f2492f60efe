import { counted, listed, number, range, verb } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { type Got, gotText } from './got.ts';

/** The SKUs that something is wrong with: how many, and the first of them. */
interface Skus {
  readonly catalog: string;
  readonly shades: number;
  readonly skus: readonly string[];
}

function skusText({ shades, skus }: Skus): string {
  return listed([
    ...skus.slice(0, 6),
    ...Array.from({ length: Math.max(0, shades - skus.length) }, () => ''),
  ]);
}

/** Reasons of the comparison of lists with imports, and of lists in pages. */
export const listReasons = {
  'list-unanswered': ({ catalog, got }: { catalog: string; got: Got }) =>
    `The list of catalog ${catalog} ${gotText(got)}.`,
  'list-status': ({ catalog, status }: { catalog: string; status: number | null }) =>
    `Expected 2xx for the list of catalog ${catalog}, got ${status}.`,
  'list-not-kept': ({ catalog }: { catalog: string }) =>
    `The run did not keep the body of the list of catalog ${catalog}.`,
  'list-unreadable': ({ catalog, problem }: { catalog: string; problem: string }) =>
    `The list of catalog ${catalog} does not have the promised form: ${problem}.`,
  'list-foreign-shades': (params: Skus) =>
    `Catalog ${params.catalog} lists ${counted(params.shades, 'shade')} that ${verb(params.shades, 'was', 'were')} never imported: ${skusText(params)}.`,
  'list-repeated-skus': (params: Skus) =>
    `Catalog ${params.catalog} lists ${counted(params.shades, 'SKU')} more than once: ${skusText(params)}.`,
  'list-missing-shades': (params: Skus) =>
    `Catalog ${params.catalog} does not list ${counted(params.shades, 'imported shade')}: ${skusText(params)}.`,
  'list-field-changed': (params: {
    catalog: string;
    sku: string;
    field: 'name' | 'hex' | 'finish';
    sent: string;
    got: string;
  }) =>
    `Expected the ${params.field} ${JSON.stringify(params.sent)} for shade ${params.sku} in catalog ${params.catalog}, got ${JSON.stringify(params.got)}.`,
  'list-requested-early':
    'The import got 202, and the list was requested before the shades had to be visible (profile: `import_visible`).',
  'catalog-count-differs': (params: {
    catalog: string;
    wrong: number;
    lists: number;
    seen: Bounds;
    imported: Bounds;
  }) =>
    `Expected ${range(params.imported)} as the number of shades in a list of catalog ${params.catalog}, got ${range(params.seen)}. This concerns ${number(params.wrong)} of ${counted(params.lists, 'list')}.`,
  'catalog-not-listed': ({ catalog }: { catalog: string }) =>
    `Catalog ${catalog} was not listed after its import.`,
  'catalog-no-list': 'No catalog was listed after its import.',
  'corner-batches-rejected': ({ batches, status }: { batches: number; status: number }) =>
    `Not judged: ${counted(batches, 'batch', 'batches')} with unusual values got ${status}, which the interface leaves open.`,
  'corner-lists-unclear': ({ lists }: { lists: number }) =>
    `Not judged: ${counted(lists, 'list')} with unusual values, since ${verb(lists, 'it was', 'they were')} not read in full.`,
  'corner-rejected-stored': (params: { catalog: string; listed: number; status: number }) =>
    `Expected no shade in catalog ${params.catalog}, whose only batch got ${params.status}, got ${counted(params.listed, 'shade')}.`,
  'corner-import-error': ({ catalog, status }: { catalog: string; status: number }) =>
    `Expected 2xx or 4xx for a batch with unusual values into catalog ${catalog}, got ${status}.`,
  'corner-skus-merged': (params: { skus: readonly string[]; listed: string }) =>
    `Expected the SKUs ${listed(params.skus)}, which differ in case only, got ${params.listed} alone.`,
  'corner-catalogs-merged': (params: { catalog: string; other: string; shades: number }) =>
    `Catalog ${params.catalog} lists ${counted(params.shades, 'shade')} of ${params.other}, an id that differs in case only.`,
  'corner-text-cut': (params: { field: string; values: number; characters: number; bytes: number }) =>
    `Expected each ${params.field} in full, got ${number(params.values)} cut off. The longest that is kept has ${counted(params.characters, 'character')} in ${counted(params.bytes, 'byte')}.`,
  'catalog-as-imported': ({ lists }: { lists: number }) =>
    `In ${counted(lists, 'list')}, every shade is as it was imported.`,
  'colours-in-other-notation': ({ got, sent }: { sent: string; got: string }) =>
    `A colour is listed in another notation: “${sent}” as “${got}”. That is the same colour, but readers of six digits may reject it.`,

  'pages-circle': ({ page: last }: { page: number }) =>
    `On page ${number(last)}, the link to the next page leads back to an earlier page, so the list has no end.`,
  'pages-unclear': ({ got, page: last }: { page: number; got: Got }) =>
    `Page ${number(last)} of the list ${gotText(got)}.`,
  'pages-not-kept': ({ page: last }: { page: number }) =>
    `The run did not keep the body of page ${number(last)} of the list.`,
  'pages-unspecified': ({ why }: { why: string }) =>
    `The list may be one page of several (${why}), and the interface document does not specify pages.`,
  'pages-more': ({ pages }: { pages: number }) =>
    `The list has more pages; the run requested ${number(pages)}.`,
  'pages-repeat-shades': ({ page: last, parameter }: { page: number; parameter: string }) =>
    `Shades are repeated on page ${number(last)}. It was requested with the parameter "${parameter}", whose name is not specified.`,
  'pages-repeat-page': ({ parameter }: { parameter: string }) =>
    `The same page came again for the parameter "${parameter}", whose name is not specified.`,
} as const;

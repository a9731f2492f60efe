import { counted, listed, number, range, verb } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { wording } from '../wording.ts';
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

const skus: Skus = { catalog: 'c1', shades: 2, skus: ['A', 'B'] };
const page = { page: 2 };

/** Reasons of the comparison of lists with imports, and of lists in pages. */
export const listReasons = {
  'list-unanswered': wording<{ readonly catalog: string; readonly got: Got }>(
    { catalog: 'c1', got: { lost: 'timeout' } },
    ({ catalog, got }) => `The list of catalog ${catalog} ${gotText(got)}.`,
  ),
  'list-status': wording<{ readonly catalog: string; readonly status: number | null }>(
    { catalog: 'c1', status: 404 },
    ({ catalog, status }) => `Expected 2xx for the list of catalog ${catalog}, got ${status}.`,
  ),
  'list-not-kept': wording(
    { catalog: 'c1' },
    ({ catalog }) => `The run did not keep the body of the list of catalog ${catalog}.`,
  ),
  'list-unreadable': wording(
    { catalog: 'c1', problem: '0.finish: expected string, got nothing' },
    ({ catalog, problem }) => `The list of catalog ${catalog} does not have the promised form: ${problem}.`,
  ),
  'list-foreign-shades': wording(
    skus,
    (params) =>
      `Catalog ${params.catalog} lists ${counted(params.shades, 'shade')} that ${verb(params.shades, 'was', 'were')} never imported: ${skusText(params)}.`,
  ),
  'list-repeated-skus': wording(
    skus,
    (params) =>
      `Catalog ${params.catalog} lists ${counted(params.shades, 'SKU')} more than once: ${skusText(params)}.`,
  ),
  'list-missing-shades': wording(
    skus,
    (params) =>
      `Catalog ${params.catalog} does not list ${counted(params.shades, 'imported shade')}: ${skusText(params)}.`,
  ),
  'list-field-changed': wording<{
    readonly catalog: string;
    readonly sku: string;
    readonly field: 'name' | 'hex' | 'finish';
    readonly sent: string;
    readonly got: string;
  }>(
    { catalog: 'c1', sku: 'A', field: 'name', sent: 'Rosé', got: 'RosÃ©' },
    ({ catalog, field, got, sent, sku }) =>
      `Expected the ${field} ${JSON.stringify(sent)} for shade ${sku} in catalog ${catalog}, got ${JSON.stringify(got)}.`,
  ),
  'list-requested-early': wording(
    {},
    () =>
      'The import got 202, and the list was requested before the shades had to be visible (profile: `import_visible`).',
  ),
  'catalog-count-differs': wording<{
    readonly catalog: string;
    readonly wrong: number;
    readonly lists: number;
    readonly seen: Bounds;
    readonly imported: Bounds;
  }>(
    { catalog: 'c1', wrong: 1, lists: 2, seen: { min: 35, max: 36 }, imported: { min: 36, max: 36 } },
    ({ catalog, imported, lists, seen, wrong }) =>
      `Expected ${range(imported)} as the number of shades in a list of catalog ${catalog}, got ${range(seen)}. This concerns ${number(wrong)} of ${counted(lists, 'list')}.`,
  ),
  'catalog-not-listed': wording(
    { catalog: 'c1' },
    ({ catalog }) => `Catalog ${catalog} was not listed after its import.`,
  ),
  'catalog-no-list': wording({}, () => 'No catalog was listed after its import.'),
  'catalog-as-imported': wording(
    { lists: 3 },
    ({ lists }) => `In ${counted(lists, 'list')}, every shade is as it was imported.`,
  ),

  'pages-circle': wording(
    page,
    ({ page: last }) =>
      `On page ${number(last)}, the link to the next page leads back to an earlier page, so the list has no end.`,
  ),
  'pages-unclear': wording<{ readonly page: number; readonly got: Got }>(
    { page: 2, got: { lost: 'timeout' } },
    ({ got, page: last }) => `Page ${number(last)} of the list ${gotText(got)}.`,
  ),
  'pages-not-kept': wording(
    page,
    ({ page: last }) => `The run did not keep the body of page ${number(last)} of the list.`,
  ),
  'pages-unspecified': wording(
    { why: 'it has a field "next_cursor"' },
    ({ why }) =>
      `The list may be one page of several (${why}), and the interface document does not specify pages.`,
  ),
  'pages-more': wording(
    { pages: 2 },
    ({ pages }) => `The list has more pages; the run requested ${number(pages)}.`,
  ),
  'pages-repeat-shades': wording(
    { page: 2, parameter: 'cursor' },
    ({ page: last, parameter }) =>
      `Shades are repeated on page ${number(last)}. It was requested with the parameter "${parameter}", whose name is not specified.`,
  ),
  'pages-repeat-page': wording(
    { parameter: 'cursor' },
    ({ parameter }) =>
      `The same page came again for the parameter "${parameter}", whose name is not specified.`,
  ),
} as const;

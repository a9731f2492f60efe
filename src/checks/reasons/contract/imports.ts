import { counted, listed, number } from '../../../amounts.ts';
import { wording } from '../wording.ts';
import { type Got, gotText } from './got.ts';

/** ` on 5 pages`; nothing for a list that came whole. */
function onPages(pages: number): string {
  return pages === 1 ? '' : ` on ${counted(pages, 'page')}`;
}

/** Reasons of the checks that import a few shades and list them. */
export const importReasons = {
  'import-unclear': wording<{ readonly got: Got }>(
    { got: { lost: 'timeout' } },
    ({ got }) => `The import ${gotText(got)}, so nothing is known.`,
  ),
  'import-got': wording<{ readonly shades: number | null; readonly got: Got }>(
    { shades: 501, got: { status: 422 } },
    ({ got, shades }) =>
      `The import${shades === null ? '' : ` of ${counted(shades, 'shade')}`} ${gotText(got)}.`,
  ),
  'import-list-unclear': wording<{ readonly got: Got }>(
    { got: { status: 500 } },
    ({ got }) => `The list after the import ${gotText(got)}, so nothing is known.`,
  ),
  'import-list-unreadable': wording({}, () => 'The list after the import cannot be read.'),
  'import-list-status': wording<{ readonly status: number | null }>(
    { status: 404 },
    ({ status }) => `Expected 2xx for the list after the import, got ${status}.`,
  ),
  'import-listed': wording(
    { shades: 500, pages: 2 },
    ({ pages, shades }) => `The list shows ${counted(shades, 'shade')}${onPages(pages)}, each once.`,
  ),
  'import-listed-otherwise': wording(
    { shades: 500, listed: 499, pages: 2 },
    (params) =>
      `Expected ${counted(params.shades, 'shade')} in the list, got ${number(params.listed)}${onPages(params.pages)}.`,
  ),
  'import-list-repeats': wording(
    { entries: 5, repeated: 1, pages: 2 },
    ({ entries, pages, repeated }) =>
      `Expected each SKU once in the list, got ${counted(repeated, 'repeated entry', 'repeated entries')} among ${number(entries)}${onPages(pages)}.`,
  ),
  'import-none-stored': wording({}, () => 'The list shows none of its shades.'),
  'import-partly-stored': wording<{ readonly listed: number; readonly shades: number | null }>(
    { listed: 12, shades: 501 },
    (params) =>
      `Expected none of its ${params.shades === null ? 'shades' : counted(params.shades, 'shade')} in the list, got ${number(params.listed)}.`,
  ),

  'batch-max-status': wording<{ readonly shades: number; readonly status: number | null }>(
    { shades: 500, status: 413 },
    ({ shades, status }) =>
      `Expected 2xx for an import of ${counted(shades, 'shade')}, which the interface allows, got ${status}.`,
  ),
  'batch-over-status': wording<{
    readonly shades: number;
    readonly limit: number;
    readonly status: number | null;
  }>(
    { shades: 501, limit: 500, status: 200 },
    ({ limit, shades, status }) =>
      `Expected 4xx for an import of ${counted(shades, 'shade')}, because the limit is ${number(limit)}, got ${status}.`,
  ),
  'names-rejected': wording<{ readonly status: number | null }>(
    { status: 422 },
    ({ status }) =>
      `The import of names beyond ASCII got ${status}. The interface document promises no alphabet, so this is not a failure.`,
  ),
  'names-not-listed': wording(
    {},
    () => 'The import of names beyond ASCII was accepted, but its catalog was not listed.',
  ),
  'names-listed': wording<{ readonly names: readonly string[] }>(
    { names: ['Œillet № 7', 'Pêche 🍑'] },
    ({ names }) =>
      `The list shows ${counted(names.length, 'name')} as imported: ${listed(
        names.map((name) => `"${name}"`),
        4,
      )}.`,
  ),
  'import-again-repeats': wording(
    { shades: 2, entries: 4, repeated: 2 },
    ({ entries, repeated, shades }) =>
      `Expected each SKU once after the same import of ${counted(shades, 'shade')} was sent twice. The list repeats a SKU in ${number(repeated)} of ${counted(entries, 'entry', 'entries')}.`,
  ),
  'import-again-unclear': wording<{ readonly which: 'first' | 'second'; readonly got: Got }>(
    { which: 'second', got: { lost: 'timeout' } },
    ({ got, which }) => `The ${which} of the two imports ${gotText(got)}, so it may not have been stored.`,
  ),
  'import-again-statuses': wording<{
    readonly firstStatus: number | null;
    readonly secondStatus: number | null;
  }>(
    { firstStatus: 200, secondStatus: 503 },
    ({ firstStatus, secondStatus }) =>
      `The imports got ${firstStatus} and ${secondStatus}, so one of them may not have been stored.`,
  ),
  'import-again-once': wording<{ readonly shades: number; readonly secondStatus: number | null }>(
    { shades: 2, secondStatus: 409 },
    ({ secondStatus, shades }) =>
      `The same import of ${counted(shades, 'shade')} was sent twice, and the second got ${secondStatus}. The list shows each SKU once.`,
  ),
  'sku-twice-no-count': wording<{ readonly got: Got }>(
    { got: { notSent: null } },
    ({ got }) =>
      `The request for a session on this catalog ${gotText(got)}, so there is no \`shade_count\` to compare.`,
  ),
  'sku-twice-equal': wording(
    { listed: 2 },
    (params) =>
      `The list of the catalog, with all its imports, shows ${counted(params.listed, 'shade')}. The \`shade_count\` of a new session is the same.`,
  ),
  'sku-twice-differs': wording(
    { listed: 2, count: 3 },
    ({ count, listed: shades }) =>
      `Expected \`shade_count\` ${number(shades)} as in the list, got ${number(count)}.`,
  ),
} as const;

import { counted, listed, number, verb } from '../../../amounts.ts';
import { type Got, gotText } from './got.ts';

/** ` on 5 pages`; nothing for a list that came whole. */
function onPages(pages: number): string {
  return pages === 1 ? '' : ` on ${counted(pages, 'page')}`;
}

/** Reasons of the checks that import a few shades and list them. */
export const importReasons = {
  'import-unclear': ({ got }: { got: Got }) => `The import ${gotText(got)}, so nothing is known.`,
  'import-got': ({ got, shades }: { shades: number | null; got: Got }) =>
    `The import${shades === null ? '' : ` of ${counted(shades, 'shade')}`} ${gotText(got)}.`,
  'import-list-unclear': ({ got }: { got: Got }) =>
    `The list after the import ${gotText(got)}, so nothing is known.`,
  'import-list-unreadable': 'The list after the import cannot be read.',
  'import-list-status': ({ status }: { status: number | null }) =>
    `Expected 2xx for the list after the import, got ${status}.`,
  'import-listed': ({ pages, shades }: { shades: number; pages: number }) =>
    `The list shows ${counted(shades, 'shade')}${onPages(pages)}, each once.`,
  'import-listed-otherwise': (params: { shades: number; listed: number; pages: number }) =>
    `Expected ${counted(params.shades, 'shade')} in the list, got ${number(params.listed)}${onPages(params.pages)}.`,
  'import-list-repeats': (params: { entries: number; repeated: number; pages: number }) =>
    `Expected each SKU once in the list, got ${counted(params.repeated, 'repeated entry', 'repeated entries')} among ${number(params.entries)}${onPages(params.pages)}.`,
  'import-none-stored': 'The list shows none of its shades.',
  'import-left-catalog': (params: { status: number; listStatus: number | null }) =>
    `The import got ${params.status}. Expected 404 for the list of its catalog, as for any unknown catalog, got ${params.listStatus} and no shades.`,
  'import-partly-stored': (params: { listed: number; shades: number | null }) =>
    `Expected none of its ${params.shades === null ? 'shades' : counted(params.shades, 'shade')} in the list, got ${number(params.listed)}.`,

  'import-update-whole': ({ lists, status }: { lists: number; status: number | null }) =>
    `The second import of the same SKUs got ${status}. Each of ${counted(lists, 'list')} shows every shade with all values of one import, and \`shade_count\` agrees.`,
  'import-update-mixed': ({ shades, sku }: { sku: string; shades: number }) =>
    `Expected the values of the first or of the second import, got a mixture in ${counted(shades, 'shade')}, for example in ${sku}.`,
  'import-update-partial': ({ fresh, stale }: { fresh: number; stale: number }) =>
    `Expected all shades of an accepted import to change, or none. Got ${counted(fresh, 'shade')} with new values and ${number(stale)} with old ones.`,
  'import-update-behind': ({ behind, lists }: { lists: number; behind: number }) =>
    `Expected the same in ${counted(lists, 'list')} after an accepted import. Got ${number(behind)} without what it brought.`,
  'large-import-removes': ({ removed, shades }: { shades: number; removed: number }) =>
    `Small imports kept the shades of the catalog. After an import of ${counted(shades, 'shade')}, the list lacks ${number(removed)} of them.`,
  'imports-at-once-listed': ({ imports }: { imports: number }) =>
    `The list shows every shade of ${counted(imports, 'import')} sent at the same time.`,
  'imports-at-once-missing': ({ imports, shades }: { imports: number; shades: number }) =>
    `Expected every shade of ${counted(imports, 'accepted import')} sent at the same time, but the list lacks ${number(shades)}.`,
  'imports-at-once-replaced':
    'The list shows nothing of earlier imports. Each import may replace the whole catalog, which the interface leaves open.',
  'lists-agree': ({ catalogs, pairs }: { pairs: number; catalogs: number }) =>
    `Of ${counted(catalogs, 'catalog')}, ${counted(pairs, 'pair')} of lists without an import between them ${verb(pairs, 'shows', 'show')} the same shades.`,
  'lists-differ': (params: { catalog: string; lacking: number; added: number; changed: number }) =>
    `Expected two lists of ${params.catalog} without an import between them to show the same. The later one lacks ${counted(params.lacking, 'shade')}, has ${number(params.added)} more, and shows ${number(params.changed)} with other values.`,
  'list-gone': ({ catalog, status }: { catalog: string; status: number | null }) =>
    `Expected the list of ${catalog} again, which was there before, got ${status}.`,

  'batch-max-status': ({ shades, status }: { shades: number; status: number | null }) =>
    `Expected 2xx for an import of ${counted(shades, 'shade')}, which the interface allows, got ${status}.`,
  'batch-over-status': (params: { shades: number; limit: number; status: number | null }) =>
    `Expected 4xx for an import of ${counted(params.shades, 'shade')}, because the limit is ${number(params.limit)}, got ${params.status}.`,
  'names-rejected': ({ status }: { status: number | null }) =>
    `The import of names beyond ASCII got ${status}. The interface document promises no alphabet, so this is not a failure.`,
  'names-not-listed': 'The import of names beyond ASCII was accepted, but its catalog was not listed.',
  'names-listed': ({ names }: { names: readonly string[] }) =>
    `The list shows ${counted(names.length, 'name')} as imported: ${listed(
      names.map((name) => `"${name}"`),
      4,
    )}.`,
  'import-again-repeats': (params: { shades: number; entries: number; repeated: number }) =>
    `Expected each SKU once after the same import of ${counted(params.shades, 'shade')} was sent twice. The list repeats a SKU in ${number(params.repeated)} of ${counted(params.entries, 'entry', 'entries')}.`,
  'import-of-nothing-removes': (params: { gone: number; listed: number }) =>
    `Expected an import of no shades to change nothing. Of ${counted(params.listed, 'shade')} that were listed before it, ${number(params.gone)} ${verb(params.gone, 'is', 'are')} gone.`,
  'import-again-unclear': ({ got, which }: { which: 'first' | 'second'; got: Got }) =>
    `The ${which} of the two imports ${gotText(got)}, so it may not have been stored.`,
  'import-again-statuses': (params: { firstStatus: number | null; secondStatus: number | null }) =>
    `The imports got ${params.firstStatus} and ${params.secondStatus}, so one of them may not have been stored.`,
  'import-again-once': ({ secondStatus, shades }: { shades: number; secondStatus: number | null }) =>
    `The same import of ${counted(shades, 'shade')} was sent twice, and the second got ${secondStatus}. The list shows each SKU once.`,
  'sku-twice-no-count': ({ got }: { got: Got }) =>
    `The request for a session on this catalog ${gotText(got)}, so there is no \`shade_count\` to compare.`,
  'sku-twice-equal': (params: { listed: number }) =>
    `The list of the catalog, with all its imports, shows ${counted(params.listed, 'shade')}. The \`shade_count\` of a new session is the same.`,
  'sku-twice-differs': ({ count, listed: shades }: { listed: number; count: number }) =>
    `Expected \`shade_count\` ${number(shades)} as in the list, got ${number(count)}.`,
} as const;

import { counted, number, verb } from '../../../amounts.ts';
import { kind } from '../kind.ts';

const importChecks = [
  'contract.catalog',
  'contract.names',
  'contract.batch-max',
  'contract.import-again',
  'contract.sku-twice',
  'contract.shade-count',
] as const;

/** Causes in how imports are stored and catalogs listed. */
export const catalogCauses = {
  'import-limit-not-enforced': kind<{ readonly shades: number; readonly limit: number }>({
    area: 'contract',
    text: ({ limit, shades }) =>
      `An import of ${counted(shades, 'shade')} is accepted; the limit is ${number(limit)}.`,
    example: { shades: 501, limit: 500 },
    behind: 'A size check that is missing, or that compares with another number than the limit.',
    explains: ['contract.batch-over'],
  }),
  'import-limit-too-low': kind<{ readonly shades: number; readonly status: number }>({
    area: 'contract',
    text: ({ shades, status }) =>
      `An import of ${counted(shades, 'shade')}, which the interface allows, gets ${status}.`,
    example: { shades: 500, status: 422 },
    behind: 'A size check that compares with a lower limit, or with >= where > is meant.',
    explains: ['contract.batch-max'],
  }),
  'import-truncated': kind<{ readonly sent: number; readonly listed: number }>({
    area: 'contract',
    text: (params) =>
      `An import of ${counted(params.sent, 'shade')} is accepted, and the list shows only ${number(params.listed)}.`,
    example: { sent: 501, listed: 500 },
    behind: 'An import that is cut to the limit instead of rejected.',
    explains: ['contract.batch-over', 'contract.batch-max'],
  }),
  'refused-import-stored': kind<{ readonly status: number; readonly listed: number }>({
    area: 'contract',
    text: (params) =>
      `An import that gets ${params.status} stores ${counted(params.listed, 'shade')} nevertheless.`,
    example: { status: 422, listed: 12 },
    behind: 'Rows that are inserted one by one, outside a transaction, before all are validated.',
    explains: ['contract.batch-malformed', 'contract.batch-over', 'contract.catalog', 'contract.shade-count'],
    covers: ['foreign-shades', 'shade-count-wrong'],
  }),
  'sku-stored-twice': kind<{ readonly repeated: number }>({
    area: 'contract',
    text: ({ repeated }) =>
      `A catalog can hold a SKU twice: ${counted(repeated, 'list entry repeats', 'list entries repeat')} an earlier one.`,
    example: { repeated: 30 },
    behind: 'A table without a unique key over catalog and SKU, or an insert where an upsert is meant.',
    explains: importChecks,
    covers: ['shade-count-wrong', 'sku-counted-twice', 'foreign-shades'],
  }),
  'sku-counted-twice': kind<{ readonly said: number; readonly listed: number }>({
    area: 'contract',
    text: (params) =>
      `A SKU that an import names twice counts twice: \`shade_count\` is ${number(params.said)}, and the list has ${counted(params.listed, 'shade')}.`,
    example: { said: 7, listed: 6 },
    behind: 'A count of the entries that an import sends instead of the rows that are stored.',
    explains: ['contract.sku-twice', 'contract.shade-count'],
  }),
  'shade-field-changed': kind<{ readonly field: string; readonly sent: string; readonly got: string }>({
    area: 'contract',
    text: ({ field, got, sent }) => `The ${field} of shades is changed: “${sent}” is listed as “${got}”.`,
    example: { field: 'name', sent: 'Crème brûlée', got: 'CrÃ¨me brÃ»lÃ©e' },
    behind:
      'A column that is too short or of another character set, or a value that is normalised on the way.',
    explains: ['contract.catalog', 'contract.names'],
    about: ({ field }) => field,
  }),
  'shade-field-missing': kind<{ readonly field: string }>({
    area: 'contract',
    text: ({ field }) => `Shades are listed without their ${field}.`,
    example: { field: 'finish' },
    behind: 'A column that is not selected, or a field that the serialiser does not know.',
    explains: [...importChecks, 'contract.answers'],
    about: ({ field }) => field,
    covers: ['answers-malformed'],
  }),
  'shades-missing': kind<{ readonly imported: number; readonly listed: number }>({
    area: 'contract',
    text: (params) =>
      `Of ${counted(params.imported, 'imported shade')}, the list shows ${number(params.listed)}.`,
    example: { imported: 120, listed: 100 },
    behind: 'A list with a page size that nothing announces, or an import that drops entries.',
    explains: importChecks,
    covers: ['shade-count-wrong', 'import-truncated'],
  }),
  'shades-listed-late': kind<{ readonly listed: number; readonly imported: number; readonly lateMs: number }>(
    {
      area: 'contract',
      text: (params) =>
        `New shades are listed late: ${number(params.lateMs)} ms after the import, the list shows ${number(params.listed)} of ${number(params.imported)}, and later all.`,
      example: { listed: 0, imported: 36, lateMs: 120 },
      behind: 'A list that is read from a replica or a cache, while the import is answered as done.',
      explains: importChecks,
      covers: ['shades-missing', 'import-truncated', 'shade-count-wrong', 'unexpected-status'],
    },
  ),
  'foreign-shades': kind<{ readonly shades: number }>({
    area: 'contract',
    text: ({ shades }) =>
      `Lists show ${counted(shades, 'shade')} that ${verb(shades, 'was', 'were')} not imported into their catalog.`,
    example: { shades: 1 },
    behind: 'A query without the catalog, or shades that an earlier import has left behind.',
    explains: ['contract.catalog', 'contract.batch-max', 'contract.shade-count'],
    covers: ['shade-count-wrong'],
  }),
  'pages-in-a-circle': kind<{ readonly page: number }>({
    area: 'contract',
    text: ({ page }) => `On page ${number(page)}, the link to the next page leads back to an earlier page.`,
    example: { page: 2 },
    behind: 'A cursor that is computed from the first entry of a page instead of the last.',
    explains: ['contract.catalog', 'contract.batch-max', 'contract.names'],
    covers: ['sku-stored-twice', 'shades-missing'],
  }),
  'shade-count-wrong': kind<{ readonly said: number; readonly expected: number }>({
    area: 'contract',
    text: ({ expected, said }) =>
      `A new session has \`shade_count\` ${number(said)}; its catalog has ${counted(expected, 'shade')}.`,
    example: { said: 35, expected: 36 },
    behind: 'A count that is cached, or taken over another set of rows than the list.',
    explains: ['contract.shade-count', 'contract.sku-twice'],
    covers: ['sku-counted-twice'],
  }),
} as const;

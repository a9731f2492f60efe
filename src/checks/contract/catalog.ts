import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { readShades } from '../../target/wire-schemas.ts';
import type { Shade } from '../../wire.ts';
import { counted, listed } from '../found.ts';
import { is2xx, type ProbeRow, unanswered } from '../probes.ts';
import { type CheckResult, type Evidence, evidence, mergeVerdicts, type Verdict } from '../verdict.ts';
import { countsByCatalog, shownCount } from './shade-count.ts';

const shadeRow = z.object({
  catalog_id: z.string(),
  sku: z.string(),
  name: z.string(),
  hex: z.string(),
  finish: z.string(),
});
type ShadeRow = z.output<typeof shadeRow>;

/** What one list answered, against what was imported. */
interface Compared {
  readonly verdict: Verdict;
  readonly differences: readonly string[];
}

/**
 * Lists of the imported catalogs show every shade once and as it was sent, and every later list as many. Needs the
 * table `contract_imported`.
 */
export async function checkCatalog(history: History, probes: readonly ProbeRow[]): Promise<CheckResult> {
  const lists = probes.filter((row) => row.probe === 'import:list');
  const clear = await clearCatalogs(history);
  const found: { readonly row: ProbeRow; readonly compared: Compared }[] = [];
  for (const row of lists) {
    const imported = await history.rows(
      shadeRow,
      'SELECT catalog_id, sku, name, hex, finish FROM catalog WHERE catalog_id = $id ORDER BY rowid',
      { id: row.catalog_id ?? '' },
    );
    found.push({ row, compared: compareList(row, imported, clear.has(row.catalog_id ?? '')) });
  }
  const counts = (await countsByCatalog(history, 'list-shades')).filter((row) => row.wrong > 0);
  const unlisted = [...clear].filter((id) => !lists.some((row) => row.catalog_id === id));
  const verdict = mergeVerdicts([
    ...found.map(({ compared }) => compared.verdict),
    ...counts.map((): Verdict => 'fail'),
    ...unlisted.map((): Verdict => 'inconclusive'),
  ]);
  const differences = [
    ...found.flatMap(({ row, compared }) => compared.differences.map((each) => `${row.catalog_id}: ${each}`)),
    ...counts.map(
      (row) =>
        `${row.catalog_id}: ${row.wrong} of ${row.seen} lists held ${row.smallest} to ${row.largest} shades, imported ${shownCount(row)}`,
    ),
    ...unlisted.map((id) => `${id}: was not listed after its import`),
  ];
  return {
    id: 'contract.catalog',
    title: 'An imported catalog is listed as it was sent',
    verdict,
    expected: 'every SKU once, with name, hex (in any case) and finish as imported, and no other',
    observed: { lists: found.length, differences: differences.slice(0, 20) },
    explanation:
      verdict === 'pass'
        ? `${counted(found.length, 'list')} matched what was imported.`
        : found.length === 0 && counts.length === 0
          ? 'No catalog was listed after its import.'
          : `Lists and imports differ: ${listed(differences)}.`,
    evidence: [
      ...listEvidence(
        'a list that differs',
        found.filter(({ compared }) => compared.verdict === 'fail'),
      ),
      ...counts.map((row) => ({
        what: `another number of shades in ${row.catalog_id}`,
        seqs: row.seqs,
        total: row.wrong,
      })),
      ...listEvidence(
        'a list that matches',
        found.filter(({ compared }) => compared.verdict === 'pass'),
      ),
    ],
  };
}

function listEvidence(what: string, found: readonly { readonly row: ProbeRow }[]): Evidence[] {
  return found.length === 0
    ? []
    : [
        evidence(
          what,
          found.map(({ row }) => row.seq),
        ),
      ];
}

/** The catalogs whose imports were all answered with success, but for those of probes. */
async function clearCatalogs(history: History): Promise<ReadonlySet<string>> {
  const clear = await history.rows(
    z.object({ catalog_id: z.string() }),
    `SELECT DISTINCT catalog_id FROM contract_imported JOIN catalog USING (catalog_id) WHERE least = most AND least > 0
       AND catalog_id NOT IN (SELECT catalog_id FROM requests
                              WHERE endpoint = 'import-shades' AND probe IS NOT NULL AND catalog_id IS NOT NULL)`,
  );
  return new Set(clear.map((row) => row.catalog_id));
}

function compareList(row: ProbeRow, imported: readonly ShadeRow[], clear: boolean): Compared {
  const silence = unanswered(row);
  if (silence !== undefined) return { verdict: 'inconclusive', differences: [`list: ${silence}`] };
  if (!is2xx(row)) {
    return { verdict: clear ? 'fail' : 'inconclusive', differences: [`list: status ${row.status}`] };
  }
  if (row.body === null) return { verdict: 'inconclusive', differences: ['list: its body was not kept'] };
  const read = readShades(JSON.parse(row.body));
  if (!read.ok) return { verdict: 'fail', differences: [read.problem] };
  const differences = differencesOf(read.value, imported);
  if (differences.length === 0) return { verdict: 'pass', differences };
  // After an import without a clear answer, shades may rightly be missing; anything else is still wrong.
  const certain = clear ? differences : differences.filter((each) => !each.endsWith(missing));
  return { verdict: certain.length > 0 ? 'fail' : 'inconclusive', differences };
}

const missing = 'is missing';

function differencesOf(listedShades: readonly Shade[], imported: readonly ShadeRow[]): string[] {
  // A SKU imported again replaces the earlier one.
  const expected = new Map(imported.map((shade) => [shade.sku, shade]));
  const seen = new Set<string>();
  const differences: string[] = [];
  for (const shade of listedShades) {
    const sent = expected.get(shade.sku);
    if (sent === undefined) differences.push(`${shade.sku} was never imported`);
    else if (seen.has(shade.sku)) differences.push(`${shade.sku} is listed twice`);
    else differences.push(...fieldDifferences(shade, sent));
    seen.add(shade.sku);
  }
  for (const sku of expected.keys()) {
    if (!seen.has(sku)) differences.push(`${sku} ${missing}`);
  }
  return differences;
}

function fieldDifferences(shade: Shade, sent: ShadeRow): string[] {
  const differences: string[] = [];
  if (shade.name !== sent.name) {
    differences.push(
      `${sent.sku} has the name ${JSON.stringify(shade.name)}, imported ${JSON.stringify(sent.name)}`,
    );
  }
  if (shade.hex.toUpperCase() !== sent.hex.toUpperCase()) {
    differences.push(`${sent.sku} has the hex ${shade.hex}, imported ${sent.hex}`);
  }
  if (shade.finish !== sent.finish) {
    differences.push(
      `${sent.sku} has the finish ${JSON.stringify(shade.finish)}, imported ${JSON.stringify(sent.finish)}`,
    );
  }
  return differences;
}

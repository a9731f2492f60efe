import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { caused, fits, type Suspect } from '../../causes/cause.ts';
import { is2xx, type ProbeRow } from '../../core/probes.ts';
import {
  type CheckFinding,
  type Evidence,
  evidenceIfAny,
  mergeVerdicts,
  type Verdict,
} from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { firstReasons, type Reason, reason } from '../../reasons/reason.ts';
import type { Imported } from '../imports/imported.ts';
import { cutShort, mayBePages, pageRows } from '../probes/pages.ts';
import { alteredLists } from './altered-lists.ts';
import { compareList, type ListComparison, shadesSent } from './compare-list.ts';
import { compareCorners, cornerReservations } from './corner-lists.ts';
import { type MissingCauses, missingCauses } from './late-lists.ts';
import { listedCounts } from './listed-counts.ts';
import { type CountsRow, countsByCatalog, countsOf } from './shade-count.ts';

const importRow = z.object({
  catalog_id: z.string(),
  clear: z.boolean(),
  due_ns: z.number().nullable(),
  probed: z.boolean(),
});
type ImportRow = z.output<typeof importRow>;

/** A list that was compared, or the counts of later ones. */
interface JudgedCount {
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  readonly evidence: Evidence | undefined;
  readonly causes: readonly Suspect[];
}

/**
 * Lists of the imported catalogs show every shade once and unchanged, and every later list as many. A list is requested
 * again while an import is in progress, so the last one of each catalog counts.
 */
export async function checkCatalog(
  history: History,
  imported: Imported,
  probes: readonly ProbeRow[],
): Promise<CheckFinding> {
  const listProbes = probes.filter((row) => row.probe === 'import:list');
  const lists = [...new Map(listProbes.map((row) => [row.catalog_id, row])).values()];
  const imports = new Map((await readImports(history, imported)).map((row) => [row.catalog_id, row]));
  const found: { readonly row: ProbeRow; readonly compared: ListComparison }[] = [];
  for (const row of lists) {
    const shades = await shadesSent(history, row.catalog_id ?? '');
    const known = imports.get(row.catalog_id ?? '');
    const compared = compareList(row, {
      shades,
      clear: known?.clear ?? false,
      dueNs: known?.due_ns ?? null,
    });
    found.push({ row, compared });
  }
  const corners = await compareCorners(history, probes);
  found.push(...corners.filter(({ compared }) => compared.verdict !== 'inconclusive'));
  const counts = [
    ...(await judgeCounts(history, imported, probes)),
    ...(await judgeUnlike(history, imported, probes)),
  ];
  const unlisted = [...imports.values()].filter(
    (row) => row.clear && !row.probed && !lists.some((list) => list.catalog_id === row.catalog_id),
  );
  const compared = new Set(found.map(({ row }) => row.seq));
  const altered = (await alteredLists(history, probes)).filter(({ seq }) => !compared.has(seq));
  const verdict = mergeVerdicts([
    ...altered.map((): Verdict => 'fail'),
    ...found.map(({ compared }) => compared.verdict),
    ...counts.map((each) => each.verdict),
    ...unlisted.map((): Verdict => 'inconclusive'),
  ]);
  const differences = [
    ...found.flatMap(({ compared }) => compared.reasons),
    ...altered.map(({ why }) => why),
    ...counts.flatMap((each) => each.reasons),
    ...unlisted.map((row) => reason('catalog-not-listed', { catalog: row.catalog_id })),
  ];
  return {
    id: 'contract.catalog',
    verdict,
    expected: expects('contract.catalog'),
    observed: { lists: found.length, differences: differences.length },
    reasons:
      verdict === 'pass'
        ? [
            reason('catalog-as-imported', { lists: found.length }),
            ...found.flatMap(({ compared: { notation } }) => notation ?? []).slice(0, 1),
            ...cornerReservations(probes, corners),
          ]
        : found.length === 0 && counts.length === 0 && altered.length === 0
          ? [reason('catalog-no-list')]
          : firstReasons(differences),
    evidence: [
      ...listEvidence('a list that differs', found, 'fail'),
      ...evidenceIfAny(
        'another list that differs',
        altered.map(({ seq }) => seq),
      ),
      ...counts.flatMap((each) => (each.evidence === undefined ? [] : [each.evidence])),
      ...listEvidence('a list that matches', found, 'pass'),
    ],
    ...(verdict === 'fail' &&
      caused([
        ...(await causesOf(history, found, counts)),
        ...altered.slice(0, 1).map(({ suspect }) => suspect),
      ])),
  };
}

async function causesOf(
  history: History,
  found: readonly { readonly row: ProbeRow; readonly compared: ListComparison }[],
  counts: readonly JudgedCount[],
): Promise<Suspect[]> {
  const causes: Suspect[] = [];
  const missing: MissingCauses[] = [];
  for (const { compared, row } of found) {
    if (compared.verdict !== 'fail') continue;
    for (const suspect of compared.causes) {
      const { cause } = suspect;
      if (cause.code === 'shades-missing')
        missing.push(await missingCauses(history, row.catalog_id ?? '', suspect, cause.params.imported));
      else causes.push(suspect);
    }
  }
  const ofCounts = counts.flatMap((each) => each.causes);
  return [...causes, ...notOnlyLate(missing, ofCounts), ...ofCounts];
}

/** Where one catalog is shown to be listed late, others that were requested as early are no sign of missing shades. */
function notOnlyLate(missing: readonly MissingCauses[], others: readonly Suspect[]): Suspect[] {
  const all = [...missing.flatMap(({ causes }) => causes), ...others];
  const lateMs = Math.max(
    0,
    ...all.map(({ cause }) => (cause.code === 'shades-listed-late' ? cause.params.lateMs : 0)),
  );
  return missing
    .filter(({ shortForMs }) => shortForMs === undefined || shortForMs > lateMs)
    .flatMap(({ causes }) => causes);
}

function listEvidence(
  what: string,
  found: readonly { readonly row: ProbeRow; readonly compared: ListComparison }[],
  verdict: Verdict,
): Evidence[] {
  const seqs = found.filter(({ compared }) => compared.verdict === verdict).map(({ row }) => row.seq);
  return evidenceIfAny(what, seqs);
}

/** The catalogs with shades on record. `clear`: all imports got 2xx; `probed`: a probe imported it. */
function readImports(history: History, imported: Imported): Promise<ImportRow[]> {
  return history.rows(
    importRow,
    `SELECT catalog_id, least = most AND least > 0 AS clear, due_ns,
            catalog_id IN (SELECT catalog_id FROM requests
                           WHERE endpoint = 'import-shades' AND probe IS NOT NULL AND catalog_id IS NOT NULL) AS probed
     FROM ${imported} WHERE catalog_id IN (SELECT catalog_id FROM catalog)`,
  );
}

/**
 * Later lists with another number of shades. Their bodies are not kept: where a list came in pages, later ones may be
 * such first pages.
 */
async function judgeCounts(
  history: History,
  imported: Imported,
  probes: readonly ProbeRow[],
): Promise<JudgedCount[]> {
  const lists = probes.filter((row) => row.endpoint === 'list-shades');
  const firstPages = lists.filter((row) => pageRows(row).length > 1 && cutShort(row) === undefined);
  const rows = await countsByCatalog(history, imported, 'list-shades', firstPages);
  const cut = lists.map(cutShort).find((each) => each !== undefined);
  const excuse = cut ?? mayBePages(lists.filter(is2xx));
  // A catalog that was listed to its end in one answer does not need more of them later.
  const inOne = lists.filter((row) => row.pages?.end.kind === 'whole' && pageRows(row).length === 1);
  const judged: JudgedCount[] = [];
  for (const row of rows.filter(({ wrong }) => wrong > 0)) {
    const isInOne = inOne.some((list) => list.catalog_id === row.catalog_id && list.count === row.least);
    const excused = excuse !== undefined && row.over === 0 && !isInOne;
    judged.push({
      verdict: excused ? 'inconclusive' : 'fail',
      reasons: [
        reason('catalog-count-differs', { ...countsOf(row), wrong: row.wrong, lists: row.seen }),
        ...(excused ? [excuse] : []),
      ],
      evidence: {
        what: `another number of shades in ${row.catalog_id}`,
        seqs: row.seqs,
        total: row.wrong,
      },
      causes: excused ? [] : await countCauses(history, row),
    });
  }
  return judged;
}

/** Lists of the load that have another length than a list that a probe requested. */
async function judgeUnlike(
  history: History,
  imported: Imported,
  probes: readonly ProbeRow[],
): Promise<JudgedCount[]> {
  const lists = await listedCounts(history, imported, probes, 'list-shades');
  return lists
    .filter(({ listed, said }) => said !== listed)
    .map(({ answers, catalog, listed, said, seqs }) => ({
      verdict: 'fail',
      reasons: [
        reason('catalog-count-differs', {
          catalog,
          seen: { min: said, max: said },
          imported: { min: listed, max: listed },
          wrong: answers,
          lists: answers,
        }),
      ],
      evidence: { what: `another number of shades in ${catalog}`, seqs, total: answers },
      causes: [
        said > listed
          ? fits('foreign-shades', { shades: said - listed }, seqs)
          : fits('shades-missing', { imported: listed, listed: said }, seqs),
      ],
    }));
}

/** Time does not explain more shades than were imported. */
async function countCauses(history: History, row: CountsRow): Promise<readonly Suspect[]> {
  const { catalog_id, largest, least, most, over, seqs, smallest } = row;
  if (over > 0) return [fits('foreign-shades', { shades: largest - most }, seqs)];
  const missing = fits('shades-missing', { imported: least, listed: smallest }, seqs);
  const { causes } = await missingCauses(history, catalog_id, missing, least);
  return causes;
}

import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { readShades } from '../../target/wire-schemas.ts';
import type { Shade } from '../../wire.ts';
import { is2xx, type ProbeRow, unanswered } from '../probes.ts';
import type { Verdict } from '../verdict.ts';
import { askedEarly, earlyText } from './imported.ts';
import { cutShort, pageFault, pageRows } from './pages.ts';

const importedShade = z.object({ sku: z.string(), name: z.string(), hex: z.string(), finish: z.string() });
/** A shade as it was imported. */
export type ImportedShade = z.output<typeof importedShade>;

/** The shades that were sent into a catalog, in that order. */
export function shadesSent(history: History, catalogId: string): Promise<ImportedShade[]> {
  return history.rows(
    importedShade,
    'SELECT sku, name, hex, finish FROM catalog WHERE catalog_id = $id ORDER BY rowid',
    { id: catalogId },
  );
}

/** What is known of the import that a list is to show. */
export interface ListedImport {
  readonly shades: readonly ImportedShade[];
  /** Every batch was answered with success. */
  readonly clear: boolean;
  /** When it has to show; null: at once. */
  readonly dueNs: number | null;
}

/** What one list answered, against what was imported. */
export interface Compared {
  readonly verdict: Verdict;
  readonly differences: readonly string[];
}

/** Compares a list with the import. What may rightly be missing is a doubt; anything else that differs is wrong. */
export function compareList(row: ProbeRow, imported: ListedImport): Compared {
  const silence = unanswered(row);
  if (silence !== undefined) return { verdict: 'inconclusive', differences: [`list: ${silence}`] };
  const early = askedEarly(row, imported.dueNs);
  if (!is2xx(row)) {
    const doubt = !imported.clear || (early && row.status === 404);
    return {
      verdict: doubt ? 'inconclusive' : 'fail',
      differences: [`list: status ${row.status}${early ? `; ${earlyText}` : ''}`],
    };
  }
  if (row.body === null) return { verdict: 'inconclusive', differences: ['list: its body was not kept'] };
  const listed: Shade[] = [];
  for (const page of pageRows(row)) {
    if (page.body === null || !is2xx(page)) continue;
    const read = readShades(JSON.parse(page.body));
    if (!read.ok) return { verdict: 'fail', differences: [read.problem] };
    listed.push(...read.value);
  }
  const differences = differencesOf(listed, imported.shades);
  const { missing } = differences;
  const fault = pageFault(row);
  const wrong = fault === undefined ? differences.wrong : [fault, ...differences.wrong];
  const excuse = early ? earlyText : cutShort(row);
  const excused = missing.length > 0 && excuse !== undefined ? [excuse] : [];
  const certain = imported.clear && excuse === undefined ? [...wrong, ...missing] : wrong;
  return {
    verdict: certain.length > 0 ? 'fail' : missing.length > 0 ? 'inconclusive' : 'pass',
    differences: [...wrong, ...excused, ...missing],
  };
}

interface Differences {
  readonly wrong: readonly string[];
  readonly missing: readonly string[];
}

function differencesOf(listedShades: readonly Shade[], imported: readonly ImportedShade[]): Differences {
  // A SKU imported again replaces the earlier one.
  const expected = new Map(imported.map((shade) => [shade.sku, shade]));
  const seen = new Set<string>();
  const wrong: string[] = [];
  for (const shade of listedShades) {
    const sent = expected.get(shade.sku);
    if (sent === undefined) wrong.push(`${shade.sku} was never imported`);
    else if (seen.has(shade.sku)) wrong.push(`${shade.sku} is listed twice`);
    else wrong.push(...fieldDifferences(shade, sent));
    seen.add(shade.sku);
  }
  const missing = [...expected.keys()].filter((sku) => !seen.has(sku)).map((sku) => `${sku} is missing`);
  return { wrong, missing };
}

function fieldDifferences(shade: Shade, sent: ImportedShade): string[] {
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

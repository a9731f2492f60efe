import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { isObject } from '../../target/json.ts';
import { findShadeList } from '../../target/shade-list.ts';
import { readShades } from '../../target/wire-schemas.ts';
import type { Shade } from '../../wire.ts';
import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import { is2xx, type ProbeRow, unanswered } from '../probes.ts';
import type { Verdict } from '../verdict.ts';
import { statusCause } from './error-causes.ts';
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
  readonly causes: readonly Suspect[];
}

/** Compares a list with the import. What may rightly be missing is a doubt; anything else that differs is wrong. */
export function compareList(row: ProbeRow, imported: ListedImport): Compared {
  const silence = unanswered(row);
  if (silence !== undefined)
    return { verdict: 'inconclusive', differences: [`list: ${silence}`], causes: [] };
  const early = askedEarly(row, imported.dueNs);
  if (!is2xx(row)) {
    const doubt = !imported.clear || (early && row.status === 404);
    return {
      verdict: doubt ? 'inconclusive' : 'fail',
      differences: [`list: status ${row.status}${early ? `; ${earlyText}` : ''}`],
      causes:
        row.status === 404
          ? [fits('shades-missing', { imported: imported.shades.length, listed: 0 }, [row.seq])]
          : statusCause(row),
    };
  }
  if (row.body === null)
    return { verdict: 'inconclusive', differences: ['list: its body was not kept'], causes: [] };
  const listed: Shade[] = [];
  for (const page of pageRows(row)) {
    if (page.body === null || !is2xx(page)) continue;
    const read = readShades(JSON.parse(page.body));
    if (!read.ok)
      return { verdict: 'fail', differences: [read.problem], causes: formCauses(page, read.problem) };
    listed.push(...read.value);
  }
  const differences = differencesOf(listed, imported.shades, row.seq);
  const { missing } = differences;
  const expectedCount = new Set(imported.shades.map(({ sku }) => sku)).size;
  const fault = pageFault(row);
  const wrong = fault === undefined ? differences.wrong : [fault, ...differences.wrong];
  const excuse = early ? earlyText : cutShort(row);
  const excused = missing.length > 0 && excuse !== undefined ? [excuse] : [];
  const isMissing = missing.length > 0 && imported.clear && excuse === undefined;
  const certain = isMissing ? [...wrong, ...missing] : wrong;
  return {
    verdict: certain.length > 0 ? 'fail' : missing.length > 0 ? 'inconclusive' : 'pass',
    differences: [...wrong, ...excused, ...missing],
    causes: [
      ...(fault === undefined ? [] : [shown('pages-in-a-circle', { page: pageRows(row).length }, [row.seq])]),
      ...differences.causes,
      ...(!isMissing
        ? []
        : [
            fits('shades-missing', { imported: expectedCount, listed: expectedCount - missing.length }, [
              row.seq,
            ]),
          ]),
    ],
  };
}

/** The fields that every shade has lost, or otherwise that the answer has another form. */
function formCauses({ body, endpoint, seq }: ProbeRow, problem: string): Suspect[] {
  const entries = findShadeList(JSON.parse(body ?? 'null'))?.list.filter(isObject) ?? [];
  const lost = ['name', 'hex', 'finish'].filter(
    (field) =>
      entries.length > 0 && entries.every((entry) => entry[field] === undefined || entry[field] === null),
  );
  return lost.length > 0
    ? lost.map((field) => shown('shade-field-missing', { field }, [seq]))
    : [fits('answers-malformed', { endpoint, problem }, [seq])];
}

interface Differences {
  readonly wrong: readonly string[];
  readonly missing: readonly string[];
  readonly causes: readonly Suspect[];
}

function differencesOf(
  listedShades: readonly Shade[],
  imported: readonly ImportedShade[],
  seq: number,
): Differences {
  // A SKU imported again replaces the earlier one.
  const expected = new Map(imported.map((shade) => [shade.sku, shade]));
  const seen = new Set<string>();
  const wrong: string[] = [];
  const changed: ChangedField[] = [];
  let foreign = 0;
  let repeated = 0;
  for (const shade of listedShades) {
    const sent = expected.get(shade.sku);
    if (sent === undefined) {
      wrong.push(`${shade.sku} was never imported`);
      foreign++;
    } else if (seen.has(shade.sku)) {
      wrong.push(`${shade.sku} is listed twice`);
      repeated++;
    } else {
      const fields = changedFields(shade, sent);
      wrong.push(...fields.map(({ words }) => words));
      changed.push(...fields);
    }
    seen.add(shade.sku);
  }
  const missing = [...expected.keys()].filter((sku) => !seen.has(sku)).map((sku) => `${sku} is missing`);
  const firstOfField = new Map(changed.toReversed().map((each) => [each.field, each]));
  return {
    wrong,
    missing,
    causes: [
      ...[...firstOfField.values()].map(({ field, got, sent }) =>
        shown('shade-field-changed', { field, sent, got }, [seq]),
      ),
      ...(repeated > 0 ? [shown('sku-stored-twice', { repeated }, [seq])] : []),
      ...(foreign > 0 ? [fits('foreign-shades', { shades: foreign }, [seq])] : []),
    ],
  };
}

interface ChangedField {
  readonly field: 'name' | 'hex' | 'finish';
  readonly sent: string;
  readonly got: string;
  readonly words: string;
}

function changedFields(shade: Shade, sent: ImportedShade): ChangedField[] {
  return (['name', 'hex', 'finish'] as const).flatMap((field) => {
    const isSame =
      field === 'hex' ? shade.hex.toUpperCase() === sent.hex.toUpperCase() : shade[field] === sent[field];
    if (isSame) return [];
    const quote = field === 'hex' ? String : JSON.stringify;
    const words = `${sent.sku} has the ${field} ${quote(shade[field])}, imported ${quote(sent[field])}`;
    return [{ field, sent: sent[field], got: shade[field], words }];
  });
}

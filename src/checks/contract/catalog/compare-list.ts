import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { isObject } from '../../../target/json.ts';
import { findShadeList } from '../../../target/shade-list.ts';
import { readShades } from '../../../target/wire-schemas.ts';
import type { Shade } from '../../../wire.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { gotOf, is2xx, type ProbeRow, unanswered } from '../../core/probes.ts';
import type { Verdict } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { askedEarly } from '../imports/imported.ts';
import { statusCause } from '../probes/error-causes.ts';
import { circleOf, cutShort, pageRows } from '../probes/pages.ts';
import { changedSku, missingAlike } from './missing-alike.ts';

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

/** What is known of the import that a list has to show. */
interface ListedImport {
  readonly shades: readonly ImportedShade[];
  /** Every batch was answered with success. */
  readonly clear: boolean;
  /** When it has to show; null: at once. */
  readonly dueNs: number | null;
}

/** Something wrong with a list, and what may have caused it. */
export interface ListFault {
  readonly why: Reason;
  readonly suspect: Suspect;
}

/** A list, compared with what was imported. */
export interface ListComparison {
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  readonly causes: readonly Suspect[];
  /** A colour with other digits than were sent: no difference, but worth a remark. */
  readonly notation?: Reason | undefined;
}

/**
 * Compares a list with the import. What may rightly be missing is a doubt; anything else that differs is wrong. `asSent`: the
 * shades as they were sent, where a difference is allowed.
 */
export function compareList(
  row: ProbeRow,
  imported: ListedImport,
  asSent: (shades: readonly Shade[]) => readonly Shade[] = (shades) => shades,
): ListComparison {
  const catalog = row.catalog_id ?? '';
  if (unanswered(row) !== undefined) return doubted(reason('list-unanswered', { catalog, got: gotOf(row) }));
  const early = askedEarly(row, imported.dueNs) ? [reason('list-requested-early')] : [];
  if (!is2xx(row)) {
    const doubt = !imported.clear || (early.length > 0 && row.status === 404);
    return {
      verdict: doubt ? 'inconclusive' : 'fail',
      reasons: [reason('list-status', { catalog, status: row.status }), ...early],
      causes:
        row.status === 404
          ? [fits('shades-missing', { imported: imported.shades.length, listed: 0 }, [row.seq])]
          : statusCause(row),
    };
  }
  if (row.body === null) return doubted(reason('list-not-kept', { catalog }));
  const listed: Shade[] = [];
  for (const page of pageRows(row)) {
    if (page.body === null || !is2xx(page)) continue;
    const read = readShades(JSON.parse(page.body));
    if (!read.ok)
      return {
        verdict: 'fail',
        reasons: [reason('list-unreadable', { catalog, problem: read.problem })],
        causes: formCauses(page, read.problem),
      };
    listed.push(...asSent(read.value));
  }
  return compareShades(row, listed, imported, early[0]);
}

function doubted(why: Reason): ListComparison {
  return { verdict: 'inconclusive', reasons: [why], causes: [] };
}

/** `early`: why shades may be missing still. */
function compareShades(
  row: ProbeRow,
  listed: readonly Shade[],
  imported: ListedImport,
  early: Reason | undefined,
): ListComparison {
  const catalog = row.catalog_id ?? '';
  const differences = differencesOf(listed, imported.shades, row);
  const { missing } = differences;
  const expectedCount = new Set(imported.shades.map(({ sku }) => sku)).size;
  const page = circleOf(row);
  const wrong = [...(page === undefined ? [] : [reason('pages-circle', { page })]), ...differences.reasons];
  const excuse = early ?? cutShort(row);
  const isMissing = missing.length > 0 && imported.clear && excuse === undefined;
  const isCertain = wrong.length > 0 || isMissing;
  const last = [...new Map(imported.shades.map((shade) => [shade.sku, shade])).values()];
  const alike = missingAlike(last, new Set(missing), [row.seq]);
  return {
    notation: notationOf(listed, imported.shades),
    verdict: isCertain ? 'fail' : missing.length > 0 ? 'inconclusive' : 'pass',
    reasons: [
      ...wrong,
      ...(missing.length === 0
        ? []
        : [
            ...(excuse === undefined ? [] : [excuse]),
            reason('list-missing-shades', { catalog, ...some(missing) }),
          ]),
    ],
    causes: [
      ...(page === undefined ? [] : [shown('pages-in-a-circle', { page }, [row.seq])]),
      ...differences.causes,
      ...(!isMissing
        ? []
        : [
            fits('shades-missing', { imported: expectedCount, listed: expectedCount - missing.length }, [
              row.seq,
            ]),
            ...(alike === undefined ? [] : [alike]),
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
  readonly reasons: readonly Reason[];
  /** SKUs. */
  readonly missing: readonly string[];
  readonly causes: readonly Suspect[];
}

function differencesOf(
  listedShades: readonly Shade[],
  imported: readonly ImportedShade[],
  { catalog_id, seq }: ProbeRow,
): Differences {
  const catalog = catalog_id ?? '';
  // A SKU imported again replaces the earlier one.
  const expected = new Map(imported.map((shade) => [shade.sku, shade]));
  const seen = new Set<string>();
  const changed: ChangedField[] = [];
  const foreign: string[] = [];
  const repeated: string[] = [];
  for (const shade of listedShades) {
    const sent = expected.get(shade.sku);
    if (sent === undefined) foreign.push(shade.sku);
    else if (seen.has(shade.sku)) repeated.push(shade.sku);
    else changed.push(...changedFields(shade, sent));
    seen.add(shade.sku);
  }
  const firstOfField = new Map(changed.toReversed().map((each) => [each.field, each]));
  const missing = [...expected.keys()].filter((sku) => !seen.has(sku));
  const sku = changedSku(missing, foreign);
  return {
    reasons: [
      ...(foreign.length === 0 ? [] : [reason('list-foreign-shades', { catalog, ...some(foreign) })]),
      ...(repeated.length === 0 ? [] : [reason('list-repeated-skus', { catalog, ...some(repeated) })]),
      ...changed.map((each) => reason('list-field-changed', { catalog, ...each })),
    ],
    missing,
    causes: [
      ...[...firstOfField.values()].map(({ field, got, sent }) =>
        shown('shade-field-changed', { field, sent, got }, [seq]),
      ),
      ...(repeated.length > 0 ? [shown('sku-stored-twice', { repeated: repeated.length }, [seq])] : []),
      ...(sku === undefined ? [] : [shown('shade-field-changed', { field: 'sku', ...sku }, [seq])]),
      ...(foreign.length > 0 ? [fits('foreign-shades', { shades: foreign.length }, [seq])] : []),
    ],
  };
}

/** How many there are, and the first of them. */
function some(skus: readonly string[]): { readonly shades: number; readonly skus: readonly string[] } {
  return { shades: skus.length, skus: skus.slice(0, 6) };
}

/** A field of a listed shade with another value than was sent. */
export interface ChangedField {
  readonly sku: string;
  readonly field: 'name' | 'hex' | 'finish';
  readonly sent: string;
  readonly got: string;
}

/** The fields of a listed shade that differ from those sent. */
export function changedFields(shade: Shade, sent: ImportedShade): ChangedField[] {
  return (['name', 'hex', 'finish'] as const).flatMap((field) => {
    const isSame =
      field === 'hex' ? colourOf(shade.hex) === colourOf(sent.hex) : shade[field] === sent[field];
    return isSame ? [] : [{ sku: sent.sku, field, sent: sent[field], got: shade[field] }];
  });
}

/** Of `#RRGGBB`. */
const usualLength = 7;

function notationOf(listed: readonly Shade[], imported: readonly ImportedShade[]): Reason | undefined {
  const sentOf = new Map(imported.map(({ hex, sku }) => [sku, hex]));
  for (const { hex: got, sku } of listed) {
    const sent = sentOf.get(sku);
    if (
      sent !== undefined &&
      got.length !== usualLength &&
      sent.length !== got.length &&
      colourOf(sent) === colourOf(got)
    )
      return reason('colours-in-other-notation', { sent, got });
  }
  return undefined;
}

/** A colour in one notation: capital letters, each of 3 or 4 digits doubled, and without an opacity of 100 %. */
export function colourOf(hex: string): string {
  const digits = hex.slice(1).toUpperCase();
  const whole = digits.length < 5 ? digits.replace(/./g, '$&$&') : digits;
  return hex[0] + (whole.length === 8 ? whole.replace(/FF$/, '') : whole);
}

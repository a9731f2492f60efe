import { z } from 'zod';
import { foldedText, isOpenText } from '../../../corners/texts.ts';
import type { History } from '../../../history/history.ts';
import type { Shade } from '../../../wire.ts';
import { shown } from '../../causes/cause.ts';
import { is2xx, type ProbeRow } from '../../core/probes.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { skusListed } from '../probes/asked.ts';
import { isServerError, statusCause } from '../probes/error-causes.ts';
import {
  colourOf,
  compareList,
  type ImportedShade,
  type ListComparison,
  type ListFault,
  shadesSent,
} from './compare-list.ts';

/** A list of a catalog with unusual values, compared. */
interface CornerList {
  readonly row: ProbeRow;
  readonly compared: ListComparison;
}

/**
 * Lists of the catalogs with unusual values, which are to be as they were accepted. A batch that is rejected is not judged:
 * the interface promises no alphabet and no length. Nor is a difference that comes from what a service takes for the same
 * text: letters composed and decomposed, or a space at the end.
 */
export async function compareCorners(history: History, probes: readonly ProbeRow[]): Promise<CornerList[]> {
  const imports = probes.filter((row) => row.probe === 'corners:import');
  const lists = probes.filter((row) => row.probe === 'corners:list');
  const compared: CornerList[] = [];
  for (const catalogId of new Set(imports.map((row) => row.catalog_id ?? ''))) {
    const batches = imports.filter((row) => row.catalog_id === catalogId);
    const failed = batches.find(isServerError);
    if (failed !== undefined) {
      compared.push({ row: failed, compared: serverError(failed) });
      continue;
    }
    const list = lists.findLast((row) => row.catalog_id === catalogId);
    if (list === undefined || isLeftOpen(list, imports)) continue;
    if (batches.every(isRejected)) {
      compared.push({ row: list, compared: rejectedList(list, batches, await ownSkus(history, catalogId)) });
      continue;
    }
    const sent = acceptedOf(batches, await shadesSent(history, catalogId));
    if (sent.length === 0 || isLeftOut(list, sent)) continue;
    const last = batches.findLast((row) => row.status === 202);
    const dueNs = last === undefined ? null : (last.answered_ns ?? 0) + history.profile.import_visible * 1e6;
    compared.push({ row: list, compared: await compareCorner(history, probes, list, { sent, dueNs }) });
  }
  return compared;
}

/** The shades that were accepted. Of several batches that were not all accepted, each has one shade, or it is not known. */
function acceptedOf(
  batches: readonly ProbeRow[],
  shades: readonly ImportedShade[],
): readonly ImportedShade[] {
  if (batches.every(is2xx)) return shades;
  if (batches.length !== shades.length) return [];
  return shades.filter((_, place) => batches.some((row, at) => at === place && is2xx(row)));
}

/**
 * Whether a list says nothing: an id in a URL may be rejected for its characters, and a catalog may be the same as another
 * whose id differs in a space or in how its letters are composed.
 */
function isLeftOpen(list: ProbeRow, imports: readonly ProbeRow[]): boolean {
  const { catalog_id, status } = list;
  const isRejected = status !== null && status >= 400 && status < 500 && status !== 404;
  const folded = foldedText(catalog_id ?? '');
  return (
    isRejected ||
    imports.some((row) => row.catalog_id !== catalog_id && foldedText(row.catalog_id ?? '') === folded)
  );
}

/** A colour of the form that the interface shows. */
const usualColour = /^#[\da-f]{6}$/i;

/**
 * Whether the list shows none of the shades, each of which has another colour than the interface shows: a service may answer for
 * the batch and leave out such a shade, at once or later.
 */
function isLeftOut(list: ProbeRow, sent: readonly ImportedShade[]): boolean {
  if (sent.some(({ hex }) => usualColour.test(hex))) return false;
  const listed = list.status === 404 ? [] : skusListed(list);
  return listed !== undefined && !sent.some(({ sku }) => listed.includes(sku));
}

/** Whether a colour has lost nothing but its opacity, which the interface does not show. */
function isWithoutOpacity(got: string, sent: string): boolean {
  const digits = colourOf(sent).slice(1);
  return digits.length === 8 && colourOf(got) === `#${digits.slice(0, 6)}`;
}

function isRejected({ status }: ProbeRow): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 429;
}

/** The SKUs that were sent into this catalog alone. */
async function ownSkus(history: History, catalogId: string): Promise<ReadonlySet<string>> {
  const rows = await history.rows(
    z.object({ sku: z.string() }),
    'SELECT sku FROM catalog GROUP BY sku HAVING bool_and(catalog_id = $id)',
    { id: catalogId },
  );
  return new Set(rows.map(({ sku }) => sku));
}

/** A batch that is rejected leaves nothing behind. */
function rejectedList(
  list: ProbeRow,
  batches: readonly ProbeRow[],
  own: ReadonlySet<string>,
): ListComparison {
  const listed = list.status === 404 ? 0 : skusListed(list)?.filter((sku) => own.has(sku)).length;
  const status = batches[0]?.status ?? 0;
  const seqs = [...batches, list].map(({ seq }) => seq);
  if (listed === undefined) return { verdict: 'inconclusive', reasons: [], causes: [] };
  return listed === 0
    ? { verdict: 'pass', reasons: [], causes: [] }
    : {
        verdict: 'fail',
        reasons: [reason('corner-rejected-stored', { catalog: list.catalog_id ?? '', listed, status })],
        causes: [shown('refused-import-stored', { status, listed }, seqs)],
      };
}

function serverError(row: ProbeRow): ListComparison {
  return {
    verdict: 'fail',
    reasons: [reason('corner-import-error', { catalog: row.catalog_id ?? '', status: row.status ?? 0 })],
    causes: statusCause(row),
  };
}

async function compareCorner(
  history: History,
  probes: readonly ProbeRow[],
  list: ProbeRow,
  { dueNs, sent }: { readonly sent: readonly ImportedShade[]; readonly dueNs: number | null },
): Promise<ListComparison> {
  const first = compareList(list, { shades: sent, clear: true, dueNs });
  if (first.verdict !== 'fail') return first;
  const listed = skusListed(list);
  if (listed === undefined) return first;
  const expected = new Map(sent.map((shade) => [shade.sku, shade]));
  // What a service may take for the same text is left out of the comparison, on both sides.
  const open = new Set([...expected.keys()].filter(isOpenText).map(foldedText));
  const isOpen = (sku: string): boolean => open.has(foldedText(sku));
  const rest = sent.filter(({ sku }) => !isOpen(sku));
  const asSent = (shades: readonly Shade[]): Shade[] =>
    shades.flatMap((shade) => {
      if (isOpen(shade.sku)) return [];
      const { hex = shade.hex, name = shade.name } = expected.get(shade.sku) ?? {};
      return [
        {
          ...shade,
          ...(foldedText(name) === foldedText(shade.name) && { name }),
          ...(isWithoutOpacity(shade.hex, hex) && { hex }),
        },
      ];
    });
  const again = compareList(list, { shades: rest, clear: true, dueNs }, asSent);
  if (again.verdict !== 'fail') return again;
  const others = probes.filter((row) => row.catalog_id?.toLowerCase() === list.catalog_id?.toLowerCase());
  const why = [
    ...(await catalogCauses(history, list, { expected, listed, others })),
    ...mergedCauses(rest, listed, list.seq),
    ...cutCauses(rest, listed, again, list.seq),
  ];
  return why.length === 0
    ? again
    : {
        ...again,
        reasons: [...why.map(({ why: each }) => each), ...again.reasons],
        causes: why.map(({ suspect }) => suspect),
      };
}

/** A catalog whose id differs in case only, and whose shades the list shows. */
async function catalogCauses(
  history: History,
  list: ProbeRow,
  {
    expected,
    listed,
    others,
  }: {
    readonly expected: ReadonlyMap<string, ImportedShade>;
    readonly listed: readonly string[];
    readonly others: readonly ProbeRow[];
  },
): Promise<ListFault[]> {
  const catalog = list.catalog_id ?? '';
  const other = others.find((row) => row.catalog_id !== catalog)?.catalog_id ?? undefined;
  if (other === undefined) return [];
  const theirs = await shadesSent(history, other);
  const shades = theirs.filter(({ sku }) => !expected.has(sku) && listed.includes(sku)).length;
  if (shades === 0) return [];
  return [
    {
      suspect: shown('catalogs-merged', { catalogs: [other, catalog], shades }, [list.seq]),
      why: reason('corner-catalogs-merged', { catalog, other, shades }),
    },
  ];
}

/** SKUs that differ in case only, of which the list shows one. */
function mergedCauses(sent: readonly ImportedShade[], listed: readonly string[], seq: number): ListFault[] {
  const shownSkus = new Set(listed);
  const merged = [...Map.groupBy(sent, ({ sku }) => sku.toLowerCase()).values()].filter(
    (group) => group.length > 1 && group.filter(({ sku }) => shownSkus.has(sku)).length === 1,
  );
  return merged.slice(0, 1).map((group) => {
    const skus = group.map(({ sku }) => sku);
    return {
      suspect: shown('skus-merged', { skus, listed: skus.find((sku) => shownSkus.has(sku)) ?? '' }, [seq]),
      why: reason('corner-skus-merged', { skus, listed: skus.find((sku) => shownSkus.has(sku)) ?? '' }),
    };
  });
}

/** Texts of which the list shows only the beginning. */
function cutCauses(
  sent: readonly ImportedShade[],
  listed: readonly string[],
  { reasons }: ListComparison,
  seq: number,
): ListFault[] {
  const skus = sent.flatMap(({ sku }) =>
    listed.includes(sku)
      ? []
      : listed
          .filter((each) => each !== '' && each.length >= 32 && sku.startsWith(each))
          .map((got) => ({ field: 'sku', sent: sku, got })),
  );
  const names = reasons.flatMap(({ code, params }) =>
    code === 'list-field-changed' && params.field !== 'hex' && isCut(params.sent, params.got)
      ? [{ field: params.field, sent: params.sent, got: params.got }]
      : [],
  );
  const byField = Map.groupBy([...skus, ...names], ({ field }) => field);
  return [...byField].map(([field, cut]) => {
    const longest = cut.reduce((a, b) => (b.got.length > a.got.length ? b : a));
    const params = {
      field,
      values: cut.length,
      characters: [...longest.got].length,
      bytes: Math.max(...cut.map(({ got }) => Buffer.byteLength(got))),
    };
    return { suspect: shown('text-cut', params, [seq]), why: reason('corner-text-cut', params) };
  });
}

/** A cut in the middle of a letter leaves a letter that stands for none. */
function isCut(sent: string, got: string): boolean {
  const whole = got.replace(/\ufffd+$/, '');
  return whole.length > 0 && whole.length < sent.length && sent.startsWith(whole);
}

/** What a pass does not say: of batches that were rejected, and of lists that could not be compared. */
export function cornerReservations(probes: readonly ProbeRow[], compared: readonly CornerList[]): Reason[] {
  const rejected = probes.filter((row) => row.probe === 'corners:import' && isRejected(row));
  const unclear = compared.filter((each) => each.compared.verdict === 'inconclusive').length;
  return [
    ...(rejected.length === 0
      ? []
      : [reason('corner-batches-rejected', { batches: rejected.length, status: rejected[0]?.status ?? 0 })]),
    ...(unclear === 0 ? [] : [reason('corner-lists-unclear', { lists: unclear })]),
  ];
}

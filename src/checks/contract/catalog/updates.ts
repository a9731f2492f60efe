import type { History } from '../../../history/history.ts';
import type { Shade } from '../../../wire.ts';
import { caused, fits, shown } from '../../causes/cause.ts';
import { gotOf, is2xx, type ProbeRow, unanswered } from '../../core/probes.ts';
import type { CheckFinding, Conclusion } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { askedEarly, dueOf } from '../imports/imported.ts';
import { evidenceOf, isAnswered, lastOf, listUnclear } from '../probes/asked.ts';
import { wholeList } from '../probes/pages.ts';
import {
  type ChangedField,
  changedFields,
  type ImportedShade,
  type ListFault,
  shadesSent,
} from './compare-list.ts';
import { checkAtOnce } from './imports-at-once.ts';
import { largeFaults } from './large-import.ts';

/** What was sent into the catalog of these probes: the values of the first import, and those of the second. */
interface SentVersions {
  readonly old: ReadonlyMap<string, ImportedShade>;
  readonly update: ReadonlyMap<string, ImportedShade>;
  /** SKUs that the list has to show in the end: those of the imports that were accepted. */
  readonly skus: ReadonlySet<string>;
}

/**
 * The same SKUs imported with other values, and imports at the same time. No finding for runs that sent none. Whether an
 * import changes a shade that is there already is not specified; that it changes a part of it only is wrong.
 */
export async function checkUpdates(history: History, probes: readonly ProbeRow[]): Promise<CheckFinding[]> {
  const first = lastOf(probes, 'update:import');
  if (first === undefined) return [];
  const shades = await shadesSent(history, first.catalog_id ?? '');
  const again = lastOf(probes, 'update:again');
  const old = shades.slice(0, first.items ?? 0);
  const update = shades.slice(old.length, old.length + (again?.items ?? 0));
  const together = probes.filter(({ probe }) => probe === 'together:import');
  const small = old.length + update.length + together.reduce((sum, { items }) => sum + (items ?? 0), 0);
  const rest = shades.slice(old.length + update.length, small);
  const bySku = (list: readonly ImportedShade[]): ReadonlyMap<string, ImportedShade> =>
    new Map(list.map((shade) => [shade.sku, shade]));
  const sent: SentVersions = {
    old: bySku(old),
    update: bySku(update),
    skus: new Set(
      [...(is2xx(first) ? old : []), ...(again !== undefined && is2xx(again) ? update : []), ...rest].map(
        ({ sku }) => sku,
      ),
    ),
  };
  const visibleMs = history.profile.import_visible;
  return [checkUpdate(probes, first, sent, visibleMs), checkAtOnce(probes, sent, visibleMs)];
}

function checkUpdate(
  probes: readonly ProbeRow[],
  first: ProbeRow,
  sent: SentVersions,
  visibleMs: number,
): CheckFinding {
  const again = lastOf(probes, 'update:again');
  const before = judgeable(probes, 'update:before', first, visibleMs);
  const after = judgeable(probes, 'update:after', again, visibleMs);
  const faults = [
    ...before.flatMap((row) => listFaults(row, row.status === 404 ? [] : wholeList(row), sent.old, sent.old)),
    ...after.flatMap((row) =>
      listFaults(row, row.status === 404 ? [] : wholeList(row), sent.old, sent.update),
    ),
    ...(isAnswered(again) && is2xx(again) ? versionFaults(after, sent) : []),
    ...countFaults(probes, [before, after]),
    ...largeFaults(probes, sent.old, visibleMs),
  ];
  return {
    id: 'contract.import-update',
    expected: { shades: sent.update.size },
    observed: { lists: before.length + after.length, faults: faults.length },
    ...conclusion(first, again, [before, after], faults),
    evidence: evidenceOf(first, ...before, again, ...after),
  };
}

function conclusion(
  first: ProbeRow,
  again: ProbeRow | undefined,
  [before = [], after = []]: readonly (readonly ProbeRow[])[],
  faults: readonly ListFault[],
): Conclusion {
  for (const row of [first, again])
    if (!isAnswered(row) || (row.status ?? 0) >= 500)
      return { verdict: 'inconclusive', reasons: [reason('import-unclear', { got: gotOf(row) })] };
  if (!is2xx(first))
    return { verdict: 'inconclusive', reasons: [reason('import-unclear', { got: gotOf(first) })] };
  if (faults.length > 0)
    return {
      verdict: 'fail',
      reasons: faults.slice(0, 3).map(({ why }) => why),
      ...caused(faults.slice(0, 3).map(({ suspect }) => suspect)),
    };
  const unread = [...before, ...after].find((row) => wholeList(row) === undefined);
  if (before.length === 0 || after.length === 0 || unread !== undefined)
    return { verdict: 'inconclusive', reasons: [listUnclear(unread)] };
  const lists = before.length + after.length;
  return {
    verdict: 'pass',
    reasons: [reason('import-update-whole', { lists, status: again?.status ?? null })],
  };
}

/** The lists of a probe that have to show its import: all, or, of one that got 202, those since one of them did. */
function judgeable(
  probes: readonly ProbeRow[],
  name: ProbeRow['probe'],
  imported: ProbeRow | undefined,
  visibleMs: number,
): readonly ProbeRow[] {
  const lists = probes.filter(
    (row) => row.probe === name && unanswered(row) === undefined && (row.status ?? 0) < 500,
  );
  const dueNs = dueOf(imported, visibleMs);
  const whole = lists.find((row) => (wholeList(row)?.length ?? 0) >= (imported?.items ?? 0));
  const shownNs = whole?.sent_ns ?? Number.POSITIVE_INFINITY;
  return lists.filter((row) => !askedEarly(row, dueNs) || (row.sent_ns ?? 0) >= shownNs);
}

/** SKUs that a list lacks, of those that were there before, and shades that are neither as they were nor as they are to be. */
function listFaults(
  row: ProbeRow,
  shades: readonly Shade[] | undefined,
  old: ReadonlyMap<string, ImportedShade>,
  update: ReadonlyMap<string, ImportedShade>,
): ListFault[] {
  if (shades === undefined) return [];
  const catalog = row.catalog_id ?? '';
  const listed = new Map(shades.map((shade) => [shade.sku, shade]));
  const missing = [...old.keys()].filter((sku) => !listed.has(sku));
  const mixed = [...listed.values()].filter((shade) => versionOf(shade, old, update) === 'mixed');
  const [mix] = mixed;
  const altered = [...listed.values()].flatMap((shade) => alteredField(shade, old, update) ?? []);
  return [
    ...(missing.length === 0
      ? []
      : [
          {
            why: reason('list-missing-shades', {
              catalog,
              shades: missing.length,
              skus: missing.slice(0, 6),
            }),
            suspect: fits('shades-missing', { imported: old.size, listed: old.size - missing.length }, [
              row.seq,
            ]),
          },
        ]),
    ...(mix === undefined
      ? []
      : [
          {
            why: reason('import-update-mixed', { sku: mix.sku, shades: mixed.length }),
            suspect: shown('import-applied-in-part', { changed: mixed.length, of: update.size }, [row.seq]),
          },
        ]),
    ...altered.slice(0, 1).map(({ sku, ...change }) => ({
      why: reason('list-field-changed', { catalog, sku, ...change }),
      suspect: shown('shade-field-changed', change, [row.seq]),
    })),
  ];
}

/** A field with a value that neither import sent. */
function alteredField(
  shade: Shade,
  old: ReadonlyMap<string, ImportedShade>,
  update: ReadonlyMap<string, ImportedShade>,
): ChangedField | undefined {
  const [first = [], ...others] = [update.get(shade.sku), old.get(shade.sku)].flatMap((sent) =>
    sent === undefined ? [] : [changedFields(shade, sent)],
  );
  return first.find(({ field }) => others.every((changed) => changed.some((each) => each.field === field)));
}

/** Whether a shade is as the first import sent it, as the second did, a mixture, or altered. */
function versionOf(
  shade: Shade,
  old: ReadonlyMap<string, ImportedShade>,
  update: ReadonlyMap<string, ImportedShade>,
): 'old' | 'new' | 'mixed' | 'altered' {
  const [was, is] = [old.get(shade.sku), update.get(shade.sku)];
  if (is !== undefined && changedFields(shade, is).length === 0) return 'new';
  if (was !== undefined && changedFields(shade, was).length === 0) return 'old';
  // A SKU that was sent in neither import is another check's.
  if (was === undefined && is === undefined) return 'new';
  return alteredField(shade, old, update) === undefined ? 'mixed' : 'altered';
}

/** All shades of all lists after an update are of the same version, and the added ones are there. */
function versionFaults(after: readonly ProbeRow[], { old, update }: SentVersions): ListFault[] {
  const added = [...update.keys()].filter((sku) => !old.has(sku));
  const known = after.flatMap((row) => {
    const shades = wholeList(row);
    if (shades === undefined) return [];
    const versions = shades
      .filter(({ sku }) => old.has(sku))
      .map((shade) => versionOf(shade, old, update))
      .filter((version) => version !== 'altered');
    const fresh = versions.filter((version) => version === 'new').length;
    const skus = new Set(shades.map(({ sku }) => sku));
    const stale = versions.length - fresh;
    return [{ row, fresh, stale, lacks: added.filter((sku) => !skus.has(sku)).length }];
  });
  const seqs = known.map(({ row }) => row.seq);
  const partly = known.find(({ fresh, stale }) => fresh > 0 && stale > 0);
  if (partly !== undefined) {
    const { fresh, stale } = partly;
    return [
      {
        why: reason('import-update-partial', { fresh, stale }),
        suspect: shown('import-applied-in-part', { changed: fresh, of: fresh + stale }, seqs),
      },
    ];
  }
  const behind = known.filter(({ lacks }) => lacks > 0);
  const isMixed = known.some(({ fresh }) => fresh > 0) && known.some(({ stale }) => stale > 0);
  if (behind.length === 0 && !isMixed) return [];
  const late = behind.length > 0 ? behind.length : known.filter(({ stale }) => stale > 0).length;
  return [
    {
      why: reason('import-update-behind', { lists: known.length, behind: late }),
      suspect: fits('lists-differ', { lists: known.length }, seqs),
    },
  ];
}

/** `shade_count` of the session after each import is the length of the lists then. */
function countFaults(probes: readonly ProbeRow[], lists: readonly (readonly ProbeRow[])[]): ListFault[] {
  const sessions = probes.filter((row) => row.probe === 'update:create-session');
  return lists.flatMap((rows, place) => {
    const lengths = new Set(rows.flatMap((row) => wholeList(row)?.length ?? []));
    const [listed] = lengths;
    // The session was opened after the lists of its import, and before the next one.
    const session = sessions.find(({ seq }) => seq > (rows.at(-1)?.seq ?? Number.POSITIVE_INFINITY));
    const isNext = place === 0 || session !== sessions[0];
    if (session?.count == null || listed === undefined || lengths.size > 1 || !isNext) return [];
    if (session.count === listed) return [];
    return [
      {
        why: reason('sku-twice-differs', { listed, count: session.count }),
        suspect: fits('shade-count-wrong', { said: session.count, expected: listed }, [session.seq]),
      },
    ];
  });
}

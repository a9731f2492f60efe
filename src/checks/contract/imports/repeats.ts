import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { gotOf, is2xx, type ProbeRow } from '../../core/probes.ts';
import type { CheckFinding, Conclusion } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { answerOf, evidenceOf, isAnswered, lastOf, listUnclear, skusListed } from '../probes/asked.ts';
import { cutShort, pageRows } from '../probes/pages.ts';
import { askedEarly } from './imported.ts';

/** The same import again leaves a catalog unchanged, because the SKU identifies a shade; and so does an import of nothing. */
export function checkImportAgain(probes: readonly ProbeRow[], visibleMs: number): CheckFinding {
  const first = lastOf(probes, 'again:import');
  const again = lastOf(probes, 'again:repeat');
  const list = lastOf(probes, 'again:list');
  const cleared = clearedByNothing(probes);
  return {
    id: 'contract.import-again',
    expected: { listed: first?.items ?? null, repeated: 0 },
    observed: {
      import: answerOf(first),
      'import again': answerOf(again),
      listed: skusListed(list)?.length ?? answerOf(list),
    },
    ...(cleared ?? unlisted(probes, again, list, visibleMs) ?? judgeAgain(first, again, list, visibleMs)),
    evidence: evidenceOf(first, again, list),
  };
}

/**
 * Shades that are listed before an import of no shades, and not after it. Where each import replaces the catalog, which the
 * interface leaves open, so does this one. Old histories have no such import.
 */
function clearedByNothing(probes: readonly ProbeRow[]): Conclusion | undefined {
  const [before, nothing, after] = [
    lastOf(probes, 'twice:list'),
    lastOf(probes, 'empty:import'),
    lastOf(probes, 'empty:list'),
  ];
  const kept = skusListed(before);
  const left = skusListed(after);
  if (after === undefined || kept === undefined || left === undefined || cutShort(after) !== undefined)
    return undefined;
  const gone = [...new Set(kept)].filter((sku) => !left.includes(sku)).length;
  const earlier = skusListed(lastOf(probes, 'again:list')) ?? [];
  const isReplaced = earlier.length > 0 && earlier.every((sku) => !kept.includes(sku));
  if (gone === 0 || isReplaced) return undefined;
  const seqs = [before, nothing, after].flatMap((row) => row?.seq ?? []);
  return {
    verdict: 'fail',
    reasons: [reason('import-of-nothing-removes', { gone, listed: new Set(kept).size })],
    // Where some are left, the list may be what is wrong.
    causes: [(left.length === 0 ? shown : fits)('empty-import-removes', { gone }, seqs)],
  };
}

/** A catalog that gets 404 after shades were accepted into it. It had been asked for before, so that may be remembered. */
function unlisted(
  probes: readonly ProbeRow[],
  again: ProbeRow | undefined,
  list: ProbeRow | undefined,
  visibleMs: number,
): Conclusion | undefined {
  if (again === undefined || !is2xx(again) || list?.status !== 404) return undefined;
  const dueNs = again.status === 202 ? (again.answered_ns ?? 0) + visibleMs * 1e6 : null;
  if (askedEarly(list, dueNs)) return undefined;
  const missed = lastOf(probes, 'unknown-catalog:list-shades');
  const wasMissed = missed?.catalog_id === list.catalog_id && missed?.status === 404;
  const seqs = [missed, again, list].flatMap((row) => row?.seq ?? []);
  return {
    verdict: 'fail',
    reasons: [reason('import-list-status', { status: list.status })],
    causes: [
      wasMissed
        ? fits('absence-remembered', {}, seqs)
        : fits('shades-missing', { imported: again.items ?? 0, listed: 0 }, seqs),
    ],
  };
}

function judgeAgain(
  first: ProbeRow | undefined,
  again: ProbeRow | undefined,
  list: ProbeRow | undefined,
  visibleMs: number,
): Conclusion {
  const skus = skusListed(list);
  if (list === undefined || skus === undefined)
    return { verdict: 'inconclusive', reasons: [listUnclear(list)] };
  const different = new Set(skus).size;
  const repeated = skus.length - different;
  if (repeated > 0)
    return {
      verdict: 'fail',
      reasons: [
        reason('import-again-repeats', { shades: first?.items ?? different, entries: skus.length, repeated }),
      ],
      causes: [
        shown(
          'sku-stored-twice',
          { repeated },
          [first, again, list].flatMap((row) => row?.seq ?? []),
        ),
      ],
    };
  if (!isAnswered(first)) return unclearImport('first', first);
  if (!isAnswered(again)) return unclearImport('second', again);
  if (!is2xx(first) || (again.status ?? 0) >= 500)
    return {
      verdict: 'inconclusive',
      reasons: [reason('import-again-statuses', { firstStatus: first.status, secondStatus: again.status })],
    };
  const shades = first.items ?? 0;
  if (different < shades) {
    const accepted = [first, again].filter(({ status }) => status === 202);
    const dueNs = Math.max(0, ...accepted.map((row) => (row.answered_ns ?? 0) + visibleMs * 1e6));
    const early = askedEarly(list, dueNs) ? reason('list-requested-early') : undefined;
    const excuse = cutShort(list) ?? early;
    return {
      verdict: excuse === undefined ? 'fail' : 'inconclusive',
      reasons: [
        reason('import-listed-otherwise', { shades, listed: different, pages: pageRows(list).length }),
        ...(excuse === undefined ? [] : [excuse]),
      ],
      causes: [
        fits('shades-missing', { imported: shades, listed: different }, [first.seq, again.seq, list.seq]),
      ],
    };
  }
  return {
    verdict: 'pass',
    reasons: [reason('import-again-once', { shades: different, secondStatus: again.status })],
  };
}

function unclearImport(which: 'first' | 'second', row: ProbeRow | undefined): Conclusion {
  return {
    verdict: 'inconclusive',
    reasons: [reason('import-again-unclear', { which, got: gotOf(row) })],
  };
}

/**
 * `shade_count` of a session equals the length of the list, also after an import that names one SKU twice. Whether such
 * an import is rejected, and which of the two entries stays, is not specified.
 */
export function checkSkuTwice(probes: readonly ProbeRow[], visibleMs: number): CheckFinding {
  const batch = lastOf(probes, 'twice:import');
  const list = lastOf(probes, 'twice:list');
  const session = lastOf(probes, 'twice:create-session');
  const listed = skusListed(list)?.length;
  return {
    id: 'contract.sku-twice',
    expected: { shade_count: listed ?? null },
    observed: {
      import: answerOf(batch),
      listed: listed ?? answerOf(list),
      shade_count: session?.count ?? answerOf(session),
    },
    ...judgeTwice(batch, list, session, visibleMs),
    evidence: evidenceOf(batch, list, session),
  };
}

function judgeTwice(
  batch: ProbeRow | undefined,
  list: ProbeRow | undefined,
  session: ProbeRow | undefined,
  visibleMs: number,
): Conclusion {
  if (!isAnswered(batch) || (batch.status ?? 0) >= 500)
    return { verdict: 'inconclusive', reasons: [reason('import-unclear', { got: gotOf(batch) })] };
  const listed = skusListed(list)?.length;
  if (list === undefined || listed === undefined)
    return { verdict: 'inconclusive', reasons: [listUnclear(list)] };
  const count = session?.count ?? undefined;
  if (session === undefined || count === undefined)
    return { verdict: 'inconclusive', reasons: [reason('sku-twice-no-count', { got: gotOf(session) })] };
  const got = reason('import-got', { shades: batch.items, got: gotOf(batch) });
  if (count === listed) return { verdict: 'pass', reasons: [got, reason('sku-twice-equal', { listed })] };
  const dueNs = batch.status === 202 ? (batch.answered_ns ?? 0) + visibleMs * 1e6 : null;
  const early = askedEarly(list, dueNs) ? reason('list-requested-early') : undefined;
  const excuse = (count > listed ? cutShort(list) : undefined) ?? early;
  return {
    verdict: excuse === undefined ? 'fail' : 'inconclusive',
    reasons: [got, reason('sku-twice-differs', { listed, count }), ...(excuse === undefined ? [] : [excuse])],
    causes: twiceCauses(batch, list, session, count),
  };
}

/** The import has one entry more than SKUs. */
function twiceCauses(batch: ProbeRow, list: ProbeRow, session: ProbeRow, count: number): Suspect[] {
  const skus = skusListed(list) ?? [];
  const seqs = [batch.seq, list.seq, session.seq];
  const repeated = skus.length - new Set(skus).size;
  if (repeated > 0) return [fits('sku-stored-twice', { repeated }, seqs)];
  // A list that is late may not show the import at all.
  const isListed = is2xx(list) && skus.length >= (batch.items ?? 0) - 1;
  return count === skus.length + 1 && isListed
    ? [shown('sku-counted-twice', { said: count, listed: skus.length }, seqs)]
    : [
        fits('shade-count-wrong', { said: count, expected: skus.length }, seqs),
        ...(count > skus.length
          ? [fits('shades-missing', { imported: count, listed: skus.length }, seqs)]
          : []),
      ];
}

import { readShades } from '../../../target/wire-schemas.ts';
import { fits, shown } from '../../causes/cause.ts';
import { gotOf, is2xx, type ProbeRow } from '../../core/probes.ts';
import type { CheckFinding, Conclusion } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { reason } from '../../reasons/reason.ts';
import { answerOf, evidenceOf, isAnswered, lastOf, listUnclear, skusListed } from '../probes/asked.ts';
import { isServerError, statusCause } from '../probes/error-causes.ts';
import { circleOf, cutShort, pageRows } from '../probes/pages.ts';
import { askedEarly } from './imported.ts';

/** The most shades in an import, by the interface document. */
const largestBatch = 500;

/** An import of exactly the limit is accepted and listed in full: at once, or after a 202 within `visibleMs`. */
export function checkBatchMax(probes: readonly ProbeRow[], visibleMs: number): CheckFinding {
  const batch = lastOf(probes, 'batch-max');
  const list = lastOf(probes, 'batch-max:list');
  return {
    id: 'contract.batch-max',
    expected: { import: '2xx', listed: batch?.items ?? largestBatch },
    observed: { import: answerOf(batch), listed: listedIn(list) ?? answerOf(list) },
    ...judgeBatchMax(batch, list, visibleMs),
    evidence: evidenceOf(batch, list),
  };
}

/** An import over the limit gets 4xx, and nothing of it is listed afterwards. */
export function checkBatchOver(probes: readonly ProbeRow[]): CheckFinding {
  const batch = lastOf(probes, 'batch-over');
  const list = lastOf(probes, 'batch-over:list');
  return {
    id: 'contract.batch-over',
    expected: { import: '4xx', 'listed shades': 0 },
    observed: {
      import: answerOf(batch),
      list: answerOf(list),
      'listed shades': listedIn(list) ?? (list?.status === 404 ? 0 : null),
    },
    ...judgeBatchOver(batch, list, probes),
    evidence: evidenceOf(batch, list),
  };
}

function judgeBatchMax(
  batch: ProbeRow | undefined,
  list: ProbeRow | undefined,
  visibleMs: number,
): Conclusion {
  if (!isAnswered(batch))
    return { verdict: 'inconclusive', reasons: [reason('import-unclear', { got: gotOf(batch) })] };
  const shades = batch.items ?? largestBatch;
  if (!is2xx(batch))
    return {
      verdict: 'fail',
      reasons: [reason('batch-max-status', { shades, status: batch.status })],
      causes:
        isServerError(batch) || batch.status === null
          ? statusCause(batch)
          : [shown('import-limit-too-low', { shades, status: batch.status }, [batch.seq])],
    };
  const { causes, reasons, verdict } = judgeList(batch, list, { shades, visibleMs });
  return {
    verdict,
    reasons: [reason('import-got', { shades, got: gotOf(batch) }), ...(reasons ?? [])],
    ...(causes !== undefined && { causes }),
  };
}

/** The list of an import that was accepted. */
function judgeList(
  batch: ProbeRow,
  list: ProbeRow | undefined,
  { shades, visibleMs }: { readonly shades: number; readonly visibleMs: number },
): Conclusion {
  if (!isAnswered(list)) return { verdict: 'inconclusive', reasons: [listUnclear(list)] };
  const dueNs = batch.status === 202 ? (batch.answered_ns ?? 0) + visibleMs * 1e6 : null;
  const early = askedEarly(list, dueNs) ? [reason('list-requested-early')] : [];
  const seqs = [batch.seq, list.seq];
  if (!is2xx(list))
    return {
      verdict: early.length > 0 && list.status === 404 ? 'inconclusive' : 'fail',
      reasons: [reason('import-list-status', { status: list.status }), ...early],
      causes:
        list.status === 404
          ? [fits('shades-missing', { imported: shades, listed: 0 }, seqs)]
          : statusCause(list),
    };
  const page = circleOf(list);
  if (page !== undefined)
    return {
      verdict: 'fail',
      reasons: [reason('pages-circle', { page })],
      causes: [shown('pages-in-a-circle', { page }, [list.seq])],
    };
  const found = listedIn(list);
  if (found === undefined) return { verdict: 'inconclusive', reasons: [reason('import-list-unreadable')] };
  const pages = pageRows(list).length;
  const repeated = (skusListed(list)?.length ?? found) - found;
  if (repeated > 0)
    return {
      verdict: 'fail',
      reasons: [reason('import-list-repeats', { entries: found + repeated, repeated, pages })],
      causes: [shown('sku-stored-twice', { repeated }, seqs)],
    };
  if (found === shades) return { verdict: 'pass', reasons: [reason('import-listed', { shades, pages })] };
  const excuse = found > shades ? undefined : (early[0] ?? cutShort(list));
  return {
    verdict: excuse === undefined ? 'fail' : 'inconclusive',
    reasons: [
      reason('import-listed-otherwise', { shades, listed: found, pages }),
      ...(excuse === undefined ? [] : [excuse]),
    ],
    causes: [
      found > shades
        ? fits('foreign-shades', { shades: found - shades }, seqs)
        : fits('shades-missing', { imported: shades, listed: found }, seqs),
    ],
  };
}

function judgeBatchOver(
  batch: ProbeRow | undefined,
  list: ProbeRow | undefined,
  probes: readonly ProbeRow[],
): Conclusion {
  // The catalog belongs to the probe, so every shade in it came with this import, answered or not.
  const stored = list !== undefined && is2xx(list) ? listedIn(list) : list?.status === 404 ? 0 : undefined;
  const shades = batch?.items ?? largestBatch + 1;
  const seqs = [batch, list].flatMap((row) => row?.seq ?? []);
  const otherStatus = { shades, limit: largestBatch, status: batch?.status ?? null };
  if (batch !== undefined && is2xx(batch))
    return {
      verdict: 'fail',
      reasons: [
        reason('batch-over-status', otherStatus),
        ...(stored === undefined ? [] : [reason('import-partly-stored', { shades, listed: stored })]),
      ],
      causes: [
        stored !== undefined && stored > 0 && stored < shades
          ? shown('import-truncated', { sent: shades, listed: stored }, seqs)
          : (stored === shades ? shown : fits)(
              'import-limit-not-enforced',
              { shades, limit: largestBatch },
              seqs,
            ),
      ],
    };
  const got = reason('import-got', { shades, got: gotOf(batch) });
  if (stored !== undefined && stored > 0)
    return {
      verdict: 'fail',
      reasons: [got, reason('import-partly-stored', { shades, listed: stored })],
      causes: [
        batch?.status !== undefined && batch.status !== null && batch.status < 500
          ? shown('refused-import-stored', { status: batch.status, listed: stored }, seqs)
          : fits('import-limit-not-enforced', { shades, limit: largestBatch }, seqs),
      ],
    };
  if (!isAnswered(batch))
    return { verdict: 'inconclusive', reasons: [reason('import-unclear', { got: gotOf(batch) })] };
  if (batch.status === null || batch.status < 400 || batch.status > 499)
    return {
      verdict: 'fail',
      reasons: [reason('batch-over-status', otherStatus)],
      causes: statusCause(batch),
    };
  if (stored === undefined) return { verdict: 'inconclusive', reasons: [got, listUnclear(list)] };
  return (
    createdCatalog(batch, list, probes) ?? { verdict: 'pass', reasons: [got, reason('import-none-stored')] }
  );
}

/** A rejected import into a new catalog leaves it as unknown as any other, where the target answers 404 for those. */
function createdCatalog(
  { seq, status }: ProbeRow,
  list: ProbeRow | undefined,
  probes: readonly ProbeRow[],
): Conclusion | undefined {
  const unknown = lastOf(probes, 'unknown-catalog:list-shades');
  if (unknown?.status !== 404 || list === undefined || !is2xx(list) || status === null) return undefined;
  return {
    verdict: 'fail',
    reasons: [reason('import-left-catalog', { status, listStatus: list.status })],
    causes: [shown('refused-import-leaves-catalog', { status }, [seq, list.seq, unknown.seq])],
  };
}

/** How many different shades a list shows, from its body where that was kept. */
function listedIn(list: ProbeRow | undefined): number | undefined {
  if (list === undefined || !is2xx(list)) return undefined;
  const pages = pageRows(list).filter((page) => is2xx(page) && page.body !== null);
  const read = pages.map((page) => readShades(JSON.parse(page.body ?? 'null')));
  if (read.length > 0 && read.every((each) => each.ok))
    return new Set(read.flatMap((each) => each.value.map((shade) => shade.sku))).size;
  return list.count ?? undefined;
}

/**
 * An import that is rejected for one of its shades is rejected as a whole. A shade without a proper colour may be
 * accepted: no finding then.
 */
export function checkMalformedBatch(probes: readonly ProbeRow[]): CheckFinding[] {
  const batch = lastOf(probes, 'malformed:import');
  if (isAnswered(batch) && is2xx(batch)) return [];
  const list = lastOf(probes, 'malformed:list');
  const stored = list?.status === 404 ? 0 : skusListed(list)?.length;
  return [
    {
      id: 'contract.batch-malformed',
      expected: expects('contract.batch-malformed'),
      observed: { import: answerOf(batch), listed: stored ?? answerOf(list) },
      ...judge(batch, list, stored, probes),
      evidence: evidenceOf(batch, list),
    },
  ];
}

function judge(
  batch: ProbeRow | undefined,
  list: ProbeRow | undefined,
  stored: number | undefined,
  probes: readonly ProbeRow[],
): Conclusion {
  if (!isAnswered(batch))
    return { verdict: 'inconclusive', reasons: [reason('import-unclear', { got: gotOf(batch) })] };
  const { items: shades, status } = batch;
  const got = reason('import-got', { shades, got: { status } });
  if (stored === undefined) return { verdict: 'inconclusive', reasons: [got, listUnclear(list)] };
  // A server error says that something went wrong, not what.
  const isRejected = status !== null && status >= 400 && status <= 499;
  if (stored === 0)
    return (
      (isRejected ? createdCatalog(batch, list, probes) : undefined) ?? {
        verdict: 'pass',
        reasons: [got, reason('import-none-stored')],
      }
    );
  const seqs = [batch, list].flatMap((row) => row?.seq ?? []);
  return {
    verdict: isRejected ? 'fail' : 'inconclusive',
    reasons: [got, reason('import-partly-stored', { shades, listed: stored })],
    ...(isRejected && { causes: [shown('refused-import-stored', { status, listed: stored }, seqs)] }),
  };
}

import { shown } from '../diagnosis/cause.ts';
import { gotOf, is2xx, type ProbeRow } from '../probes.ts';
import { expects } from '../reasons/expected.ts';
import { reason } from '../reasons/reason.ts';
import type { CheckFinding } from '../verdict.ts';
import { answerOf, evidenceOf, isAnswered, lastOf, listUnclear, skusListed } from './asked.ts';

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
      ...judge(batch, list, stored),
      evidence: evidenceOf(batch, list),
    },
  ];
}

function judge(
  batch: ProbeRow | undefined,
  list: ProbeRow | undefined,
  stored: number | undefined,
): Pick<CheckFinding, 'verdict' | 'reasons' | 'causes'> {
  if (!isAnswered(batch))
    return { verdict: 'inconclusive', reasons: [reason('import-unclear', { got: gotOf(batch) })] };
  const { items: shades, status } = batch;
  const got = reason('import-got', { shades, got: { status } });
  if (stored === undefined) return { verdict: 'inconclusive', reasons: [got, listUnclear(list)] };
  if (stored === 0) return { verdict: 'pass', reasons: [got, reason('import-none-stored')] };
  // A server error says that something went wrong, not what.
  const isRejected = status !== null && status >= 400 && status <= 499;
  const seqs = [batch, list].flatMap((row) => row?.seq ?? []);
  return {
    verdict: isRejected ? 'fail' : 'inconclusive',
    reasons: [got, reason('import-partly-stored', { shades, listed: stored })],
    ...(isRejected && { causes: [shown('refused-import-stored', { status, listed: stored }, seqs)] }),
  };
}

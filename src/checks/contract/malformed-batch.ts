import { counted, number, verb } from '../../amounts.ts';
import { shown } from '../diagnosis/cause.ts';
import { is2xx, type ProbeRow } from '../probes.ts';
import type { CheckResult } from '../verdict.ts';
import { answerOf, evidenceOf, lastOf, silenceOf, skusListed } from './asked.ts';

/**
 * A batch that is refused for one of its shades is refused as a whole. Whether a shade without a proper colour is refused
 * at all is nowhere promised: nothing where the batch was accepted.
 */
export function checkMalformedBatch(probes: readonly ProbeRow[]): CheckResult[] {
  const batch = lastOf(probes, 'malformed:import');
  if (batch !== undefined && silenceOf(batch) === undefined && is2xx(batch)) return [];
  const list = lastOf(probes, 'malformed:list');
  const stored = list?.status === 404 ? 0 : skusListed(list)?.length;
  return [
    {
      id: 'contract.batch-malformed',
      title: 'An import that gets 4xx for one malformed shade stores nothing',
      expected: 'nothing listed, if the batch is refused',
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
): Pick<CheckResult, 'verdict' | 'explanation' | 'causes'> {
  const silence = silenceOf(batch);
  if (batch === undefined || silence !== undefined)
    return { verdict: 'inconclusive', explanation: `The batch says nothing: ${silence}.` };
  if (stored === undefined)
    return {
      verdict: 'inconclusive',
      explanation: `The batch was answered with ${batch.status}, but its list says nothing: ${silenceOf(list) ?? answerOf(list)}.`,
    };
  if (stored === 0)
    return {
      verdict: 'pass',
      explanation: `The batch was answered with ${batch.status}, and nothing of it is listed.`,
    };
  // A server error says that something went wrong, not what.
  const { status } = batch;
  const refused = status !== null && status >= 400 && status <= 499;
  const seqs = [batch, list].flatMap((row) => row?.seq ?? []);
  return {
    verdict: refused ? 'fail' : 'inconclusive',
    explanation: `The batch was ${refused ? 'refused' : 'answered'} with ${batch.status}, yet ${number(stored)} of its ${counted(batch.items ?? 0, 'shade')} ${verb(stored, 'is', 'are')} listed.`,
    ...(refused && { causes: [shown('refused-import-stored', { status, listed: stored }, seqs)] }),
  };
}

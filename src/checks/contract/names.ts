import { listed } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { caused } from '../diagnosis/cause.ts';
import { is2xx, type ProbeRow } from '../probes.ts';
import type { CheckResult } from '../verdict.ts';
import { answerOf, evidenceOf, lastOf, silenceOf } from './asked.ts';
import { compareList, shadesSent } from './compare-list.ts';

/**
 * Names come back with every letter that they were sent with. Which letters a service takes at all is nowhere promised, so that
 * one that leaves out a shade for its name is doubted and not accused. Nothing where none were sent to see that.
 */
export async function checkNames(history: History, probes: readonly ProbeRow[]): Promise<CheckResult[]> {
  const batch = lastOf(probes, 'names:import');
  const list = lastOf(probes, 'names:list');
  return batch === undefined ? [] : [await checkListed(history, batch, list)];
}

async function checkListed(
  history: History,
  batch: ProbeRow,
  list: ProbeRow | undefined,
): Promise<CheckResult> {
  return {
    id: 'contract.names',
    title: 'Names in any script are listed as they were imported',
    expected: 'every name as it was sent, if the batch is accepted',
    observed: { import: answerOf(batch), list: answerOf(list) },
    ...(await judge(history, batch, list)),
    evidence: evidenceOf(batch, list),
  };
}

async function judge(
  history: History,
  batch: ProbeRow,
  list: ProbeRow | undefined,
): Promise<Pick<CheckResult, 'verdict' | 'explanation' | 'causes'>> {
  const silence = silenceOf(batch);
  if (silence !== undefined)
    return { verdict: 'inconclusive', explanation: `The batch says nothing: ${silence}.` };
  if (!is2xx(batch))
    return {
      verdict: 'inconclusive',
      explanation: `The batch was answered with ${batch.status}. The interface promises no alphabet.`,
    };
  if (list === undefined)
    return { verdict: 'inconclusive', explanation: 'The batch was accepted, but not listed afterwards.' };
  const shades = await shadesSent(history, batch.catalog_id ?? '');
  const dueNs = batch.status === 202 ? (batch.answered_ns ?? 0) + history.profile.import_visible * 1e6 : null;
  const { verdict, differences, causes } = compareList(list, { shades, clear: false, dueNs });
  return {
    verdict,
    explanation:
      verdict === 'pass'
        ? `${listed(shades.map(({ name }) => `"${name}"`))} were listed as they were imported.`
        : `List and import differ: ${listed(differences)}.`,
    ...(verdict === 'fail' && caused(causes)),
  };
}

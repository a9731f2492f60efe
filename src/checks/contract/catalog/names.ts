import type { History } from '../../../history/history.ts';
import { caused } from '../../causes/cause.ts';
import { gotOf, is2xx, type ProbeRow } from '../../core/probes.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { firstReasons, reason } from '../../reasons/reason.ts';
import { dueOf } from '../imports/imported.ts';
import { answerOf, evidenceOf, isAnswered, lastOf } from '../probes/asked.ts';
import { compareList, shadesSent } from './compare-list.ts';

/**
 * Names are listed with every letter that was sent. No alphabet is promised, so a shade that is left out for its name is
 * a doubt and no failure. No finding where no such names were sent.
 */
export async function checkNames(history: History, probes: readonly ProbeRow[]): Promise<CheckFinding[]> {
  const batch = lastOf(probes, 'names:import');
  const list = lastOf(probes, 'names:list');
  return batch === undefined ? [] : [await checkListed(history, batch, list)];
}

async function checkListed(
  history: History,
  batch: ProbeRow,
  list: ProbeRow | undefined,
): Promise<CheckFinding> {
  return {
    id: 'contract.names',
    expected: expects('contract.names'),
    observed: { import: answerOf(batch), list: answerOf(list) },
    ...(await judge(history, batch, list)),
    evidence: evidenceOf(batch, list),
  };
}

async function judge(
  history: History,
  batch: ProbeRow,
  list: ProbeRow | undefined,
): Promise<Pick<CheckFinding, 'verdict' | 'reasons' | 'causes'>> {
  if (!isAnswered(batch))
    return { verdict: 'inconclusive', reasons: [reason('import-unclear', { got: gotOf(batch) })] };
  if (!is2xx(batch))
    return {
      verdict: 'inconclusive',
      reasons: [reason('names-rejected', { status: batch.status })],
    };
  if (list === undefined) return { verdict: 'inconclusive', reasons: [reason('names-not-listed')] };
  const shades = await shadesSent(history, batch.catalog_id ?? '');
  const dueNs = dueOf(batch, history.profile.import_visible);
  const { verdict, reasons, causes } = compareList(list, { shades, clear: false, dueNs });
  return {
    verdict,
    reasons:
      verdict === 'pass'
        ? [reason('names-listed', { names: shades.map(({ name }) => name) })]
        : firstReasons(reasons),
    ...(verdict === 'fail' && caused(causes)),
  };
}

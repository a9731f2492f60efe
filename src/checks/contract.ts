import type { History } from '../history/history.ts';
import { checkAnswers } from './contract/answers.ts';
import { checkAvailability } from './contract/availability.ts';
import { checkBatchMax, checkBatchOver } from './contract/batches.ts';
import { checkCanary } from './contract/canary.ts';
import { checkCatalog } from './contract/catalog.ts';
import { checkErrors } from './contract/errors.ts';
import { checkExpiry } from './contract/expiry.ts';
import { makeImported } from './contract/imported.ts';
import { channelAnswered, checkAuth, checkNotFound } from './contract/refusals.ts';
import { checkShadeCount } from './contract/shade-count.ts';
import { readProbes } from './probes.ts';
import type { CheckResult } from './verdict.ts';

/** Whether the target answers as the interface document says, request by request. */
export async function checkContract(history: History): Promise<CheckResult[]> {
  const probes = await readProbes(history);
  await makeImported(history);
  return [
    await checkAnswers(history),
    checkAuth(probes, channelAnswered(probes)),
    checkNotFound(probes),
    await checkShadeCount(history),
    await checkCatalog(history, probes),
    checkBatchMax(probes, history.profile.import_visible),
    checkBatchOver(probes),
    await checkExpiry(history),
    checkCanary(probes, history.profile.session_history),
    await checkErrors(history),
    await checkAvailability(history),
  ];
}

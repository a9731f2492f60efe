import type { History } from '../history/history.ts';
import { type Tables, withTables } from '../history/tables.ts';
import { checkEvents } from './contract/acts.ts';
import { checkListsAgree, checkReadsAgree } from './contract/agree.ts';
import { checkAnswers } from './contract/answers.ts';
import { checkAuthUnderLoad } from './contract/auth-under-load.ts';
import { checkAvailability } from './contract/availability.ts';
import { checkBatchMax, checkBatchOver } from './contract/batches.ts';
import { checkCanary, missedReads } from './contract/canary.ts';
import { checkCatalog } from './contract/catalog.ts';
import { checkErrors } from './contract/errors.ts';
import { checkExpiry } from './contract/expiry.ts';
import { makeImported } from './contract/imported.ts';
import { checkMalformedBatch } from './contract/malformed-batch.ts';
import { checkMalformedRequests } from './contract/malformed-requests.ts';
import { checkNames } from './contract/names.ts';
import { checkNearKeys } from './contract/near-keys.ts';
import { checkOpenApi } from './contract/openapi.ts';
import { withPages } from './contract/pages.ts';
import { channelAnswered, checkAuth, checkNotFound } from './contract/refusals.ts';
import { checkImportAgain, checkSkuTwice } from './contract/repeats.ts';
import { checkShadeCount } from './contract/shade-count.ts';
import { checkTenancy } from './contract/tenancy.ts';
import { checkUpdates } from './contract/updates.ts';
import { readProbes } from './probes.ts';
import type { CheckFinding } from './verdict.ts';

/** Whether single answers of the target are as the interface document says. */
export function checkContract(history: History): Promise<CheckFinding[]> {
  return withTables(history, 'contract', checkWith);
}

async function checkWith(tables: Tables): Promise<CheckFinding[]> {
  const { history } = tables;
  const probes = withPages(await readProbes(history), history.run.target.base_url);
  const imported = await makeImported(tables);
  return [
    await checkAnswers(history),
    checkAuth(probes, channelAnswered(probes)),
    ...checkNearKeys(probes),
    ...checkAuthUnderLoad(probes, history),
    ...checkTenancy(probes, history.profile.data_scope),
    checkNotFound(probes),
    await checkShadeCount(history, imported),
    await checkCatalog(history, imported, probes),
    checkBatchMax(probes, history.profile.import_visible),
    checkBatchOver(probes),
    ...checkMalformedBatch(probes),
    ...checkMalformedRequests(probes),
    ...(await checkNames(history, probes)),
    checkImportAgain(probes),
    ...(await checkUpdates(history, probes)),
    ...(await checkListsAgree(history, probes)),
    ...(await checkReadsAgree(history)),
    checkSkuTwice(probes, history.profile.import_visible),
    await checkExpiry(history),
    checkCanary(probes, history.profile.session_history, await missedReads(history)),
    ...(await checkEvents(history)),
    await checkErrors(history),
    await checkAvailability(history),
    ...(await checkOpenApi(history)),
  ];
}

import type { History } from '../history/history.ts';
import { type Tables, withTables } from '../history/tables.ts';
import { checkAuthUnderLoad } from './contract/auth/auth-under-load.ts';
import { checkNearKeys } from './contract/auth/near-keys.ts';
import { channelAnswered, checkAuth, checkNotFound } from './contract/auth/refusals.ts';
import { checkTenancy } from './contract/auth/tenancy.ts';
import { checkListsAgree, checkReadsAgree } from './contract/catalog/agree.ts';
import { checkCatalog } from './contract/catalog/catalog.ts';
import { checkNames } from './contract/catalog/names.ts';
import { checkShadeCount } from './contract/catalog/shade-count.ts';
import { checkUpdates } from './contract/catalog/updates.ts';
import { checkAnswers } from './contract/errors/answers.ts';
import { checkAvailability } from './contract/errors/availability.ts';
import { checkErrors } from './contract/errors/errors.ts';
import { checkMalformedRequests } from './contract/errors/malformed-requests.ts';
import { checkBatchMax, checkBatchOver, checkMalformedBatch } from './contract/imports/batches.ts';
import { makeImported } from './contract/imports/imported.ts';
import { checkImportAgain, checkSkuTwice } from './contract/imports/repeats.ts';
import { checkOpenApi } from './contract/openapi/openapi.ts';
import { withPages } from './contract/probes/pages.ts';
import { checkEvents } from './contract/sessions/acts.ts';
import { checkCanary, missedReads } from './contract/sessions/canary.ts';
import { checkExpiry } from './contract/sessions/expiry.ts';
import { readProbes } from './core/probes.ts';
import { sessionVisible } from './core/session-visible.ts';
import type { CheckFinding } from './core/verdict.ts';

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
    await checkShadeCount(history, imported, probes),
    await checkCatalog(history, imported, probes),
    checkBatchMax(probes, history.profile.import_visible),
    checkBatchOver(probes),
    ...checkMalformedBatch(probes),
    ...checkMalformedRequests(probes),
    ...(await checkNames(history, probes)),
    checkImportAgain(probes, history.profile.import_visible),
    ...(await checkUpdates(history, probes)),
    ...(await checkListsAgree(history, probes)),
    ...(await checkReadsAgree(history)),
    checkSkuTwice(probes, history.profile.import_visible),
    await checkExpiry(history),
    checkCanary(probes, history.profile, await sessionVisible(history), await missedReads(history)),
    ...(await checkEvents(history)),
    await checkErrors(history),
    await checkAvailability(history),
    ...(await checkOpenApi(history)),
  ];
}

import type { History } from '../history/history.ts';
import { type Tables, withTables } from '../history/tables.ts';
import { checkAuthUnderLoad } from './contract/auth/keys.ts';
import { checkListsUnderLoad, checkShadeCount, makeImported } from './contract/catalog/shade-count.ts';
import { checkAnswers } from './contract/errors/answers.ts';
import { checkAvailability } from './contract/errors/availability.ts';
import { checkErrors } from './contract/errors/errors.ts';
import { checkStaleReads } from './contract/errors/stale-reads.ts';
import { checkExplored } from './contract/explored/explored.ts';
import { checkOpenApi } from './contract/openapi/openapi.ts';
import { readProbes } from './core/probes.ts';
import { type CheckFinding, mergedById } from './core/verdict.ts';

/** Whether single answers of the target are as the interface document says. */
export function checkContract(history: History): Promise<CheckFinding[]> {
  return withTables(history, 'contract', checkWith);
}

async function checkWith(tables: Tables): Promise<CheckFinding[]> {
  const { history } = tables;
  const imported = await makeImported(tables);
  // The explorer says what is wrong with a call; the others, what goes wrong among many. The share of 5xx is no matter of a call.
  return mergedById([
    await checkErrors(history),
    ...(await checkExplored(history)),
    ...(await checkAnswers(history)),
    ...(await checkStaleReads(history)),
    ...checkAuthUnderLoad(await readProbes(history), history),
    await checkShadeCount(history, imported),
    ...(await checkListsUnderLoad(history, imported)),
    await checkAvailability(history),
    ...(await checkOpenApi(history)),
  ]);
}

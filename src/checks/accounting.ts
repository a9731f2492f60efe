import type { History } from '../history/history.ts';
import { checkInteractions } from './accounting/interactions.ts';
import { checkPlanned } from './accounting/planned.ts';
import { checkRecords, checkSent } from './accounting/sent.ts';
import type { CheckFinding } from './core/verdict.ts';

/** Whether every request is accounted for. A gap is a defect of tryon, or an altered history. */
export async function checkAccounting(history: History): Promise<CheckFinding[]> {
  return [
    ...(await checkPlanned(history)),
    await checkSent(history),
    await checkRecords(history),
    ...(await checkInteractions(history)),
  ];
}

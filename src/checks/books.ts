import type { History } from '../history/history.ts';
import { checkInteractions } from './books/interactions.ts';
import { checkPlanned } from './books/planned.ts';
import { checkRecords, checkSent } from './books/sent.ts';
import type { CheckResult } from './verdict.ts';

/** Whether every request is accounted for. What does not add up is a defect of the harness, or an altered history. */
export async function checkBooks(history: History): Promise<CheckResult[]> {
  return [
    ...(await checkPlanned(history)),
    await checkSent(history),
    await checkRecords(history),
    ...(await checkInteractions(history)),
  ];
}

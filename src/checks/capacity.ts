import type { History } from '../history/history.ts';
import { checkSearch } from './capacity/knee.ts';
import { readCapacity } from './capacity/steps.ts';
import type { CheckFinding } from './core/verdict.ts';
import { reason } from './reasons/reason.ts';

/** How much the target takes before its promise on latency breaks: what a study found. */
export async function checkCapacity(history: History): Promise<CheckFinding[]> {
  const capacity = await readCapacity(history);
  // A scenario that asks for capacity and measures none has nothing to show for it.
  return capacity === undefined
    ? [{ id: 'capacity.knee', verdict: 'inconclusive', observed: {}, reasons: [reason('knee-not-studied')] }]
    : [checkSearch(history, capacity, 'rate'), checkSearch(history, capacity, 'connections')];
}

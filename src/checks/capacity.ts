import type { History } from '../history/history.ts';
import { checkClimb } from './capacity/climb.ts';
import { checkSearch } from './capacity/knee.ts';
import { readCapacity } from './capacity/steps.ts';
import type { CheckFinding } from './core/verdict.ts';

/** How much the target takes before its promise on latency breaks: what a study found, and the climb of a closed-loop phase. */
export async function checkCapacity(history: History): Promise<CheckFinding[]> {
  const capacity = await readCapacity(history);
  const climbs = history.run.phases.some(({ unit }) => unit === 'connections');
  return [
    ...(capacity === undefined
      ? []
      : [checkSearch(history, capacity, 'rate'), checkSearch(history, capacity, 'connections')]),
    // A scenario that asks for capacity and measures none has nothing to show for it.
    ...(climbs || capacity === undefined ? [await checkClimb(history)] : []),
  ];
}

import type { Outsider } from './outsider.ts';
import { waitedInTurn } from './queueing.ts';

/** No limit at all. */
export const none: Outsider = {
  id: 'none',
  name: 'service without a limit',
  explain: ({ isTold, queue, refusal }) => {
    if (refusal !== undefined) return { because: 'Requests were rejected.', evidence: [refusal] };
    if (queue !== undefined) return { because: waitedInTurn(queue), evidence: [] };
    return isTold ? { degreesOfFreedom: 0 } : undefined;
  },
};

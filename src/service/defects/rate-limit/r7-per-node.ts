import type { Defect } from '../defect.ts';
import { bucketed } from './bucketed.ts';

const nodes = 2;

/** Two nodes behind a balancer that takes turns, each counting for itself: twice the limit in all. */
export const limitPerNode: Defect = {
  id: 'R7',
  grade: 4,
  title: `Each of ${nodes} nodes counts separately`,
  alterations: {
    parts: (parts) => {
      let requests = 0;
      return bucketed(parts, ({ caller }) => `${caller.keyLabel} on node ${requests++ % nodes}`);
    },
  },
};

import type { Alterations } from '../../server.ts';
import type { Defect } from '../defect.ts';
import { type Pause, timerPause } from '../pause.ts';
import { beforeApiWork } from './api-work.ts';

const every = 100;
const slowMs = 2_000;

/** One request in a hundred has to wait, for a collection of garbage or a cold node. */
export function everyHundredthSlow(pause: Pause): Alterations {
  return {
    server(app) {
      let requests = 0;
      beforeApiWork(app, async () => {
        if (++requests % every === 0) await pause(slowMs);
      });
    },
  };
}

export const slowHundredth: Defect = {
  id: 'P1',
  grade: 2,
  title: `Every ${every}th request takes ${slowMs / 1_000} s`,
  alterations: everyHundredthSlow(timerPause),
};

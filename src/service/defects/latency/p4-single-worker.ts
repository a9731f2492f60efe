import type { Alterations } from '../../server.ts';
import type { Defect } from '../defect.ts';
import { type Pause, timerPause } from '../pause.ts';
import { beforeApiWork } from './api-work.ts';

/** One after the other, these are 750 requests a minute. */
const workMs = 80;

/** A single worker does everything; the rest waits in an unbounded queue. */
export function singleWorker(pause: Pause): Alterations {
  return {
    server(app) {
      let lastDone = Promise.resolve();
      beforeApiWork(app, () => {
        lastDone = lastDone.then(() => pause(workMs));
        return lastDone;
      });
    },
  };
}

export const kneeBelowTheLimit: Defect = {
  id: 'P4',
  grade: 4,
  title: `Above ${60_000 / workMs} requests a minute, which is under the rate limit, answers come later and later`,
  alterations: singleWorker(timerPause),
};

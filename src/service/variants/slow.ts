import { beforeApiWork } from '../defects/latency/api-work.ts';
import { type Pause, timerPause } from '../defects/pause.ts';
import type { Alterations } from '../server.ts';
import type { Variant } from './variant.ts';

const slowMs = 150;

/** Every admitted request takes longer. */
export function evenlySlow(pause: Pause): Alterations {
  return { server: (app) => beforeApiWork(app, () => pause(slowMs)) };
}

export const slow: Variant = {
  name: 'slow',
  title: `Every answer takes ${slowMs} ms, within the latency promise`,
  alterations: evenlySlow(timerPause),
};

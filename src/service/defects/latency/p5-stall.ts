import type { Alterations } from '../../server.ts';
import type { Defect } from '../defect.ts';
import { type Pause, timerPause } from '../pause.ts';

/** The number of the session request at which the stall begins; by then there is traffic. */
const stallingSession = 20;
const lastsMs = 5_000;

/**
 * Once, nothing is answered for some seconds; all requests of that time are answered then. A caller that waits for
 * each answer sees one slow request.
 */
export function stall(pause: Pause): Alterations {
  return {
    server(app, { clock }) {
      let sessions = 0;
      let endsMs = Number.NEGATIVE_INFINITY;
      app.addHook('onRequest', async (request) => {
        const nowMs = clock.monotonicMs();
        const asksForSession = request.method === 'POST' && request.routeOptions.url === '/v1/sessions';
        if (asksForSession && ++sessions === stallingSession) endsMs = nowMs + lastsMs;
        if (nowMs < endsMs) await pause(endsMs - nowMs);
      });
    },
  };
}

export const hiddenStall: Defect = {
  id: 'P5',
  grade: 4,
  title: `Once, there is no answer for ${lastsMs / 1_000} s`,
  alterations: stall(timerPause),
};

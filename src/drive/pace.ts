import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PlannedRequest } from '../plan/phase-plan.ts';
import type { Clock } from './clock.ts';

/** How often a wait looks whether the run was stopped. */
const glanceNs = 100e6;

/** Whoever is behind gives answers their turn at least so often. */
const longestTurnNs = 1e6;

/** So many requests of a stopped run are counted before anything else gets a turn. */
const countedAtOnce = 2_000;

/**
 * What this program is late with goes at once only as far as it fell due within so short a time that nothing is lost by it:
 * a run that is later than that is generator-bound. The rest follows at this many times the plan's pace.
 */
const atOnceNs = 100e6;
const catchUp = 2;

/** After a pause of so long the processor's caches have forgotten the way to the socket. It is gone once more so long before an instant. */
const pauseNs = 3e6;
const rehearsedNs = 1e6;

export interface Paced<Planned extends Pick<PlannedRequest, 'atNs'> = PlannedRequest> {
  /** In order of their instants. */
  readonly requests: Iterable<Planned>;
  /** The plan's zero and its end, run nanoseconds. */
  readonly startNs: number;
  readonly endNs: number;
  readonly clock: Clock;
  readonly isStopped: () => boolean;
  /** Told at its instant, or as soon as possible after it. */
  readonly begin: (planned: Planned) => void;
  /** Told shortly before the instant of what comes after a pause, to do whatever of it can be done without doing it. */
  readonly rehearse?: (planned: Planned) => void;
}

/**
 * Goes through a plan, each request at its instant, to the end of the load. What is late, since this program or its
 * machine was busy, is late: it is begun as soon as it can be without a burst that nobody planned. Of a plan that was
 * stopped, the rest is begun at once.
 */
export async function keepPace<Planned extends Pick<PlannedRequest, 'atNs'>>(
  paced: Paced<Planned>,
): Promise<void> {
  const { begin, clock, endNs, isStopped, rehearse, requests, startNs } = paced;
  let begun = 0;
  let turnNs = clock.nowNs();
  let beforeNs = startNs;
  // How far a plan at `catchUp` times the pace, begun whenever this program was last on time, would have come by now: the
  // generic cell rate algorithm (ITU-T I.371), with room for what may go at once.
  let paceNs = turnNs;
  const roomNs = atOnceNs / catchUp;
  const until = async (ns: number): Promise<void> => {
    for (let nowNs = clock.nowNs(); nowNs < ns && !isStopped(); nowNs = clock.nowNs()) {
      await clock.until(Math.min(ns, nowNs + glanceNs));
      turnNs = clock.nowNs();
    }
  };
  for (const planned of requests) {
    const dueNs = startNs + planned.atNs;
    const gapNs = (dueNs - beforeNs) / catchUp;
    const fromNs = Math.max(dueNs, paceNs + gapNs - roomNs);
    let nowNs = clock.nowNs();
    if (nowNs < fromNs) {
      if (rehearse !== undefined && fromNs - nowNs > pauseNs) {
        await until(fromNs - rehearsedNs);
        rehearse(planned);
      }
      await until(fromNs);
      nowNs = clock.nowNs();
    } else if (nowNs - turnNs > longestTurnNs) {
      await nextTurn();
      turnNs = nowNs = clock.nowNs();
    }
    beforeNs = dueNs;
    paceNs = Math.max(nowNs, paceNs + gapNs);
    begin(planned);
    // The rest of a long plan is counted in one go: answers, the disk and Ctrl-C want their turns meanwhile.
    if (++begun % countedAtOnce === 0 && isStopped()) await nextTurn();
  }
  await until(endNs);
}

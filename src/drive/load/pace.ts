import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PlannedRequest } from '../../plan/phase-plan.ts';
import type { Plan } from '../../plan/plan.ts';
import { type Channel, interactionsCount } from '../../target/profile.ts';
import type { RateLimit } from '../../vocabulary/quantities.ts';
import type { Clock } from '../clock/clock.ts';

/** How often a wait looks whether the run was stopped. */
const pollIntervalNs = 100e6;

/** A sender that is late still lets answers be read this often. */
const longestTurnNs = 1e6;

/** Requests of a stopped run that are counted before other tasks get a turn. */
const countedAtOnce = 2_000;

/**
 * Late requests go at once up to this much of the plan; a run later than that is generator-bound anyway. The rest
 * follows at `catchUp` times the plan's pace.
 */
const atOnceNs = 100e6;
const catchUp = 2;

/** After a pause of so long the processor's caches have forgotten the way to the socket. It is gone once more so long before an instant. */
const pauseNs = 3e6;
const preparedNs = 1e6;

/** So long before the first request a connection is opened: enough for the way round the world and a handshake. */
const openedNs = 1e9;
/** No doze is shorter. */
const dozeNs = 1e6;

interface Paced<Planned extends Pick<PlannedRequest, 'atNs'> = PlannedRequest> {
  /** In order of their instants. */
  readonly requests: Iterable<Planned>;
  /** The plan's zero and its end, run nanoseconds. */
  readonly startNs: number;
  readonly endNs: number;
  readonly clock: Clock;
  readonly isStopped: () => boolean;
  /** Told at its instant, or as soon as possible after it. */
  readonly begin: (planned: Planned) => void;
  /** Called somewhat before the first request, or at once where that is near or past. */
  readonly open?: () => void;
  /** Called shortly before the first request after a pause: prepares it without sending it. */
  readonly prepare?: (planned: Planned) => void;
}

/**
 * Starts each request of a plan at its instant, to the end of the load. Late requests start as soon as possible
 * without an unplanned burst. After a stop, the rest starts at once.
 */
export async function keepPace<Planned extends Pick<PlannedRequest, 'atNs'>>(
  paced: Paced<Planned>,
): Promise<void> {
  const { begin, clock, endNs, isStopped, open, prepare, requests, startNs } = paced;
  let begun = 0;
  let turnNs = clock.nowNs();
  let beforeNs = startNs;
  // How far a plan at `catchUp` times the pace would be by now, had it started when this program was last on time.
  // This is the generic cell rate algorithm (ITU-T I.371), with room for `atOnceNs`.
  let paceNs = turnNs;
  const roomNs = atOnceNs / catchUp;
  for (const planned of requests) {
    const dueNs = startNs + planned.atNs;
    const gapNs = (dueNs - beforeNs) / catchUp;
    const fromNs = Math.max(dueNs, paceNs + gapNs - roomNs);
    if (begun === 0) {
      await until(fromNs - openedNs, paced);
      if (!isStopped()) open?.();
    }
    let nowNs = clock.nowNs();
    if (nowNs < fromNs) {
      if (prepare !== undefined && fromNs - nowNs > pauseNs) {
        await roughlyUntil(fromNs - preparedNs, paced);
        prepare(planned);
        nowNs = clock.nowNs();
      }
      // Not `until`: a further asynchronous function costs as much as the clock.
      while (nowNs < fromNs && !isStopped()) {
        await clock.until(Math.min(fromNs, nowNs + pollIntervalNs));
        nowNs = clock.nowNs();
      }
      turnNs = nowNs;
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
  await until(endNs, paced);
}

/** Does not poll the clock where there is another way. */
async function roughlyUntil(ns: number, paced: Pick<Paced, 'clock' | 'isStopped'>): Promise<void> {
  const { clock, isStopped } = paced;
  if (clock.doze === undefined) return until(ns, paced);
  for (let nowNs = clock.nowNs(); nowNs < ns - dozeNs && !isStopped(); nowNs = clock.nowNs())
    await clock.doze(Math.min(ns, nowNs + pollIntervalNs));
}

/** Waits for an instant, or for the end of the run. */
export async function until(
  ns: number,
  { clock, isStopped }: Pick<Paced, 'clock' | 'isStopped'>,
): Promise<void> {
  for (let nowNs = clock.nowNs(); nowNs < ns && !isStopped(); nowNs = clock.nowNs())
    await clock.until(Math.min(ns, nowNs + pollIntervalNs));
}

/** The share of the limit that set-up and the beginning of a load may fill together: instants shift by a little on the way. */
const fullest = 0.99;

/**
 * The instants, ns since the start of the load, of the requests that spend the load key's limit in its first window. Undefined if
 * the plan alone goes beyond `most` there: it is meant to.
 */
export function firstWindow(
  plan: Pick<Plan, 'requests'>,
  channel: Channel | undefined,
  windowNs: number,
  most: number,
): readonly number[] | undefined {
  const actsSpend = interactionsCount(channel ?? 'none') === true;
  const instants: number[] = [];
  for (const { atNs, role, step } of plan.requests()) {
    if (atNs >= windowNs) break;
    if (role !== 'load' || (step.kind === 'interact' && !actsSpend)) continue;
    if (instants.length >= most) return undefined;
    instants.push(atNs);
  }
  return instants;
}

/**
 * The earliest instant at which a load may start, so that no window holds more of what was sent before and of the load together than
 * the limit takes. `sent`: in order, ns of the run. A window that begins with the i-th of them has room for some of the load; it
 * has to end before the one that is too many.
 */
export function startWithRoom(
  nowNs: number,
  sent: readonly number[],
  planned: readonly number[],
  { requests, windowMs }: RateLimit,
): number {
  const room = Math.floor(requests * fullest);
  return sent.reduce((startNs, atNs, place) => {
    const tooMany = planned[Math.max(0, room - (sent.length - place))];
    return tooMany === undefined ? startNs : Math.max(startNs, atNs + windowMs * 1e6 - tooMany);
  }, nowNs);
}

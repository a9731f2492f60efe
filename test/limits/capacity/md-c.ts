import type { Random } from '../../../src/random.ts';

/**
 * The queue M/D/c: arrivals at random (Poisson), c workers, each request takes exactly D, first come, first served. Its
 * theory, and its simulation, so that each can vouch for the other.
 */
export interface Mdc {
  readonly serviceMs: number;
  readonly workers: number;
}

/** The most requests in the system that the calculation covers. */
const states = 150;

/**
 * The share of requests whose response (wait and service) takes at most `withinMs`. G. J. Franx, "A simple solution
 * for the M/D/c waiting time distribution", Operations Research Letters 29 (2001): with q(j) the chance that at most
 * j wait, P(W ≤ x) = Σ from j = 0 to kc−1 of q(kc−1−j) · Poisson(j; λ(kD − x)), for (k−1)D ≤ x < kD.
 */
export function shareWithin(queue: Mdc, ratePerSecond: number, withinMs: number): number {
  const { serviceMs, workers } = queue;
  const x = withinMs - serviceMs;
  if (x < 0) return 0;
  const waiting = waitingAtMost(queue, ratePerSecond);
  const k = Math.floor(x / serviceMs) + 1;
  const load = (ratePerSecond / 1e3) * (k * serviceMs - x);
  let poisson = Math.exp(-load);
  let share = 0;
  for (let j = 0; j < k * workers; j++) {
    share += (waiting[k * workers - 1 - j] ?? 1) * poisson;
    poisson *= load / (j + 1);
  }
  return share;
}

/** The highest rate, per second, at which `percentile` of responses take at most `withinMs`. */
export function kneePerSecond(queue: Mdc, percentile: number, withinMs: number): number {
  const key = JSON.stringify([queue, percentile, withinMs]);
  const known = knees.get(key);
  if (known !== undefined) return known;
  let low = 0;
  let high = (queue.workers / queue.serviceMs) * 1e3 * 0.999;
  while (high - low > 1e-3 * high) {
    const rate = (low + high) / 2;
    if (shareWithin(queue, rate, withinMs) >= percentile / 100) low = rate;
    else high = rate;
  }
  knees.set(key, low);
  return low;
}

const knees = new Map<string, number>();

/**
 * For each number the chance that at most that many wait. After a service time, the requests in service are gone and
 * the new arrivals are there (Crommelin 1932); iteration finds the stationary chances.
 */
function waitingAtMost({ serviceMs, workers }: Mdc, ratePerSecond: number): number[] {
  const mean = (ratePerSecond / 1e3) * serviceMs;
  const arrivals = [Math.exp(-mean)];
  while ((arrivals.at(-1) ?? 0) > 1e-15 || arrivals.length < mean)
    arrivals.push(((arrivals.at(-1) ?? 0) * mean) / arrivals.length);
  let inSystem: Float64Array = new Float64Array(states);
  inSystem[0] = 1;
  for (let change = 1; change > 1e-8; ) {
    const next = new Float64Array(states);
    for (const [before, chance] of inSystem.entries()) {
      if (chance < 1e-16) continue;
      const left = Math.max(0, before - workers);
      for (const [came, odds] of arrivals.entries()) {
        const after = Math.min(states - 1, left + came);
        next[after] = (next[after] ?? 0) + chance * odds;
      }
    }
    change = next.reduce((sum, chance, n) => sum + Math.abs(chance - (inSystem[n] ?? 0)), 0);
    inSystem = next;
  }
  const atMost: number[] = [];
  let sum = 0;
  for (const [n, chance] of inSystem.entries()) {
    sum += chance;
    if (n >= workers) atMost.push(sum);
  }
  return atMost;
}

/** What each of the arrivals, instants in ms, waits and takes until it is done. Exact. */
export function responsesMs({ serviceMs, workers }: Mdc, arrivalsMs: Iterable<number>): number[] {
  const freeAtMs = new Array<number>(workers).fill(0);
  return Array.from(arrivalsMs, (atMs) => {
    let first = 0;
    for (let worker = 1; worker < workers; worker++)
      if ((freeAtMs[worker] ?? 0) < (freeAtMs[first] ?? 0)) first = worker;
    const doneMs = Math.max(atMs, freeAtMs[first] ?? 0) + serviceMs;
    freeAtMs[first] = doneMs;
    return doneMs - atMs;
  });
}

/** The share of responses of a long simulation that take at most `withinMs`. */
export function simulatedShareWithin(
  queue: Mdc,
  ratePerSecond: number,
  withinMs: number,
  requests: number,
  random: Random,
): number {
  let atMs = 0;
  const arrivals = Array.from({ length: requests }, () => {
    atMs -= (Math.log(1 - random()) / ratePerSecond) * 1e3;
    return atMs;
  });
  return responsesMs(queue, arrivals).filter((each) => each <= withinMs).length / requests;
}

import type { Random } from '../../../src/random.ts';
import { sampleRun } from '../../history/sample.ts';
import type { SeenRequest } from './sent-of.ts';

/**
 * Limiters in virtual time that tell the truth about themselves, in every dialect, behind a network. Written from the
 * descriptions of deployed limiters, apart from the checks. Instants in milliseconds since the run's zero.
 */

export interface Limit {
  readonly requests: number;
  readonly windowMs: number;
}

/** What an honest limiter knows after a request. */
export interface State {
  readonly admitted: boolean;
  readonly remaining: number;
  /** Until a place is free; of no matter while some remain. */
  readonly nextInMs: number;
  /** Until nothing of the past counts any more. */
  readonly allInMs: number;
}

export type Limiter = (atMs: number) => State;
export type MakeLimiter = (limit: Limit, random: Random) => Limiter;

const fixedWindow =
  (endOf: (atMs: number, windowMs: number, phaseMs: number) => number): MakeLimiter =>
  ({ requests, windowMs }, random) => {
    const phaseMs = random() * windowMs;
    let endMs = Number.NEGATIVE_INFINITY;
    let used = 0;
    return (atMs) => {
      if (atMs >= endMs) {
        endMs = endOf(atMs, windowMs, phaseMs);
        used = 0;
      }
      used++;
      const remaining = Math.max(0, requests - used);
      return { admitted: used <= requests, remaining, nextInMs: endMs - atMs, allInMs: endMs - atMs };
    };
  };

/** `parts`: the log is kept in so many parts of a window, each of which leaves at once. */
const log =
  (countRefused: boolean, parts?: number): MakeLimiter =>
  ({ requests, windowMs }) => {
    let leaves: number[] = [];
    const leavesAt = (atMs: number): number => {
      if (parts === undefined) return atMs + windowMs;
      const partMs = windowMs / parts;
      return (Math.floor(atMs / partMs) + 1) * partMs + windowMs;
    };
    return (atMs) => {
      leaves = leaves.filter((each) => each > atMs);
      const admitted = leaves.length < requests;
      if (admitted || countRefused) leaves.push(leavesAt(atMs));
      const remaining = Math.max(0, requests - leaves.length);
      const next = leaves[leaves.length - requests] ?? atMs;
      return { admitted, remaining, nextInMs: next - atMs, allInMs: (leaves.at(-1) ?? atMs) - atMs };
    };
  };

const counter =
  (countRefused: boolean): MakeLimiter =>
  ({ requests, windowMs }, random) => {
    const phaseMs = random() * windowMs;
    const counts = new Map<number, number>();
    const loadAt = (atMs: number): number => {
      const at = (atMs + phaseMs) / windowMs;
      const now = Math.floor(at);
      return (counts.get(now) ?? 0) + (counts.get(now - 1) ?? 0) * (1 - (at - now));
    };
    return (atMs) => {
      const admitted = loadAt(atMs) + 1 <= requests;
      const now = Math.floor((atMs + phaseMs) / windowMs);
      if (admitted || countRefused) counts.set(now, (counts.get(now) ?? 0) + 1);
      const stepMs = windowMs / 2_000;
      let nextInMs = 0;
      while (loadAt(atMs + nextInMs) + 1 > requests) nextInMs += stepMs;
      const allInMs = (now + 2) * windowMs - phaseMs - atMs;
      return {
        admitted,
        remaining: Math.max(0, Math.floor(requests - loadAt(atMs))),
        nextInMs,
        allInMs,
      };
    };
  };

/** `lumpMs`: refilled in lumps; steadily without. `part`: of the limit, that it holds. */
const bucket =
  (lumpMs?: number, part = 1): MakeLimiter =>
  ({ requests, windowMs }) => {
    const perMs = requests / windowMs;
    const size = Math.ceil(requests * part);
    let tokens = size;
    let filledMs = 0;
    return (atMs) => {
      const fillMs = lumpMs === undefined ? atMs : Math.floor(atMs / lumpMs) * lumpMs;
      tokens = Math.min(size, tokens + (fillMs - filledMs) * perMs);
      filledMs = fillMs;
      const admitted = tokens >= 1;
      if (admitted) tokens--;
      const missingMs = (count: number): number => {
        const exactMs = Math.max(0, count - tokens) / perMs;
        if (lumpMs === undefined) return exactMs;
        return Math.max(1, Math.ceil(exactMs / lumpMs)) * lumpMs - (atMs - fillMs);
      };
      const remaining = Math.floor(tokens);
      return { admitted, remaining, nextInMs: missingMs(remaining + 1), allInMs: missingMs(size) };
    };
  };

export const honestLimiters: Readonly<Record<string, MakeLimiter>> = {
  'windows by the clock': fixedWindow(
    (atMs, windowMs, phaseMs) => (Math.floor((atMs + phaseMs) / windowMs) + 1) * windowMs - phaseMs,
  ),
  'windows opened by a request': fixedWindow((atMs, windowMs) => atMs + windowMs),
  log: log(false),
  'log of refused requests too': log(true),
  'log in six parts': log(false, 6),
  counter: counter(false),
  'counter of refused requests too': counter(true),
  bucket: bucket(),
  'bucket filled each second': bucket(1_000),
  'bucket that holds a fifth of the limit': bucket(undefined, 0.2),
};

/** What the reset of a header is the reset of. */
export type ResetOf = 'next' | 'all' | 'whole window';
export type Rounding = 'floor' | 'round' | 'ceil';

/** How a target speaks. */
export interface Speech {
  readonly dialect: keyof typeof dialects;
  readonly resetOf: ResetOf;
  readonly rounding: Rounding;
  readonly retryAfter: 'seconds' | 'date' | 'none';
}

export interface Said {
  readonly limit: Limit;
  readonly remaining: number;
  /** Until the reset, not rounded. */
  readonly resetMs: number;
  /** The target's clock. */
  readonly nowEpochMs: number;
  readonly isRejected: boolean;
  readonly round: (value: number) => number;
}

const resetSeconds = ({ resetMs, round }: Said): number => round(resetMs / 1_000);
const resetEpochSeconds = ({ resetMs, nowEpochMs, round }: Said): number =>
  round((nowEpochMs + resetMs) / 1_000);
const windowSeconds = ({ limit }: Said): number => limit.windowMs / 1_000;
const xRateLimit = (prefix: string, { limit, remaining }: Said, reset: string | number): string =>
  `${prefix}-limit: ${limit.requests} | ${prefix}-remaining: ${remaining} | ${prefix}-reset: ${reset}`;

export const dialects = {
  'draft 10': (said: Said) =>
    `ratelimit-policy: "key";q=${said.limit.requests};w=${windowSeconds(said)} | ratelimit: "key";r=${said.remaining};t=${resetSeconds(said)}`,
  'draft 11': (said: Said) =>
    `ratelimit-policy: "key";q=${said.limit.requests};w=${windowSeconds(said)};qu="requests";pk=:c29tZQ==:, "traffic";q=65535;qu="content-bytes";w=10 | ratelimit: "key";r=${said.remaining};t=${resetSeconds(said)};pk=:c29tZQ==:, "traffic";r=4096${said.isRejected ? ' | ratelimit-problem: "quota-exceeded";status=429, "key"' : ''}`,
  'draft 10, two policies': (said: Said) =>
    `ratelimit-policy: "day";q=1000000;w=86400, "key"; w=${windowSeconds(said)}; q=${said.limit.requests}; pk=:c29tZQ==: | ratelimit: "key";t=${resetSeconds(said)};r=${said.remaining}`,
  'draft 7': (said: Said) =>
    `ratelimit-policy: ${said.limit.requests};w=${windowSeconds(said)} | ratelimit: limit=${said.limit.requests}, remaining=${said.remaining}, reset=${resetSeconds(said)}`,
  'draft 6': (said: Said) =>
    `${xRateLimit('ratelimit', said, resetSeconds(said))} | ratelimit-policy: ${said.limit.requests};w=${windowSeconds(said)};comment="per key"`,
  'draft 3': (said: Said) =>
    `ratelimit-limit: ${said.limit.requests}, ${said.limit.requests};w=${windowSeconds(said)} | ratelimit-remaining: ${said.remaining} | ratelimit-reset: ${resetSeconds(said)}`,
  'X-RateLimit, seconds': (said: Said) => xRateLimit('x-ratelimit', said, resetSeconds(said)),
  'X-RateLimit, epoch seconds': (said: Said) => xRateLimit('x-ratelimit', said, resetEpochSeconds(said)),
  'X-RateLimit, epoch milliseconds': (said: Said) =>
    xRateLimit('x-ratelimit', said, Math.round(said.nowEpochMs + said.resetMs)),
  'X-RateLimit, HTTP date': (said: Said) =>
    xRateLimit('x-ratelimit', said, new Date(resetEpochSeconds(said) * 1_000).toUTCString()),
  'X-RateLimit, ISO date': (said: Said) =>
    xRateLimit('x-ratelimit', said, new Date(said.nowEpochMs + said.resetMs).toISOString()),
  'X-RateLimit with what is used': (said: Said) =>
    `${xRateLimit('x-ratelimit', said, resetEpochSeconds(said))} | x-ratelimit-used: ${said.limit.requests - said.remaining}`,
  'X-Rate-Limit, epoch seconds': (said: Said) => xRateLimit('x-rate-limit', said, resetEpochSeconds(said)),
} as const satisfies Readonly<Record<string, (said: Said) => string>>;

/** A request to be sent. */
export interface Sending {
  readonly atMs: number;
  readonly key: 'load' | 'bystander';
  readonly endpoint: 'list-shades' | 'read-session';
}

export interface Scene {
  readonly limit: Limit;
  readonly limiter: Limiter;
  /** All keys share the one limiter; else only `load` is limited. */
  readonly isShared: boolean;
  readonly speech: Speech;
  /** By how much the target's clock is off. */
  readonly clockOffMs: number;
  readonly zeroEpochMs: number;
  /** Mean of a round trip; each way varies, so that requests overtake each other. */
  readonly roundTripMs: number;
  /** Probability that there is no answer. */
  readonly loss: number;
  readonly random: Random;
  /** What is said in place of the truth. */
  readonly lie?: (truth: Told, state: State, atMs: number) => Told;
}

/** What all scenes have in common in which nothing but the limiter is remarkable. */
export const plainly = {
  isShared: false,
  speech: { dialect: 'draft 6', resetOf: 'next', rounding: 'ceil', retryAfter: 'seconds' },
  clockOffMs: 0,
  zeroEpochMs: sampleRun.zero_epoch_ms,
  roundTripMs: 5,
  loss: 0,
} as const satisfies Partial<Scene>;

/** What an answer says of the limiter. */
export type Told = Pick<SeenRequest, 'retry_after' | 'limit_headers'>;

/** What the sender sees of a scene, in order of sending. */
export function observe(scene: Scene, sendings: readonly Sending[]): SeenRequest[] {
  const { random, roundTripMs, loss } = scene;
  const wayMs = (): number => (roundTripMs / 2) * (0.3 - 0.7 * Math.log(1 - random()));
  const trips = sendings
    .toSorted((a, b) => a.atMs - b.atMs)
    .map((sending, index) => ({
      sending,
      index,
      arrivesMs: sending.atMs + wayMs(),
      isLost: random() < loss,
    }));
  const seen: SeenRequest[] = [];
  for (const { sending, index, arrivesMs, isLost } of trips.toSorted((a, b) => a.arrivesMs - b.arrivesMs)) {
    const answeredMs = isLost ? sending.atMs + 5_000 : arrivesMs + wayMs();
    const answered = exchange(scene, sending, arrivesMs, answeredMs);
    seen[index] = { ...answered, seq: index + 1, ...(isLost ? unanswered : {}) };
  }
  return seen;
}

const unanswered = { status: null, server_date_ms: null, retry_after: null, limit_headers: null };

function exchange(scene: Scene, sending: Sending, arrivesMs: number, answeredMs: number): SeenRequest {
  const isLimited = scene.isShared || sending.key === 'load';
  const state = isLimited ? scene.limiter(arrivesMs) : undefined;
  return {
    seq: 0,
    credential: sending.key,
    charged_to: sending.key,
    endpoint: sending.endpoint,
    probe: null,
    sent_ns: Math.round(sending.atMs * 1e6),
    answered_ns: Math.round(answeredMs * 1e6),
    server_date_ms: Math.floor((scene.zeroEpochMs + scene.clockOffMs + arrivesMs) / 1_000) * 1_000,
    ...(state === undefined
      ? { status: 200, retry_after: null, limit_headers: null }
      : { status: state.admitted ? 200 : 429, ...toldBy(scene, state, arrivesMs) }),
  };
}

/** Nobody waits for more windows than so many. */
const longestWaits = 3;
/** What was lost may be counted for so long: two of the profile's usual time-outs. */
const lostForMs = 14_000;
/** A date has whole seconds, and clocks are as far apart as a profile usually says. */
const dateDoubtMs = 1_000 + 2 * 2_000;

/**
 * One request after the other until one is refused; then, as often as `rounds` says, a wait until right after the
 * instant that `Retry-After` names, with nothing else sent. Goes on with `seen`, whose limiter the scene's is.
 */
export function waitAsTold(scene: Scene, seen: readonly SeenRequest[], rounds: number): SeenRequest[] {
  const all = [...seen];
  const last = seen.reduce((latest, each) => Math.max(latest, each.answered_ns), 0);
  let atMs = last / 1e6 + lostForMs + scene.limit.windowMs / 2;
  const ask = (probe: string | null): SeenRequest => {
    const arrivesMs = atMs + 1 + scene.random() * scene.roundTripMs;
    const answeredMs = arrivesMs + 1 + scene.random() * scene.roundTripMs;
    const sending = { atMs, key: 'load', endpoint: 'list-shades' } as const;
    const answer = { ...exchange(scene, sending, arrivesMs, answeredMs), seq: all.length + 1, probe };
    all.push(answer);
    atMs = answeredMs + 1;
    return answer;
  };
  for (let round = 0; round < rounds; round++) {
    let answer = ask(null);
    for (let n = 0; n < 3 * scene.limit.requests && answer.status !== 429; n++) answer = ask(null);
    if (answer.status !== 429 || answer.retry_after === null) break;
    const dueMs = advisedMs(scene, answer);
    if (dueMs > atMs + longestWaits * scene.limit.windowMs) break;
    atMs = dueMs + (isSeconds(answer.retry_after) ? 30 : dateDoubtMs);
    ask('wait:full');
  }
  return all;
}

function isSeconds(retryAfter: string): boolean {
  return /^-?[\d.]+$/.test(retryAfter);
}

function advisedMs({ zeroEpochMs, clockOffMs }: Scene, { retry_after, answered_ns }: SeenRequest): number {
  const text = retry_after ?? '';
  if (isSeconds(text)) return answered_ns / 1e6 + Math.max(0, Number(text) * 1_000);
  return Date.parse(text) - zeroEpochMs - clockOffMs;
}

/** What is said of a limiter in a certain state. */
function toldBy({ limit, speech, clockOffMs, zeroEpochMs, lie }: Scene, state: State, atMs: number): Told {
  const nowEpochMs = zeroEpochMs + clockOffMs + atMs;
  const resets = { next: state.nextInMs, all: state.allInMs, 'whole window': limit.windowMs };
  const waitS = Math.ceil(state.nextInMs / 1_000);
  const waits = {
    seconds: String(waitS),
    date: new Date(Math.ceil((nowEpochMs + state.nextInMs) / 1_000) * 1_000).toUTCString(),
    none: null,
  };
  const truth = {
    retry_after: state.admitted ? null : waits[speech.retryAfter],
    limit_headers: dialects[speech.dialect]({
      limit,
      remaining: state.remaining,
      resetMs: resets[speech.resetOf],
      nowEpochMs,
      isRejected: !state.admitted,
      round: Math[speech.rounding],
    }),
  };
  return lie === undefined ? truth : lie(truth, state, atMs);
}

/** A random load: bursts, steady stretches below and above the limit, pauses, and single requests now and then. */
export function randomLoad(limit: Limit, random: Random, stretches = 6): Sending[] {
  const sendings: Sending[] = [];
  const rate = limit.requests / limit.windowMs;
  let atMs = random() * limit.windowMs;
  const isMixed = random() < 0.5;
  const one = (ms: number): void => {
    sendings.push({
      atMs: ms,
      key: random() < 0.1 ? 'bystander' : 'load',
      endpoint: isMixed && random() < 0.4 ? 'read-session' : 'list-shades',
    });
  };
  for (let k = 0; k < stretches; k++) {
    const kind = Math.floor(random() * 4);
    const lengthMs = limit.windowMs * (0.1 + random());
    if (kind === 0) {
      const size = Math.ceil(limit.requests * (0.3 + random()));
      const burstMs = 200 + random() * 2_000;
      for (let n = 0; n < size; n++) one(atMs + random() * burstMs);
      atMs += burstMs;
    } else if (kind === 1) {
      const slotMs = 1 / (rate * (0.4 + 2 * random()));
      for (let ms = 0; ms < lengthMs; ms += slotMs) one(atMs + ms + random() * slotMs);
      atMs += lengthMs;
    } else if (kind === 2) {
      for (let ms = 0; ms < lengthMs; ms += 300 + random() * 1_500) one(atMs + ms);
      atMs += lengthMs;
    } else atMs += lengthMs;
  }
  return sendings;
}

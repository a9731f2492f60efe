import { isSettled, type LimiterInference } from '../../../limits/inference.ts';
import {
  measuringProbe,
  nextProbe,
  type ProbeKind,
  type ProbeScale,
  probeKinds,
  probeWindows,
  reachingProbe,
  scaleOf,
} from '../../../limits/probes.ts';
import type { Sharing } from '../../../limits/sent/traces.ts';
import type { ScopeProbe } from '../../../vocabulary/probes.ts';
import type { RateLimit } from '../../../vocabulary/quantities.ts';
import type { Role } from '../../../vocabulary/roles.ts';
import { type LimitsStudyOptions, probeLimits, restWindows, type Track } from './requests.ts';

/** A kind of limiter at least so likely, before all others, ends the study. */
const certainty = 0.99;
/** Probes that compare two keys which were opened at different times. */
const needsTwoKeys: ReadonlySet<ProbeKind> = new Set<ProbeKind>(['D', 'G']);
/** The rest before the last look: a sliding counter still weighs what came nearly two windows ago. */
export const recoveryRestWindows = 2.1;
/** Windows that a look takes, after the rest. */
export const recoveryWindows = 0.15;
/** Windows that a trickle takes, and the rest after it: longer than a window. */
export const trickleWindows = 1.75;
export const restAfterTrickleWindows = 1.1;

/** What the study has found so far, and the probes that are worth sending next, and for which there is time. */
export class ProbeChoice {
  readonly #options: LimitsStudyOptions;
  readonly #windowNs: number;
  /** Probes that were sent. */
  readonly #done: ProbeKind[] = [];
  /** The keys of the last of them, which left them at their limit. */
  #last: readonly Role[] = [];
  /** The limiters that are still possible; undefined before the first inference. */
  inference: LimiterInference | undefined;
  /** Whether a probe that reaches the promised limit is sent next, and whether there was one before. */
  #isReaching = false;
  #hasReached = false;
  /** What shares the limit of the `load` key. */
  sharing: ReadonlyMap<ScopeProbe, Sharing> = new Map();

  constructor(options: LimitsStudyOptions) {
    this.#options = options;
    this.#windowNs = options.promised.windowMs * 1e6;
  }

  first(): Track[] {
    const tracks: Track[] = [{ kind: 'E', roles: ['load', 'load'] }];
    if (this.#hasTwoKeys()) tracks.push({ kind: 'B', roles: ['bystander', 'bystander'] });
    const timely = tracks.filter(({ kind }) => this.#hasTimeFor(kind));
    this.#hasReached = timely.some(({ kind }) => kind === 'B');
    return timely;
  }

  /** The probes that best separate the survivors: two at a time if there are two keys, and neither needs both. */
  next(inference: LimiterInference): Track[] {
    const isDecided = isSettled(inference, certainty) && this.#done.length > 1;
    const reaching = isDecided ? this.#reaching(inference) : undefined;
    this.#isReaching = reaching !== undefined;
    if (reaching !== undefined) return [{ kind: reaching, roles: ['load', 'load'] }];
    const among = probeKinds.filter((each) => this.#hasTimeFor(each));
    // Where there is no time for the probe that tells most about rejections, a trickle uses the last rest.
    if (!isDecided && !among.includes('G') && this.hasTimeForTrickle()) return [];
    const kind = isDecided
      ? measuringProbe(inference, this.#done)
      : nextProbe(inference, this.#done, this.scale(), among);
    if (kind === undefined) return [];
    if (isDecided || !this.#hasTwoKeys()) return [{ kind, roles: ['load', 'load'] }];
    if (needsTwoKeys.has(kind)) return [{ kind, roles: ['load', 'bystander'] }];
    const ofOneKey = among.filter((each) => !needsTwoKeys.has(each) && each !== kind);
    const beside = nextProbe(inference, [...this.#done, kind], this.scale(), ofOneKey);
    return [
      { kind, roles: ['load', 'load'] },
      ...(beside === undefined ? [] : [{ kind: beside, roles: ['bystander', 'bystander'] } as const]),
    ];
  }

  scale(): ProbeScale {
    // Bursts alone say little of windows.
    const isAsPromised = this.#isReaching || this.#done.length === 0;
    return isAsPromised ? this.#promisedScale() : probeScale(this.inference, this.#options.promised);
  }

  #promisedScale(): ProbeScale {
    return probeScale(undefined, this.#options.promised);
  }

  /** The probe that reaches the promised limit, once, if the one found may hide it. */
  #reaching(inference: LimiterInference): ProbeKind | undefined {
    const { requests: limit, windowMs } = this.#options.promised;
    const kind = this.#hasReached ? undefined : reachingProbe(inference, { limit, windowMs });
    if (kind === undefined) return undefined;
    this.#hasReached = true;
    return this.#hasTimeFor(kind, this.#promisedScale()) ? kind : undefined;
  }

  noteSent(tracks: readonly Track[]): void {
    this.#done.push(...tracks.map(({ kind }) => kind));
    this.#last = tracks.flatMap(({ roles }) => roles);
  }

  /** The key for a trickle, and the one that rests meanwhile: the first was left at its limit. */
  trickleRoles(): { readonly trickling: 'load' | 'bystander'; readonly resting: 'load' | 'bystander' } {
    return this.#last.length === 0 || this.#last.includes('bystander')
      ? { trickling: 'bystander', resting: 'load' }
      : { trickling: 'load', resting: 'bystander' };
  }

  /** Whether time and requests are left for all of them. */
  hasRoomFor(next: readonly Track[]): boolean {
    const { mostRequests, promised, prober } = this.#options;
    return (
      next.every(({ kind }) => this.#hasTimeFor(kind)) &&
      prober.sent + next.length * probeLimits * promised.requests <= mostRequests
    );
  }

  /** Whether a trickle would tell the survivors apart, on a key that the last probe left at its limit. */
  hasTimeForTrickle(): boolean {
    const { clock, deadlineNs } = this.#options;
    const windows = trickleWindows + restAfterTrickleWindows + recoveryWindows;
    return (
      this.inference !== undefined &&
      !isSettled(this.inference, certainty) &&
      this.#hasTwoKeys() &&
      trickleTells(this.inference) &&
      clock.nowNs() + windows * this.#windowNs <= deadlineNs
    );
  }

  /**
   * Where there was no time for any probe: one on the bystander's key while the other rests until an instant, run
   * nanoseconds. That key has had few requests, so it needs no rest, and is the first to meet the limit after one.
   */
  besideRest(untilNs: number): ProbeKind | undefined {
    if (this.#done.length > 0 || this.inference === undefined || !this.#hasTwoKeys()) return undefined;
    const leftMs = (untilNs - this.#options.clock.nowNs()) / 1e6;
    const among = probeKinds.filter(
      (kind) => !needsTwoKeys.has(kind) && probeWindows[kind] * this.scale().windowMs <= leftMs,
    );
    return nextProbe(this.inference, [], this.scale(), among) ?? among.find((kind) => kind === 'E');
  }

  /** Whether there is time for a rest, the probe, and the last look. */
  #hasTimeFor(kind: ProbeKind, { windowMs } = this.scale()): boolean {
    const { clock, deadlineNs } = this.#options;
    const windows = restWindows + 0.3 + probeWindows[kind];
    const thenNs = (recoveryRestWindows + recoveryWindows) * this.#windowNs;
    return clock.nowNs() + windows * windowMs * 1e6 + thenNs <= deadlineNs;
  }

  /** Two keys with separate limits. */
  #hasTwoKeys(): boolean {
    return this.#options.keys.bystander !== undefined && this.sharing.get('scope:other-key') === 'separate';
  }
}

/** Kinds less likely than this do not scale probes. */
const leastLikely = 0.02;
/** Probes keep to the promised limit or window if the found one is within this factor of it. */
const near = { limit: 2, window: 1.5 };
const shortestWindowMs = 1_000;

/** Probes are scaled to the promised limit and window, unless the answers rule both out; bounded in count and time. */
function probeScale(inference: LimiterInference | undefined, promised: RateLimit): ProbeScale {
  const asPromised = { limit: promised.requests, windowMs: promised.windowMs };
  const likely = (inference?.survivors ?? []).filter(({ confidence }) => confidence > leastLikely);
  const [best] = likely;
  if (best === undefined || best.limit === null || best.windowMs === null) return asPromised;
  const isNear = likely.some(
    ({ limit, windowMs }) =>
      limit !== null &&
      windowMs !== null &&
      within(limit / promised.requests, near.limit) &&
      within(windowMs / promised.windowMs, near.window),
  );
  if (isNear) return asPromised;
  const scale = scaleOf(best);
  return {
    limit: Math.min(scale.limit, 2 * promised.requests),
    windowMs: Math.min(Math.max(scale.windowMs, shortestWindowMs), 2 * promised.windowMs),
  };
}

function within(ratio: number, factor: number): boolean {
  return ratio <= factor && ratio >= 1 / factor;
}

/**
 * Whether a trickle on a key at its limit separates the survivors. Single requests show when a limiter that counts
 * rejections admits again; a window extended by rejections rejects them all.
 */
function trickleTells({ survivors }: LimiterInference): boolean {
  const likely = survivors.filter(({ confidence }) => confidence > leastLikely);
  return (
    likely.length > 1 &&
    likely.some(({ rejectsCount, settled }) => rejectsCount === true && settled !== undefined)
  );
}

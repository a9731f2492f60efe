import { seconds } from '../../amounts.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { type ScopeProbe, studyPhases } from '../../history/phases.ts';
import { admittedAtOnce } from '../../limits/at-once.ts';
import { isSettled, type LimiterInference } from '../../limits/inference.ts';
import { measuringProbe, nextProbe } from '../../limits/next-probe.ts';
import {
  type ProbeKind,
  type ProbeScale,
  probeKinds,
  probeSchedule,
  probeWindows,
  silenceAfter,
} from '../../limits/probes.ts';
import type { Random } from '../../random.ts';
import type { RateLimit } from '../../scenario/quantities.ts';
import type { Charging, Sharing } from '../../sent/charged.ts';
import * as calls from '../../target/calls.ts';
import type { Keys } from '../../target/keys.ts';
import { eachRole, type Role } from '../../target/profile.ts';
import type { Reply } from '../ask.ts';
import type { Clock } from '../clock.ts';
import { drip } from './drip.ts';
import type { Infer } from './infer-aside.ts';
import { probeScale } from './probe-scale.ts';
import type { Prober, StudyRequest, TimedRequest } from './prober.ts';
import { recoveryWindows, tryRecovery } from './recovery.ts';
import { controlOf, exhaust, type ScopeOptions, tryScope } from './scope.ts';
import type { Seen } from './seen.ts';
import { probesInWords, type Track } from './track.ts';
import { closingBurst, restAfterTrickleWindows, trickle, trickleTells, trickleWindows } from './trickle.ts';
import { tryWaits } from './waits.ts';

export interface LimitsStudyOptions {
  readonly prober: Prober;
  readonly seen: Seen;
  readonly infer: Infer;
  readonly clock: Clock;
  readonly random: Random;
  readonly promised: RateLimit;
  /** How far the target's clock may be from ours. */
  readonly clockSkewMs: number;
  readonly keys: Keys;
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  readonly tries: ScopeOptions['tries'];
  /** Whether interactions spend the limit, as far as the profile says. */
  readonly interactionsCount: boolean | 'discover';
  /** The service was started for this run, so its keys have no other users just before. */
  readonly isFresh: boolean;
  /** The study is over by then, run nanoseconds. */
  readonly deadlineNs: number;
  /** Requests that it may send. */
  readonly mostRequests: number;
  /** Its current step, and the kinds of limiter that are still possible. */
  readonly onStep: (step: string, alive: readonly string[]) => void;
}

/** A kind of limiter at least so likely, before all others, ends the study. */
const certainty = 0.99;
/** Windows of rest after which a key is as good as new, by every limiter that forgets within a window. */
const restWindows = 1.3;
/**
 * Endpoints that are read without a trace. Each gets this part of the limit, up to this sum, so that none is
 * rejected.
 */
const mixable: readonly ScopeProbe[] = ['scope:read-session', 'scope:analytics'];
const mixedPart = 0.2;
const mixedLimits = 0.9;
/** The rest before the last look: a sliding counter still weighs what came nearly two windows ago. */
const recoveryRestWindows = 2.1;
/** Limits that bursts, volleys and a trickle spend at most, beside what probes do. */
const burstLimits = 7;
/** Limits that a probe spends at most. */
const probeLimits = 5.5;
const unauthenticatedLimits = 1.2;
/** Probes that compare two keys which were opened at different times. */
const needsTwoKeys: ReadonlySet<ProbeKind> = new Set<ProbeKind>(['D', 'G']);
/** A rest, the first probes, and the last look. */
const firstProbesWindows = 6;
/** Requests on the bystander meanwhile, per window. */
const drippedPerWindow = 20;

/** A budget of less than a rest, where one is needed, and what is tried at the limit is for no study; milliseconds. */
export function leastMsOfLimitsStudy({ windowMs }: RateLimit, isFresh: boolean): number {
  return (isFresh ? 1 : 1 + restWindows) * windowMs;
}

/** The most that a study of this length may spend on a key: the bursts, and one probe after another. */
export function requestsOfLimitsStudy(budgetMs: number, { requests, windowMs }: RateLimit): number {
  const shortest = Math.min(...Object.values(probeWindows)) + restWindows;
  const probes = Math.ceil(budgetMs / windowMs / shortest);
  return Math.ceil((burstLimits + unauthenticatedLimits + probes * probeLimits) * requests) + 200;
}

/**
 * Studies the limiter: bursts to its limit, then tests at the limit (its scope, the order of checks, the advice of
 * rejections). Then it sends probes, each chosen by the models that remain; two keys probe at once if each has its
 * own limit. It ends when one kind is left, or time or requests run out.
 */
export async function studyLimiter(options: LimitsStudyOptions): Promise<void> {
  await new LimitsStudy(options).run();
}

class LimitsStudy {
  readonly #options: LimitsStudyOptions;
  readonly #windowNs: number;
  readonly #done: ProbeKind[] = [];
  #inference: LimiterInference | undefined;
  #sharing: ReadonlyMap<ScopeProbe, Sharing> = new Map();

  constructor(options: LimitsStudyOptions) {
    this.#options = options;
    this.#windowNs = options.promised.windowMs * 1e6;
  }

  async run(): Promise<void> {
    const { clock, isFresh, prober } = this.#options;
    const leastNs = leastMsOfLimitsStudy(this.#options.promised, isFresh) * 1e6;
    if (clock.nowNs() + leastNs > this.#options.deadlineNs) return;
    if (!isFresh) {
      this.#say('waiting until the limiter forgets earlier requests');
      await prober.until(clock.nowNs() + restWindows * this.#windowNs);
    }
    await this.#atTheLimit();
    await this.#infer();
    await this.#probes();
    await this.#recovery();
  }

  /** Everything that a key at its limit can tell. */
  async #atTheLimit(): Promise<void> {
    const { catalogs, clock, clockSkewMs, prober, promised, tries } = this.#options;
    this.#say('bursts to the limit');
    const control = controlOf(catalogs.load.id);
    let atOnce = 0;
    const scope: ScopeOptions = {
      prober,
      limit: promised.requests,
      control,
      tries,
      windowNs: this.#windowNs,
      onBurst: (replies) => {
        atOnce = Math.max(atOnce, this.#admittedAtOnce(replies));
      },
    };
    const meanwhile = this.#drip();
    try {
      if (!(await exhaust(scope))) return;
      this.#say('at the limit: other endpoints, keys and addresses, and the order of checks');
      this.#sharing = await tryScope(scope, atOnce);
      this.#say('the same number without a good key');
      await prober.volley(this.#unauthenticated());
      await tryWaits({
        prober,
        clock,
        control,
        clockSkewMs,
        longestMs: (round) => this.#longestWaitMs(round),
        onWait: (ms) => this.#say(`waiting ${seconds(ms)}, as a rejection advises`),
      });
    } finally {
      await meanwhile.stop();
    }
  }

  /**
   * Waits leave time for the first probes and the last look; the second wait also for a trickle. A budget too short
   * for any probe goes to the first wait: it shows when the key is admitted again.
   */
  #longestWaitMs(round: number): number {
    const { clock, deadlineNs, promised } = this.#options;
    const leftMs = (deadlineNs - clock.nowNs()) / 1e6;
    const isProbing = this.#first().length > 0;
    const reserved = isProbing ? firstProbesWindows + round : round * (recoveryRestWindows + recoveryWindows);
    return Math.min(1.5, leftMs / promised.windowMs - reserved) * promised.windowMs;
  }

  #admittedAtOnce(replies: readonly Reply[]): number {
    const { requests, windowMs } = this.#options.promised;
    const sentNs = Math.min(...replies.map(({ exchange }) => exchange.sentNs ?? Number.POSITIVE_INFINITY));
    const answeredNs = Math.max(...replies.map(({ exchange }) => exchange.answeredNs ?? 0));
    const passed = replies.filter(({ exchange: { status = 0 } }) => status >= 200 && status < 300).length;
    const promised = { requests, windowNs: windowMs * 1e6 };
    return admittedAtOnce(passed, Math.max(0, answeredNs - sentNs), promised);
  }

  /** The probes, while they have something to tell and there is time. */
  async #probes(): Promise<void> {
    const { clock, random } = this.#options;
    let next = this.#first();
    while (next.length > 0 && this.#hasRoomFor(next)) {
      const scale = this.#scale();
      this.#say(`resting, then ${probesInWords(next)}`);
      await this.#options.prober.until(
        Math.max(clock.nowNs(), this.#options.prober.lastSentNs + silenceAfter(scale, random) * 1e6),
      );
      this.#say(probesInWords(next));
      const played = await Promise.allSettled(next.map(({ kind, roles }) => this.#probe(kind, roles, scale)));
      for (const each of played) if (each.status === 'rejected') throw each.reason;
      this.#done.push(...next.map(({ kind }) => kind));
      next = this.#next(await this.#infer());
    }
  }

  /** Whether every key is admitted again, and how much, if there is time for a full rest. */
  async #recovery(): Promise<void> {
    const { clock, deadlineNs, keys, prober, seen } = this.#options;
    const refused = (['load', 'bystander'] as const).filter(
      (role) => keys[role] !== undefined && seen.wasRefused(role),
    );
    const isTrickling = refused.includes('bystander') && this.#hasTimeForTrickle();
    const restWindows = isTrickling ? trickleWindows + restAfterTrickleWindows : recoveryRestWindows;
    const fromNs = (isTrickling ? clock.nowNs() : prober.lastSentNs) + restWindows * this.#windowNs;
    if (refused.length === 0 || fromNs + recoveryWindows * this.#windowNs > deadlineNs) return;
    if (isTrickling) {
      this.#say('a trickle on one key, while the other rests');
      const { promised, random } = this.#options;
      await trickle({
        prober,
        request: this.#read('bystander', studyPhases.recovery),
        resting: this.#read('load', studyPhases.recovery),
        fromNs: clock.nowNs(),
        lastSentNs: seen.lastSentNs('load'),
        promised,
        random,
      });
    }
    this.#say('resting, then testing whether rejected keys are admitted again');
    await prober.until(Math.max(clock.nowNs(), fromNs));
    await tryRecovery(
      prober,
      refused.map((role) => this.#read(role, studyPhases.recovery)),
      clock.nowNs(),
      this.#windowNs,
    );
    this.#say('a little less than the limit, at every endpoint that shares it');
    await prober.volley(this.#mixed());
    const closingNs = clock.nowNs() + restAfterTrickleWindows * this.#windowNs;
    if (!isTrickling || closingNs >= deadlineNs) return;
    this.#say('resting, then a burst a window after that test');
    await prober.until(closingNs);
    await closingBurst(prober, this.#read('load', studyPhases.recovery), this.#options.promised);
  }

  /** Whether a trickle would tell the survivors apart, on a key that the last probe left at its limit. */
  #hasTimeForTrickle(): boolean {
    const { clock, deadlineNs } = this.#options;
    const windows = trickleWindows + restAfterTrickleWindows + recoveryWindows;
    return (
      this.#inference !== undefined &&
      !isSettled(this.#inference, certainty) &&
      this.#hasTwoKeys() &&
      trickleTells(this.#inference) &&
      clock.nowNs() + windows * this.#windowNs <= deadlineNs
    );
  }

  /** Slightly less than the limit, with a part of it at endpoints that share the limit. */
  #mixed(): StudyRequest[] {
    const { promised, tries } = this.#options;
    const others = mixable.flatMap((probe) => {
      const request = this.#sharing.get(probe) === 'shared' ? tries.get(probe) : undefined;
      const count = request === undefined ? 0 : Math.floor(mixedPart * promised.requests);
      return Array.from({ length: count }, (_, n): StudyRequest => {
        const { probe: _probe, ...rest } = (request as (n: number) => StudyRequest)(n);
        return { ...rest, phase: studyPhases.mixed };
      });
    });
    const read = this.#read('load', studyPhases.mixed);
    const reads = Math.max(0, Math.floor(mixedLimits * promised.requests) - others.length);
    return others.length === 0 ? [] : [...others, ...Array.from({ length: reads }, () => read)];
  }

  /** Infers which limiters are still possible. */
  async #infer(): Promise<LimiterInference> {
    const { infer, promised, seen } = this.#options;
    this.#say('reckoning');
    this.#inference = await infer(seen.traces(this.#charging()), {
      clockOffset: seen.clockOffset(),
      windowsMs: [promised.windowMs],
    });
    return this.#inference;
  }

  #first(): Track[] {
    const tracks: Track[] = [{ kind: 'E', roles: ['load', 'load'] }];
    if (this.#hasTwoKeys()) tracks.push({ kind: 'B', roles: ['bystander', 'bystander'] });
    return tracks.filter(({ kind }) => this.#hasTimeFor(kind));
  }

  /**
   * The probes that best separate the survivors: two at a time if there are two keys, and neither needs both.
   */
  #next(inference: LimiterInference): Track[] {
    const isDecided = isSettled(inference, certainty) && this.#done.length > 1;
    const among = probeKinds.filter((each) => this.#hasTimeFor(each));
    // Where there is no time for the probe that tells most about rejections, a trickle uses the last rest.
    if (!isDecided && !among.includes('G') && this.#hasTimeForTrickle()) return [];
    const kind = isDecided
      ? measuringProbe(inference, this.#done)
      : nextProbe(inference, this.#done, this.#scale(), among);
    if (kind === undefined) return [];
    if (isDecided || !this.#hasTwoKeys()) return [{ kind, roles: ['load', 'load'] }];
    if (needsTwoKeys.has(kind)) return [{ kind, roles: ['load', 'bystander'] }];
    const beside = nextProbe(inference, [...this.#done, kind], this.#scale(), among);
    return [
      { kind, roles: ['load', 'load'] },
      ...(beside === undefined || needsTwoKeys.has(beside) || beside === kind
        ? []
        : [{ kind: beside, roles: ['bystander', 'bystander'] } as const]),
    ];
  }

  async #probe(kind: ProbeKind, roles: Track['roles'], scale: ProbeScale): Promise<void> {
    const { clock, prober, random } = this.#options;
    const startNs = clock.nowNs();
    const requests = eachRole((role) => this.#read(role, `${studyPhases.probe} ${kind}`));
    const sends = probeSchedule(kind, scale, random).map(
      ({ atMs, key }): TimedRequest => ({ atNs: startNs + atMs * 1e6, request: requests[roles[key]] }),
    );
    await prober.play(sends);
  }

  #read(credential: Role, phase: string): StudyRequest {
    const { id } = this.#options.catalogs[credential];
    return { call: calls.listShades(id), credential, phase, known: { catalogId: id } };
  }

  #scale(): ProbeScale {
    // Bursts alone say little of windows.
    return probeScale(this.#done.length === 0 ? undefined : this.#inference, this.#options.promised);
  }

  #hasRoomFor(next: readonly Track[]): boolean {
    const { mostRequests, promised, prober } = this.#options;
    return (
      next.every(({ kind }) => this.#hasTimeFor(kind)) &&
      prober.sent + next.length * probeLimits * promised.requests <= mostRequests
    );
  }

  /** Whether there is time for a rest, the probe, and the last look. */
  #hasTimeFor(kind: ProbeKind): boolean {
    const { clock, deadlineNs } = this.#options;
    const windows = restWindows + 0.3 + probeWindows[kind];
    const thenNs = (recoveryRestWindows + recoveryWindows) * this.#windowNs;
    return clock.nowNs() + windows * this.#scale().windowMs * 1e6 + thenNs <= deadlineNs;
  }

  /** Two keys with separate limits. */
  #hasTwoKeys(): boolean {
    return this.#options.keys.bystander !== undefined && this.#sharing.get('scope:other-key') === 'separate';
  }

  /** What the limit counts, as far as is known. */
  #charging(): Charging {
    const { interactionsCount: told } = this.#options;
    const sharing = new Map<ScopeProbe, Sharing>([['scope:interact', 'unclear'], ...this.#sharing]);
    return {
      interactionsCount: told === 'discover' ? sharing.get('scope:interact') !== 'separate' : told,
      tried: Array.from(sharing, ([probe, each]) => ({ probe, sharing: each })),
    };
  }

  #unauthenticated(): StudyRequest[] {
    const { catalogs, promised } = this.#options;
    const call = calls.listShades(catalogs.load.id);
    return Array.from({ length: Math.ceil(unauthenticatedLimits * promised.requests) }, () => ({
      call,
      credential: 'bad',
      phase: studyPhases.unauthenticated,
      probe: 'flood:bad-key',
    }));
  }

  /** A few steady requests on the bystander's key, while the other is at its limit. */
  #drip(): { stop(): Promise<void> } {
    const { clock, keys, prober } = this.#options;
    return keys.bystander === undefined
      ? { stop: () => Promise.resolve() }
      : drip(prober, clock, this.#read('bystander', studyPhases.scope), this.#windowNs / drippedPerWindow);
  }

  #say(step: string): void {
    const alive = (this.#inference?.survivors ?? [])
      .filter(({ confidence }) => confidence > 0.001)
      .map(({ name, confidence }) => `${name} ${Math.round(confidence * 100)} %`);
    this.#options.onStep(step, alive);
  }
}

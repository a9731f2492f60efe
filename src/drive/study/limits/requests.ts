import { type ProbeKind, type ProbeScale, probeSchedule, probeWindows } from '../../../limits/probes.ts';
import type { Sharing } from '../../../limits/sent/traces.ts';
import type { Random } from '../../../random.ts';
import type { Catalog } from '../../../scenario/catalog/catalog.ts';
import type { LimitsStudy } from '../../../scenario/study.ts';
import * as calls from '../../../target/calls.ts';
import type { Keys } from '../../../target/keys.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { ScopeProbe } from '../../../vocabulary/probes.ts';
import type { RateLimit } from '../../../vocabulary/quantities.ts';
import { eachRole, type Role, roles } from '../../../vocabulary/roles.ts';
import type { Clock } from '../../clock/clock.ts';
import {
  aboutItsCall,
  drip,
  meanwhile,
  type Prober,
  type Stoppable,
  type StudyRequest,
  type TimedRequest,
} from '../sending/prober.ts';
import type { Seen } from '../sending/seen.ts';
import type { ScopeOptions } from './at-limit.ts';
import type { Infer } from './infer-aside.ts';

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
  /** Other keys, and requests per second with them, one after another. Secrets. */
  readonly pool?: readonly string[];
  readonly otherKeysPerSecond?: number | undefined;
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

/**
 * The endpoints beside the list. Each gets this part of the limit, up to this sum: none is rejected, unless a request
 * to one of them counts twice. An import repeats what is stored.
 */
const mixable: readonly ScopeProbe[] = [
  'scope:read-session',
  'scope:analytics',
  'scope:import-shades',
  'scope:create-session',
];
const mixedLimits = 0.9;
/** Lists after them: with the others they are more than the limit, also if one endpoint's requests do not count. */
const fillingPart = 0.4;
/** Lists a little later: a bucket that has admitted too many at once cannot admit more of them than it got meanwhile. */
const laterPart = 0.15;

/** What probes are made of: the list of a key's own catalog. */
export function listRequest(
  { catalogs }: Pick<LimitsStudyOptions, 'catalogs'>,
  credential: Role,
  phase: string,
): StudyRequest {
  return aboutItsCall(calls.listShades(catalogs[credential].id), { credential, phase });
}

/** Sends a probe from now on, its two keys being those of the track. */
export async function playProbe(
  options: LimitsStudyOptions,
  { kind, roles }: Track,
  scale: ProbeScale,
): Promise<void> {
  const { clock, prober, random } = options;
  const startNs = clock.nowNs();
  const requests = eachRole((role) => listRequest(options, role, `${studyPhases.probe} ${kind}`));
  const sends = probeSchedule(kind, scale, random).map(
    ({ atMs, key }): TimedRequest => ({ atNs: startNs + atMs * 1e6, request: requests[roles[key]] }),
  );
  await prober.play(sends);
}

/** More than the limit without a good key. */
export function unauthenticatedRequests({
  catalogs,
  promised,
}: Pick<LimitsStudyOptions, 'catalogs' | 'promised'>): StudyRequest[] {
  const call = calls.listShades(catalogs.load.id);
  return Array.from({ length: Math.ceil(unauthenticatedLimits * promised.requests) }, () => ({
    call,
    credential: 'bad',
    phase: studyPhases.unauthenticated,
    probe: 'flood:bad-key',
  }));
}

/**
 * Slightly less than the limit, with a part of it at each endpoint that shares it; then lists past the limit. Nothing if
 * no other endpoint shares it.
 */
export function mixedVolleys(
  { catalogs, promised, tries }: Pick<LimitsStudyOptions, 'catalogs' | 'promised' | 'tries'>,
  sharing: ReadonlyMap<ScopeProbe, Sharing>,
): StudyRequest[][] {
  const partOf = (part: number): number => Math.floor(part * promised.requests);
  const others = mixable.flatMap((probe) => {
    const request = sharing.get(probe) === 'shared' ? tries.get(probe) : undefined;
    if (request === undefined) return [];
    return Array.from({ length: partOf(mixedPart) }, (_, n): StudyRequest => {
      const { probe: _probe, ...rest } = request(n);
      return { ...rest, phase: studyPhases.mixed };
    });
  });
  if (others.length === 0) return [];
  const read = listRequest({ catalogs }, 'load', studyPhases.mixed);
  const reads = (count: number): StudyRequest[] => Array.from({ length: count }, () => read);
  const mixed = [...others, ...reads(partOf(mixedLimits) - others.length)];
  return [mixed, reads(partOf(fillingPart)), reads(partOf(laterPart))];
}

/** Requests are put on the clock for this long in advance. */
const stretchNs = 500e6;

/**
 * Requests with the keys of the pool, one key after another, until they are stopped. They keep a limiter busy that
 * remembers only some keys, so that it forgets others.
 */
export function useOtherKeys(
  { catalogs, clock, prober }: LimitsStudyOptions,
  { perSecond, pool }: { readonly perSecond: number; readonly pool: readonly string[] },
): Stoppable {
  let made = 0;
  const list = calls.listShades(catalogs.load.id);
  const next = (): StudyRequest =>
    aboutItsCall(list, {
      credential: { poolKey: pool[made++ % pool.length] ?? '' },
      phase: studyPhases.otherKeys,
    });
  const everyNs = 1e9 / perSecond;
  return meanwhile(async (isOn) => {
    for (let atNs = clock.nowNs(); isOn(); ) {
      const sends: TimedRequest[] = [];
      for (const endNs = atNs + stretchNs; atNs < endNs; atNs += everyNs)
        sends.push({ atNs, request: next() });
      await prober.play(sends);
      // What this program is late with is not made up for.
      atNs = Math.max(atNs, clock.nowNs());
    }
  });
}

/** Keys that a study of the limiter leaves alone otherwise. */
const resting = ['twin', 'quota'] as const satisfies readonly Role[];
/** In windows, one gap after the other: after the first both requests count, after the second neither does. */
const gapsInWindows = [0.9, 1.05] as const;

/**
 * Two requests within a window, again and again, on keys that rest otherwise. What the second is told to be left shows
 * whether the first is still counted, also by a limiter that is tidied up because many other keys are in use.
 */
export function useSeldom(options: LimitsStudyOptions): Stoppable[] {
  const { clock, keys, prober, promised } = options;
  const isAlone = (role: Role): boolean =>
    roles.every((other) => other === role || keys[other]?.value !== keys[role]?.value);
  const used = resting.filter((role) => keys[role] !== undefined && isAlone(role));
  // The first key is between two requests that count while the second rests.
  return used.map((role, n) =>
    drip(prober, clock, listRequest(options, role, studyPhases.otherKeys), (sent) => {
      const gap = gapsInWindows[(sent + n) % 2] as number;
      return gap * promised.windowMs * 1e6;
    }),
  );
}

/** A probe and whose keys its two keys are. */
export interface Track {
  readonly kind: ProbeKind;
  readonly roles: readonly [Role, Role];
}

const loads: Readonly<Record<ProbeKind, string>> = {
  A: 'a burst, then steady requests',
  B: 'steady requests, then more of them',
  C: 'one request, then bursts late in its window and just after',
  D: 'two keys, one started after the other',
  E: 'a burst, steady requests, then bursts just after the window and later',
  F: 'a burst, silence, then single requests about a window apart',
  G: 'a burst, then a few single requests',
  H: 'one request, then dense requests before and after the end of its window',
};

/** `probe E (a burst, …) together with probe B (…)`. */
export function probesInWords(tracks: readonly Track[]): string {
  return tracks.map(({ kind }) => `probe ${kind} (${loads[kind]})`).join(' together with ');
}

/** Windows of rest after which a key is as good as new, by every limiter that forgets within a window. */
export const restWindows = 1.3;
/** Limits that a probe spends at most. */
export const probeLimits = 5.5;
/** Limits that are tried without a good key. */
const unauthenticatedLimits = 1.2;
/** The part of the limit that each endpoint gets when all of them are tried together. */
const mixedPart = 0.2;
/** Sessions of the tests at the limit. */
const scopeSessions = 50;
/** Limits that bursts, volleys and a trickle spend at most, beside what probes do. */
const burstLimits = 7;

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

/** Requests with other keys while a study goes on, at most. */
export function otherKeysRequests({ budgetMs, otherKeysPerSecond = 0 }: LimitsStudy): number {
  return Math.ceil((otherKeysPerSecond * budgetMs) / 1e3);
}

/** Sessions that a study opens, or asks for while a key is at its limit. */
export function sessionsOfLimitsStudy({ requests }: RateLimit): number {
  return scopeSessions + Math.floor(mixedPart * requests);
}

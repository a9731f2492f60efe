import { inVolley, mostVolleys, volleysTell } from '../../../limits/probes.ts';
import type { Sharing } from '../../../sent/charged.ts';
import * as calls from '../../../target/calls.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { type ScopeProbe, scopeProbes } from '../../../vocabulary/probes.ts';
import type { Reply } from '../../ask/ask.ts';
import { aboutItsCall, type Prober, type StudyRequest } from './prober.ts';

/**
 * Bursts until the key is rejected: the size of each as a part of the promised limit, and the total in limits.
 */
const burstPart = 1.2;
const smallBurstPart = 0.2;
const mostLimits = 4;
/** The most that it takes, in limits: the last burst may go beyond it. */
export const mostSpentLimits = mostLimits + burstPart;
/** Places come free again while answers take this part of a window: requests wait in turn, or the target is overloaded. */
const slowPart = 0.5;
/** A key is at its limit when this share of a burst's end is rejected. */
const refusedShare = 0.8;

export interface ScopeOptions {
  readonly prober: Prober;
  /** The promised limit. */
  readonly limit: number;
  /** The call that is limited, with the `load` key. */
  readonly control: StudyRequest;
  /** What is tried beside it; only what can be tried with the keys and addresses that there are. */
  readonly tries: ReadonlyMap<ScopeProbe, (n: number) => StudyRequest>;
  /** The promised window. With it, bursts end once their answers take too long for them to bring any key to its limit. */
  readonly windowNs?: number;
  /** Told of the answers to each burst. */
  readonly onBurst?: (replies: readonly Reply[]) => void;
}

/** Spends the key's limit in bursts of concurrent requests. Returns whether the key is rejected afterwards. */
export async function exhaust(
  { prober, limit, control, windowNs = Number.POSITIVE_INFINITY, onBurst }: ScopeOptions,
  firstPart = burstPart,
): Promise<boolean> {
  let part = firstPart;
  for (let sent = 0; sent < mostLimits * limit; ) {
    const size = Math.max(inVolley, Math.ceil(part * limit));
    const replies = await prober.volley(Array.from({ length: size }, () => control));
    sent += size;
    onBurst?.(replies);
    const tail = replies.slice(-Math.max(inVolley, Math.floor(size / 10)));
    const refused = replies.filter(isRefused).length;
    // The order within a burst is unknown; small bursts after it show whether anything still passes.
    if (refused >= refusedShare * replies.length || (part <= smallBurstPart && areRefused(tail))) return true;
    if (replies.some((reply) => tookNs(reply) > slowPart * windowNs)) return false;
    part = refused > 0 ? smallBurstPart / 2 : burstPart / 2;
  }
  return false;
}

function tookNs({ exchange: { sentNs = 0, answeredNs = sentNs } }: Reply): number {
  return answeredNs - sentNs;
}

/**
 * With the key at its limit: a volley of the limited call and of each other thing, half and half. `atOnce`: how many
 * requests the limiter admits at one moment, at least.
 */
export async function tryScope(options: ScopeOptions, atOnce: number): Promise<Map<ScopeProbe, Sharing>> {
  const found = new Map<ScopeProbe, Sharing>();
  for (const probe of scopeProbes) {
    const request = options.tries.get(probe);
    if (request === undefined) continue;
    let sharing: Sharing = 'unclear';
    let separately = 0;
    for (let volley = 0; volley < mostVolleys && !isClear(sharing, separately); volley++) {
      const requests = Array.from({ length: 2 * inVolley }, (_, n) =>
        n % 2 === 0 ? options.control : request(volley * inVolley + (n - 1) / 2),
      );
      const replies = await options.prober.volley(requests);
      const controls = replies.filter((_, n) => n % 2 === 0);
      if (!areRefused(controls)) {
        if (!(await exhaust(options, smallBurstPart))) return found;
        continue;
      }
      sharing = sharingOf(
        replies.filter((_, n) => n % 2 === 1),
        atOnce,
      );
      if (sharing === 'separate') separately++;
    }
    found.set(probe, sharing);
  }
  return found;
}

/** On a busy machine a volley takes so long that all that passed in it may have found places that became free meanwhile. */
const mostSlow = 2;

function isClear(sharing: Sharing, separately: number): boolean {
  return sharing === 'shared' || separately >= mostSlow;
}

/** One of several may have found the one token that a bucket had got meanwhile. */
function sharingOf(replies: readonly Reply[], atOnce: number): Sharing {
  if (areRefused(replies)) return volleysTell(atOnce) ? 'shared' : 'unclear';
  return replies.filter(isRefused).length <= 1 ? 'separate' : 'unclear';
}

function areRefused(replies: readonly Reply[]): boolean {
  return replies.length > 0 && replies.filter(isRefused).length >= replies.length - 1;
}

/** Rejected: a 429, or the status that some limiters use in its place. */
export function isRefused({ exchange: { status } }: Reply): boolean {
  return status === 429 || status === 503;
}

/** The call whose limit is spent. */
export function controlOf(catalogId: string): StudyRequest {
  return aboutItsCall(calls.listShades(catalogId), {
    credential: 'load',
    phase: studyPhases.scope,
    probe: 'scope:control',
  });
}

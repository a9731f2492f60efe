import type { IncomingHttpHeaders } from 'node:http';
import { readLimitHeaders } from '../../../history/limit-headers.ts';
import { parseReset } from '../../../history/wait-times.ts';
import { inVolley, mostVolleys, volleysTell } from '../../../limits/probes.ts';
import type { Sharing } from '../../../limits/sent/traces.ts';
import * as calls from '../../../target/calls.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { type ScopeProbe, scopeProbes } from '../../../vocabulary/probes.ts';
import type { Reply } from '../../ask/ask.ts';
import { type Clock, epochMs } from '../../clock/clock.ts';
import { limitHeadersOf } from '../../record/headers.ts';
import { aboutItsCall, type Prober, type StudyRequest } from '../sending/prober.ts';

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
    if (
      replies.some(
        ({ exchange: { sentNs = 0, answeredNs = sentNs } }) => answeredNs - sentNs > slowPart * windowNs,
      )
    )
      return false;
    part = refused > 0 ? smallBurstPart / 2 : burstPart / 2;
  }
  return false;
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
    for (let volley = 0; volley < mostVolleys && sharing !== 'shared' && separately < mostSlow; volley++) {
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

interface WaitsOptions {
  readonly prober: Prober;
  readonly clock: Clock;
  readonly control: StudyRequest;
  /** How far the target's clock may be from ours. */
  readonly clockSkewMs: number;
  /** A wait longer than this is not tried in a round, the first being 0. */
  readonly longestMs: (round: number) => number;
  readonly onWait: (waitMs: number) => void;
}

/** Seconds are often rounded up: a wait shorter by this much is certainly too early. */
const roundingMs = 1_050;
/** A wait too short for that is cut by this part. */
const shortPart = 0.5;
/** After the advised wait, for the answer's way back has been counted in it. */
const marginMs = 30;
/** Dates have whole seconds. */
const dateRoundingMs = 1_000;
const mostRounds = 2;

/** Tests the advice of rejections: one request just before the advised time, and one right after it. */
export async function tryWaits(options: WaitsOptions): Promise<void> {
  const { clock, clockSkewMs, control, prober } = options;
  // The clocks may differ in either direction: to be certain, an instant needs twice the bound.
  const doubtMs = ({ isByClock }: WaitAdvice): number =>
    marginMs + (isByClock ? dateRoundingMs + 2 * clockSkewMs : 0);
  const request: StudyRequest = { ...control, phase: studyPhases.waits };
  for (let round = 0; round < mostRounds; round++) {
    const longestMs = options.longestMs(round);
    if (longestMs <= 0) return;
    let refusal = await prober.send(request);
    const first = isRefused(refusal) ? advised(refusal.exchange, clock) : undefined;
    if (first === undefined || first.waitMs <= 0 || first.waitMs > longestMs) return;
    options.onWait(first.waitMs);
    const lessMs = roundingMs + doubtMs(first) - marginMs;
    const earlyMs = first.waitMs > lessMs * 1.5 ? first.waitMs - lessMs : first.waitMs * shortPart;
    await prober.until((refusal.exchange.answeredNs ?? clock.nowNs()) + earlyMs * 1e6);
    const early = await prober.send({ ...request, probe: 'wait:early' });
    if (isRefused(early)) refusal = early;
    const left = advised(refusal.exchange, clock) ?? { waitMs: 0, isByClock: false };
    if (left.waitMs > longestMs) return;
    await prober.until(
      (refusal.exchange.answeredNs ?? clock.nowNs()) + (Math.max(0, left.waitMs) + doubtMs(left)) * 1e6,
    );
    await prober.send({ ...request, probe: 'wait:full' });
  }
}

function advised({ headers }: Reply['exchange'], clock: Clock): WaitAdvice | undefined {
  return adviceOf(headers, epochMs(clock, clock.nowNs()));
}

/** How long to wait. */
export interface WaitAdvice {
  readonly waitMs: number;
  /** Calculated from an instant of some clock, not stated as a duration. */
  readonly isByClock: boolean;
}

/**
 * How long a rejection says to wait: `Retry-After`, else the reset of whatever has run out. Undefined if neither can be read.
 * `nowEpochMs`: from the target's `Date` if it sends one.
 */
export function adviceOf(headers: IncomingHttpHeaders, nowEpochMs: number): WaitAdvice | undefined {
  const serverMs = headers.date === undefined ? Number.NaN : Date.parse(headers.date);
  const fromMs = Number.isNaN(serverMs) ? nowEpochMs : serverMs;
  const wait = headers['retry-after'];
  const value =
    wait === undefined
      ? readLimitHeaders(limitHeadersOf(headers) ?? null).find(
          ({ remaining, reset }) => reset !== undefined && (remaining ?? 0) <= 0,
        )?.reset
      : parseReset(wait);
  if (value === undefined) return undefined;
  return 'inMs' in value
    ? { waitMs: value.inMs, isByClock: false }
    : { waitMs: value.atEpochMs - fromMs, isByClock: true };
}

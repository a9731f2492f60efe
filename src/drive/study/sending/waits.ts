import { studyPhases } from '../../../vocabulary/phases.ts';
import type { Reply } from '../../ask/ask.ts';
import { type Clock, epochMs } from '../../clock/clock.ts';
import type { Prober, StudyRequest } from './prober.ts';
import { isRefused } from './scope.ts';
import { adviceOf, type WaitAdvice } from './wait-advice.ts';

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

import { studyPhases } from '../../history/phases.ts';
import type { Reply } from '../ask.ts';
import { type Clock, epochMs } from '../clock.ts';
import type { Prober, StudyRequest } from './prober.ts';
import { isRefused } from './scope.ts';
import { adviceOf } from './wait-advice.ts';

export interface WaitsOptions {
  readonly prober: Prober;
  readonly clock: Clock;
  readonly control: StudyRequest;
  /** A wait longer than this is not tried. */
  readonly longestMs: number;
  readonly onWait: (waitMs: number) => void;
}

/** Seconds are commonly rounded up: so much less than advised is a moment less for certain. */
const roundingMs = 1_050;
/** A wait too short for that is cut by this part. */
const shortPart = 0.5;
/** After the advised instant, for the answer's way back has been counted in it. */
const marginMs = 30;
const mostRounds = 2;

/** Takes refusals at their word: asks a moment before the time that they advise, and right after it. */
export async function tryWaits(options: WaitsOptions): Promise<void> {
  const { clock, control, prober } = options;
  const request: StudyRequest = { ...control, phase: studyPhases.waits };
  for (let round = 0; round < mostRounds; round++) {
    let refusal = await prober.send(request);
    const waitMs = isRefused(refusal) ? advised(refusal.exchange, clock) : undefined;
    if (waitMs === undefined || waitMs <= 0 || waitMs > options.longestMs) return;
    options.onWait(waitMs);
    const earlyMs = waitMs > roundingMs * 1.5 ? waitMs - roundingMs : waitMs * shortPart;
    await prober.until((refusal.exchange.answeredNs ?? clock.nowNs()) + earlyMs * 1e6);
    const early = await prober.send({ ...request, probe: 'wait:early' });
    if (isRefused(early)) refusal = early;
    const leftMs = advised(refusal.exchange, clock) ?? 0;
    if (leftMs > options.longestMs) return;
    await prober.until(
      (refusal.exchange.answeredNs ?? clock.nowNs()) + (Math.max(0, leftMs) + marginMs) * 1e6,
    );
    await prober.send({ ...request, probe: 'wait:full' });
  }
}

function advised({ headers }: Reply['exchange'], clock: Clock): number | undefined {
  return adviceOf(headers, epochMs(clock, clock.nowNs()));
}

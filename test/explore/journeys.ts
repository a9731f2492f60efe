import type { CallGroup } from '../../src/explore/sent.ts';
import type { ApiCall, CallAnswer, CallRequest } from '../../src/model/call.ts';
import { randomStream } from '../../src/random.ts';

const giveUpMs = 2_000;
const slotMs = 25;

/** A call on its way: when it was sent, takes effect and is answered, and what becomes of it. */
export interface CallJourney {
  readonly request: CallRequest;
  readonly n: number;
  readonly fromMs: number;
  readonly actsMs: number;
  readonly untilMs: number;
  readonly line: number;
}

/** When each call of a plan is sent and takes effect, in the order of effects. */
export function journeysOf(groups: readonly CallGroup[], seed: number, startMs: number): CallJourney[] {
  const random = randomStream(seed, 'journeys');
  const journeys: CallJourney[] = [];
  let atMs = startMs;
  for (const group of groups) {
    for (const request of group) {
      const n = journeys.length;
      const fromMs = atMs + random() * 0.5;
      const actsMs = fromMs + 0.2 + random() * (group.length > 1 ? 4 : 1);
      const line = request.isFresh === true ? 1_000 + n : n % 2;
      journeys.push({ request, n, fromMs, actsMs, untilMs: actsMs + 0.2 + random(), line });
    }
    atMs += slotMs * group.length;
  }
  return journeys;
}

export function callOf({ request, n, fromMs, untilMs, line }: CallJourney, answer: CallAnswer): ApiCall {
  return { ...request, n, fromMs, untilMs, line, answer };
}

export const lostOf = (journey: CallJourney): ApiCall => ({
  ...callOf(journey, { status: 0 }),
  untilMs: journey.fromMs + giveUpMs,
});

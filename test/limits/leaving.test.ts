import { describe, expect, it } from 'vitest';
import { leftTogether } from '../../src/limits/outside/queueing.ts';
import { viewsOf } from '../../src/limits/view.ts';
import { traceOf } from './trace-of.ts';

const everyMs = 50;
const queue = { limit: 40, perS: 20 };

/** 60 requests, 10 ms apart, which are answered at the instants given by number. */
function answeredAt(answeredMs: (number: number, sentMs: number) => number): boolean {
  const trace = traceOf(
    Array.from({ length: 60 }, (_, number) => ({
      seq: number + 1,
      sentNs: number * 10e6,
      answeredNs: answeredMs(number, number * 10) * 1e6,
      outcome: 0,
    })),
  );
  return viewsOf([trace]).some(({ admitted }) => leftTogether(admitted, queue));
}

describe('requests left faster than a queue lets them', () => {
  it.each<[what: string, answeredMs: (number: number, sentMs: number) => number, expected: boolean]>([
    ['not where each leaves in its turn', (number) => number * everyMs + 2, false],
    [
      'not where all answers were read late',
      (number) => Math.ceil((number * everyMs + 2) / 700) * 700,
      false,
    ],
    [
      'not where 15 pass at once, and others in turn',
      (number, sentMs) => Math.max(sentMs, (number - 15) * everyMs) + 2,
      false,
    ],
    [
      'where 30 pass at once, and others in turn',
      (number, sentMs) => Math.max(sentMs, (number - 30) * everyMs) + 2,
      true,
    ],
    ['where each is answered as it comes', (_, sentMs) => sentMs + 2, true],
  ])('%s', (_, answeredMs, expected) => {
    expect(answeredAt(answeredMs)).toBe(expected);
  });
});

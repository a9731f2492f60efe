import { describe, expect, it } from 'vitest';
import { someEndpointsLimited } from '../../../src/checks/rate-limit/promise/parts-of-keys.ts';
import { columnsOf } from '../../../src/limits/sent/columns.ts';

const endpoints = { p: 'create-session', i: 'import-shades', g: 'read-session' } as const;
type Letter = keyof typeof endpoints;

/** One request for each letter, in order: of its endpoint, rejected where it is followed by `!`, without an answer by `?`. */
function found(requests: string): ReturnType<typeof someEndpointsLimited> {
  const sent = columnsOf(
    [...requests.matchAll(/([pig])([!?]?)/g)].map(([, letter, mark], seq) => ({
      seq,
      credential: 'load',
      chargedTo: 'load',
      endpoint: endpoints[letter as Letter],
      probe: null,
      sentNs: seq,
      answeredNs: seq + 1,
      status: mark === '!' ? 429 : mark === '?' ? null : 200,
      serverDateMs: null,
    })),
  );
  return someEndpointsLimited({ sent, rows: Int32Array.from({ length: sent.length }, (_, row) => row) });
}

describe('rejections of one endpoint', () => {
  it('are told by the requests to others that pass right between two of them', () => {
    expect(found(`pi!${'p!g'.repeat(20)}p!g!`)).toMatchObject({
      rejected: 'create-session',
      passing: ['read-session'],
      passed: 20,
    });
  });

  it.each([
    ['where few pass', 'p!g'.repeat(10)],
    ['where as many pass as could by chance', 'p!gp!gpp!gpp'.repeat(6)],
    ['where a request to the same endpoint passes before or after', 'p!gp'.repeat(40)],
    ['where more than a few of the others are rejected, too', 'p!gp!gp!g!p!gp!g'.repeat(20)],
    ['where the others get no answer', 'p!g?'.repeat(40)],
    ['where nothing is rejected', 'pg'.repeat(40)],
  ])('are not told %s', (_, requests) => {
    expect(found(requests)).toBeUndefined();
  });
});

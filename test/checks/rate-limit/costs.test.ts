import { describe, expect, it } from 'vitest';
import { randomStream } from '../../../src/random.ts';
import type { SampleRequest } from '../../history/sample.ts';
import { judge, meantToExceed } from './launched.ts';

const randomly = randomStream(1, 'costs');
const foreign = { kind: 'foreign', base_url: 'http://127.0.0.1:1/v1' } as const;

/** Fifteen requests a second, every other a new session, at fixed windows of 100 per 6 s that count each `places` times. */
function counted(places: (endpoint: string, k: number) => number): SampleRequest[] {
  let [begun, left] = [0, 100];
  return Array.from({ length: 900 }, (_, k): SampleRequest => {
    const sentMs = k * 66;
    if (sentMs >= begun + 6_000) [begun, left] = [Math.floor(sentMs / 6_000) * 6_000, 100];
    const endpoint = k % 2 === 0 ? 'create-session' : 'list-shades';
    const cost = places(endpoint, k);
    const passes = cost <= left;
    if (passes) left -= cost;
    return {
      endpoint,
      ...(endpoint === 'create-session' ? { sessionId: `s${k}` } : {}),
      status: passes ? 200 : 429,
      sentNs: sentMs * 1e6,
      answeredNs: (sentMs + 4) * 1e6,
      limitHeaders: `x-ratelimit-limit: 100 | x-ratelimit-remaining: ${left}`,
    };
  });
}

async function judged(places: (endpoint: string, k: number) => number, more = {}) {
  const results = await judge({
    requests: counted(places),
    run: { ...meantToExceed, target: foreign },
    profile: more,
  });
  const wrongful = results.get('rate-limit.wrongful');
  return { verdict: wrongful?.verdict, causes: (wrongful?.causes ?? []).map(({ cause }) => cause) };
}

describe('what a request takes of the limit', () => {
  it('is one place: more is a fault, by endpoint', async () => {
    const found = await judged((endpoint) => (endpoint === 'create-session' ? 2 : 1));
    expect(found.verdict).toBe('fail');
    expect(found.causes).toEqual([
      { code: 'requests-count-more', params: { endpoints: ['create-session'], places: 2 } },
    ]);
  });

  it('is one place: no fault where each takes one', async () => {
    expect((await judged(() => 1)).verdict).toBe('pass');
  });

  it.each([
    ['other users, who come at any time', () => 1 + Math.floor(randomly() * 3), {}],
    [
      'redeliveries that the profile allows',
      (endpoint: string) => (endpoint === 'create-session' ? 2 : 1),
      { redeliveries: 1 },
    ],
  ])('is in doubt beside %s', async (_, places, more) => {
    const found = await judged(places, more);
    expect(found.verdict).toBe('inconclusive');
  });
});

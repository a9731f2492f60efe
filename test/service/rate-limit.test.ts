import { describe, expect, test } from 'vitest';
import { limiterNames } from '../../src/service/options.ts';
import { serviceUnderTest } from './service-under-test.ts';

const path = '/shades?catalog_id=none';

describe.each(limiterNames)('%s over HTTP, 5 requests in 10 s', (limiter) => {
  const options = { limiter, rateLimit: { requests: 5, windowMs: 10_000 } };

  test('RateLimit-Remaining says how many more are admitted, on every answer that is not a 401', async () => {
    const { call, clock } = serviceUnderTest(options);
    for (let round = 0; round < 12; round++) {
      const answer = await call('GET', path);
      expect(answer.headers['ratelimit-limit']).toBe('5');
      expect(answer.headers['ratelimit-policy']).toBe('5;w=10');
      const remaining = Number(answer.headers['ratelimit-remaining']);
      for (let i = 0; i < remaining; i++) expect((await call('GET', path)).status).not.toBe(429);
      expect((await call('GET', path)).status).toBe(429);
      clock.pass(3_100);
    }
  });

  test('setting the wall clock moves no window', async () => {
    const { call, clock } = serviceUnderTest(options);
    for (let i = 0; i < 5; i++) await call('GET', path);
    clock.setWall('2031-01-01T00:00:00Z');
    expect((await call('GET', path)).status).toBe(429);
    clock.setWall('2020-01-01T00:00:00Z');
    expect((await call('GET', path)).status).toBe(429);
    clock.pass(20_000);
    expect((await call('GET', path)).status).toBe(404);
  });
});

describe('whose limit it is', () => {
  test('every key has its own, even two keys of one account', async () => {
    const { call } = serviceUnderTest({ rateLimit: { requests: 1, windowMs: 1_000 } });
    expect((await call('GET', path, { bearer: 'key-alice' })).status).toBe(404);
    expect((await call('GET', path, { bearer: 'key-alice' })).status).toBe(429);
    expect((await call('GET', path, { bearer: 'key-alice-too' })).status).toBe(404);
    expect((await call('GET', path, { bearer: 'key-bob' })).status).toBe(404);
  });
});

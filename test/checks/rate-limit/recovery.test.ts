import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import { bystanderRefused, judge, launched, longQuietMs, slidingLog, steady, verdict } from './launched.ts';

describe('rate-limit.recovery', () => {
  const id = 'rate-limit.recovery';
  const overload = launched(slidingLog);
  const longAfterMs = 60_000;

  it('passes when requests long after the overload are admitted', async () => {
    const requests = [...overload, ...steady(5, longAfterMs, 500, {})];
    expect(await verdict({ requests }, id)).toBe('pass');
  });

  it('passes when they are admitted so soon that only limiters which the answers refute could still refuse', async () => {
    // A fixed window forgets at once what a sliding counter would still weigh.
    const refused = { status: 429 };
    const first = [...steady(60, 0, 1, {}), ...steady(40, 3_000, 1, {}), ...steady(200, 3_100, 1, refused)];
    const second = [...steady(100, 6_010, 1, {}), ...steady(20, 6_200, 1, refused)];
    const requests = [...first, ...second, ...steady(5, 12_300, 1, {})];
    expect((await judge({ requests })).get(id)).toMatchObject({
      verdict: 'pass',
      reasons: [{ code: 'recovery-admitted', params: expect.objectContaining({ isByAny: false }) }],
    });
  });

  it('fails when the key is still locked out', async () => {
    const requests = [...overload, ...steady(5, longAfterMs, 500, { status: 429 })];
    const result = (await judge({ requests })).get(id);
    expect(result?.verdict).toBe('fail');
    expect(result?.evidence[0]?.total).toBe(5);
  });

  it('is inconclusive when nothing was sent after the overload', async () => {
    const firstRefused = overload.findIndex((each) => each.status === 429);
    expect(await verdict({ requests: overload.slice(0, firstRefused + 20) }, id)).toBe('inconclusive');
  });
});

describe('rate-limit.isolation', () => {
  const id = 'rate-limit.isolation';
  const overload = launched(slidingLog);
  const firstRefusedMs = (overload.find((each) => each.status === 429)?.sentNs ?? 0) / 1e6;
  const bystander = (status: number) =>
    steady(20, firstRefusedMs + 100, 150, { credential: 'bystander', status });

  it('passes when a bystander goes through while another key is refused', async () => {
    expect(await verdict({ requests: [...overload, ...bystander(200)] }, id)).toBe('pass');
  });

  it('is inconclusive without a bystander, and says so', async () => {
    const result = (await judge({ requests: overload })).get(id);
    expect(result?.verdict).toBe('inconclusive');
    expect(result?.reasons).toEqual([{ code: 'isolation-no-bystander', params: {} }]);
  });

  it('is left out of a run that did not mean to exceed the limit and touched the bystander key in passing', async () => {
    const requests = [...steady(50, 0, 100, {}), ...steady(1, 50, 1, { credential: 'bystander' })];
    expect(await verdict({ run: {}, requests }, id)).toBeUndefined();
  });

  it('fails when the bystander is refused though each key is promised a limit of its own', async () => {
    const requests = [...overload, ...bystander(429)];
    expect(await verdict({ requests, profile: { limit_scope: 'per-key' } }, id)).toBe('fail');
  });

  it('fails when the bystander is refused and no shared limit explains it', async () => {
    const requests = [...overload, ...bystander(200), ...steady(5, longQuietMs, 100, bystanderRefused)];
    expect(await verdict({ requests }, id)).toBe('fail');
  });

  it.each<[sentence: string, fromMs: number, expected: Verdict]>([
    [
      'is inconclusive when use of the bystander key before the run may explain its rejections',
      100,
      'inconclusive',
    ],
    ['fails when the bystander is refused a window after its first request', -6_500, 'fail'],
  ])('%s', async (_, fromMs, expected) => {
    const first = steady(1, firstRefusedMs + fromMs - 50, 1, { credential: 'bystander' });
    const requests = [...overload, ...first, ...bystander(429)];
    const profile = { limit_scope: 'per-key', exclusive_keys: false } as const;
    expect(await verdict({ requests, profile }, id)).toBe(expected);
  });

  it.each([
    ['shared', 'pass'],
    ['per-key', 'fail'],
  ] as const)(
    'judges a limit that all keys share by the scope that is promised: %s',
    async (limit_scope, expected) => {
      const requests = overload.map((each, k) =>
        k % 7 === 0 ? { ...each, credential: 'bystander' as const } : each,
      );
      expect(await verdict({ requests, profile: { limit_scope } }, id)).toBe(expected);
    },
  );

  it.each([
    ['all keys share', 'bystander', [], {}],
    ['keys of one account share', 'quota', bystander(200), { keys: ['load', 'quota'] }],
  ] as const)('reports a limit that %s as a convention', async (_, credential, others, params) => {
    // One sliding log saw everything; every seventh request was the other key's.
    const shared = overload.map((each, k) => (k % 7 === 0 ? { ...each, credential } : each));
    const requests = [...shared, ...others];
    const results = await judge({ requests });
    expect(results.get(id)).toMatchObject({ verdict: 'pass' });
    expect(results.get('rate-limit.enforced')).toMatchObject({ verdict: 'pass' });
    expect(results.get('rate-limit.enforced')?.reasons).toContainEqual({
      code: 'found-keys-share',
      params,
    });
    const promised = await judge({ requests, profile: { limit_scope: 'per-key' } });
    expect([...promised.values()].map((each) => each.verdict)).toContain('fail');
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { profileArguments, tryonEach } from './program.ts';

/*
 * That a simulation counts what a run does, test/simulate/driven.test.ts says; what cannot be played is in bad-input.test.ts.
 */

const days = ['simulate', 'smoke', '--json', '--sessions-per-day', '500', '--days', '3'];
const described = profileArguments({
  rate_limit: '5/1s',
  limiter: 'token-bucket',
  limit_scope: 'shared',
  limit_endpoints: 'apart',
  quota: { sessions: 40 },
  channel: { counts_against_rate_limit: true },
  analytics: { shades_per_session: 'selections', top_shades: 3, decimals: 1 },
});
const model = ['simulate', 'smoke', '--sessions-per-day', '100', '--json', ...described];
const commandLines = {
  one: [...days, '--seed', '4'],
  same: [...days, '--seed', '4'],
  other: [...days, '--seed', '5'],
  told: model,
  overruled: [...model, '--limiter', 'fixed-window', '--rate-limit', '7/2s', '--quota', '50'],
  capped: [
    ...['simulate', 'launch', '--scale', '0.2', '--max-requests', '900'],
    ...['--key', 'load=K', '--yes', '--out', 'nowhere'],
  ],
  studies: ['simulate', 'limits'],
};
const codes: Record<string, number | null> = {};
const printed: Record<string, string> = {};
beforeAll(async () => {
  const ended = await tryonEach(Object.values(commandLines), {});
  for (const [at, name] of Object.keys(commandLines).entries()) {
    codes[name] = ended[at]?.code ?? null;
    printed[name] = ended[at]?.stdout ?? '';
  }
});
const readOf = (name: keyof typeof commandLines): { readonly model: unknown } =>
  JSON.parse(printed[name] ?? '');

describe('tryon simulate', () => {
  it('exits with 0 whatever is played', () => {
    expect(codes).toEqual(Object.fromEntries(Object.keys(commandLines).map((name) => [name, 0])));
  });

  it('plays days in virtual time: the same bytes for the same seed, others for another', () => {
    const { one, other, same } = printed;
    expect(readOf('one')).toMatchObject({ days_played: 3, quota_spent_ns: null });
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it('plays the model that a profile describes, and what is said beside it goes first', () => {
    expect(readOf('told').model).toEqual({
      limiter: 'token-bucket',
      rate_limit: { requests: 5, window_ms: 1_000 },
      limit_scope: 'shared',
      limit_endpoints: 'apart',
      quotas: { load: 40 },
      channel: 'spends-rate',
      analytics: {
        shades_per_session: 'selections',
        sessions_averaged: 'all',
        top_shades: 3,
        decimals: 1,
      },
    });
    expect(readOf('overruled').model).toMatchObject({
      limiter: 'fixed-window',
      rate_limit: { requests: 7, window_ms: 2_000 },
      quotas: { load: 50 },
    });
  });

  it('takes the command line of a run, says what that would cost, and ends the load at its cap', () => {
    const { capped = '' } = printed;
    expect(capped).toMatch(/^ {2}key load +up to 900 requests, /m);
    expect(capped).toContain('Capped   at 900 requests');
    expect(capped).toContain('Without effect here: --key, --out, --yes');
    const rows = [...capped.matchAll(/^ {2}(?:load|quota|bystander) +\S+ +(\d+) /gm)];
    const planned = rows.reduce((sum, [, n]) => sum + Number(n), 0);
    expect(planned).toBeGreaterThan(100);
    expect(planned).toBeLessThan(900);
  });

  it('says what a run of studies alone would cost, and plays nothing', () => {
    const { studies = '' } = printed;
    expect(studies).toContain('Requests: none.');
    expect(studies).toMatch(/^Takes +up to [\d.]+ minutes/m);
    expect(studies.replaceAll(/\s+/g, ' ')).toContain('answers: the study of quota, the study of limits.');
  });
});

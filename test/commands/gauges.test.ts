import { describe, expect, it } from 'vitest';
import { Gauges } from '../../src/commands/run/watch.ts';
import { LiveStatistics } from '../../src/drive/record/statistics.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { sampleRequest } from '../history/sample.ts';

const profile = profileSchema.parse({ rate_limit: '100/6s', quota: { sessions: 20 } });

function admit(statistics: LiveStatistics, n: number, request: Parameters<typeof sampleRequest>[0]): void {
  for (let k = 0; k < n; k++) statistics.record(sampleRequest({ status: 200, ...request }, k + 1));
}

describe('the gauge of the limit', () => {
  it('counts admitted requests of the load key within the trailing window, and none of another key', () => {
    const statistics = new LiveStatistics();
    const gauges = new Gauges(statistics, profile);
    expect(gauges.at(0).limit).toBeUndefined();
    const used: (number | undefined)[] = [];
    for (let second = 1; second <= 16; second++) {
      if (second <= 8) admit(statistics, 10, { endpoint: 'list-shades', credential: 'load' });
      admit(statistics, 5, { endpoint: 'list-shades', credential: 'bystander' });
      used.push(gauges.at(second * 1_000).limit?.used);
    }
    expect(used).toEqual([10, 20, 30, 40, 50, 60, 60, 60, 50, 40, 30, 20, 10, 0, 0, 0]);
  });

  it('has what the latest headers say, while requests are admitted', () => {
    const statistics = new LiveStatistics();
    const gauges = new Gauges(statistics, profile);
    const limitHeaders = 'ratelimit-limit: 90 | ratelimit-remaining: 12 | ratelimit-reset: 3';
    admit(statistics, 1, { endpoint: 'list-shades', credential: 'load', limitHeaders });
    expect(gauges.at(1_000).limit).toMatchObject({ used: 1, limit: 100, said: { remaining: 12, limit: 90 } });
    expect(gauges.at(20_000).limit).toEqual({ used: 0, limit: 100, windowMs: 6_000 });
  });
});

it('the gauge of the quota counts the sessions of the quota key', () => {
  const statistics = new LiveStatistics();
  const gauges = new Gauges(statistics, profile);
  admit(statistics, 4, { endpoint: 'create-session', credential: 'load' });
  expect(gauges.at(0).quota).toBeUndefined();
  admit(statistics, 7, { endpoint: 'create-session', credential: 'quota' });
  expect(gauges.at(0).quota).toEqual({ created: 7, quota: 20 });
});

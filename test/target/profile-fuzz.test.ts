import { writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { TryonError } from '../../src/exit.ts';
import { openHistory } from '../../src/history/history.ts';
import { HistoryWriter } from '../../src/history/writer.ts';
import { type Profile, type ProfileInput, profileSchema } from '../../src/target/profile.ts';
import { readProfileFile, resolveProfile } from '../../src/target/profile-layers.ts';
import { times } from '../effort.ts';
import { sampleRun } from '../history/sample.ts';
import { anyJson, damage, damaged } from './garbage.ts';

const folder = await mkdtemp(join(tmpdir(), 'tryon-profile-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A profile that says something of everything. */
const full = {
  name: 'staging',
  base_url: 'https://staging.example/v1',
  keys: { load: { env: 'LOAD' }, quota: { file: '/keys/quota' } },
  allow_hosts: ['staging.example'],
  tls: { ca_file: 'ca.pem', reject_unauthorized: true },
  rate_limit: '1000/1m',
  limiter: 'token-bucket',
  quota: { sessions: 200, fresh: true, twin: 'same-account' },
  finishes: ['matte', 'gloss'],
  import_visible: '10s',
  limit_scope: 'per-key',
  shared_keys: false,
  redeliveries: 1,
  limit_endpoints: 'together',
  data_scope: 'shared',
  refusal_headers: ['Retry-After', 'X-RateLimit-Reset'],
  error_bodies: 'json',
  channel: { path: '/sessions/{session_id}/acts', auth: 'api-key', repeated_id: 'once' },
  session_history: { list: 'history.items', id: 'uid', type: 'kind', sku: 'shade', at: 'when' },
  analytics: {
    date_format: 'date',
    time_zone: 'Europe/Berlin',
    top_shades: 10,
    decimals: 4,
    freshness: '1m',
  },
  timeouts: { connect: '5s', headers: 7_000, body: '8s' },
  connections: 512,
  in_flight: 1024,
  send_lag_bound: '100ms',
  lost_bound: 0.01,
  clock_skew_bound: '2s',
} satisfies ProfileInput;

const quantity = fc.double({ min: 0, noNaN: true });
const rateLimit = fc
  .tuple(fc.nat(), fc.oneof(quantity, fc.nat()), fc.constantFrom('ms', 'min', 'd'))
  .map(([n, per, unit]) => `${n}/${per}${unit}`);

/** Values that look right until one reckons with them. */
const plausible = fc.oneof(
  fc.constantFrom('1/1ms', '1/0.0000001ms', '1/9999999999d', '0s', '0.5ms', `${'9'.repeat(400)}d`),
  fc.constantFrom('discover', 'none', 'UTC', '+25:00', 'Europe/Atlantis', '/', 1e-9, 2 ** 53, 1e308),
  fc.tuple(quantity, fc.constantFrom('ms', 's', 'd', 'y', '')).map((parts) => parts.join('')),
  rateLimit,
);

/** The profile with some values replaced, wherever they stand, and some fields gone. */
const anyProfile = fc
  .tuple(fc.infiniteStream(fc.nat(25)), fc.infiniteStream(fc.oneof(plausible, anyJson)))
  .map(([dice, values]) => {
    const changed = (value: unknown): unknown => {
      if (dice.next().value === 0) return values.next().value;
      if (Array.isArray(value)) return value.map(changed);
      if (typeof value !== 'object' || value === null) return value;
      const kept = Object.entries(value).filter(() => dice.next().value !== 0);
      return Object.fromEntries(kept.map(([name, each]) => [name, changed(each)]));
    };
    return changed(full);
  });

/** What comes of a profile; any error that is not for the one who wrote it goes on. */
function outcome<T>(read: () => T): { readonly value: T } | { readonly problem: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof TryonError && error.exit === 2) return { problem: error.message };
    throw error;
  }
}

/** `where`, and then a field and what is wrong with it, for each. */
const namesFields = /^where:(\n {2}(\(root\)|[\w[\].-]+.*): \S.*)+$/s;

describe('a profile', () => {
  it('of any values is accepted with every duration a number, or rejected with the name of the field', () => {
    const taken: Profile[] = [];
    fc.assert(
      fc.property(fc.oneof({ weight: 5, arbitrary: anyProfile }, anyJson), (input) => {
        const result = outcome(() => resolveProfile(input as ProfileInput, 'where'));
        if ('problem' in result) {
          expect(result.problem).toMatch(namesFields);
          return;
        }
        taken.push(result.value);
        const { analytics, clock_skew_bound, import_visible, rate_limit, send_lag_bound, timeouts } =
          result.value;
        const durations = [
          analytics.freshness,
          clock_skew_bound,
          import_visible,
          rate_limit.windowMs,
          send_lag_bound,
        ];
        for (const ms of [...durations, ...Object.values(timeouts)]) {
          expect(ms).toBeGreaterThanOrEqual(0);
          expect(ms).toBeLessThan(Number.POSITIVE_INFINITY);
        }
        for (const ms of Object.values(timeouts)) expect(ms).toBeLessThan(2 ** 31);
        expect(rate_limit.windowMs).toBeGreaterThan(0);
      }),
      { numRuns: times(500, 2_000) },
    );
    expect(taken.length).toBeGreaterThan(times(25, 100));
  });

  it('that was taken is read again from the run that it was for', async () => {
    const dir = await mkdtemp(join(folder, 'run-'));
    await (await HistoryWriter.create(dir)).close();
    await fc.assert(
      fc.asyncProperty(anyProfile, rateLimit, async (changed, rate_limit) => {
        const input = { ...(changed as ProfileInput), rate_limit };
        const result = outcome(() => resolveProfile(input, 'where'));
        fc.pre('value' in result);
        if (!('value' in result)) return;
        await writeFile(join(dir, 'run.json'), JSON.stringify({ ...sampleRun, profile: result.value }));
        const history = await openHistory(dir);
        history.close();
        expect(JSON.stringify(history.profile)).toBe(JSON.stringify(result.value));
      }),
      { numRuns: times(20, 60) },
    );
  });

  it('in a file is rejected with the name of the file, for any bytes in it', () => {
    const file = join(folder, 'profile.json');
    const whole = Buffer.from(JSON.stringify(full, null, 2));
    const bytes = fc.oneof(
      fc.array(damage, { minLength: 1, maxLength: 3 }).map((damages) => damages.reduce(damaged, whole)),
      fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each)),
      fc
        .constantFrom(
          '',
          '{}',
          '[]',
          'null',
          '1e999',
          '{"__proto__":{"name":"x"}}',
          '{"name":"a","name":"b"}',
          '\ufeff{}',
        )
        .map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bytes, (written) => {
        writeFileSync(file, written);
        const result = outcome(() => readProfileFile(file));
        if ('problem' in result) expect(result.problem).toMatch(/profile\.json: ?\S|profile\.json:\n {2}\S/);
        else expect(profileSchema.safeParse(result.value).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

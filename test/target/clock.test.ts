import { describe, expect, it } from 'vitest';
import { clockBy, clockSchema, renewalsWithin } from '../../src/target/clock.ts';
import { profileSchema } from '../../src/target/profile.ts';

const node = process.execPath;
const instantMs = Date.parse('2028-02-29T12:00:00Z');

describe('a clock that a command sets', () => {
  it('gets the instant in place of {instant}', async () => {
    const program = "process.exit(process.argv[1] === 'at=2028-02-29T12:00:00.000Z' ? 0 : 1)";
    await expect(
      clockBy({ exec: [node, '-e', program, 'at={instant}'] })(instantMs),
    ).resolves.toBeUndefined();
  });

  it.each([
    [
      'fails: its last words',
      [node, '-e', "console.error('a\\nno right'); process.exit(3)", '{instant}'],
      'no right',
    ],
    ['is not there: that', ['./no-such-program', '{instant}'], 'ENOENT'],
  ])('is an error of the target where the command %s', async (_, exec, words) => {
    await expect(clockBy({ exec })(instantMs)).rejects.toThrow(
      new RegExp(`^profile: clock\\.exec: the clock was not set to 2028-02-29T12:00:00.000Z: .*${words}`),
    );
  });

  it('is an error of the target where nothing takes the request', async () => {
    await expect(clockBy({ post: 'http://127.0.0.1:1/clock' })(instantMs)).rejects.toThrow(
      /^profile: clock\.post: .*ECONNREFUSED/,
    );
  });
});

it.each<[string, unknown, boolean]>([
  ['a command with {instant}', { exec: ['date', '-s', '{instant}'] }, true],
  ['a command without it', { exec: ['date'] }, false],
  ['no command', { exec: [] }, false],
  ['a URL', { post: 'http://127.0.0.1:9/clock' }, true],
  ['a file', { post: 'file:///etc/passwd' }, false],
  ['both', { exec: ['a', '{instant}'], post: 'http://127.0.0.1:9/' }, false],
])('a profile may name %s: %o → %s', (_, told, is) => {
  expect(clockSchema.safeParse(told).success).toBe(is);
});

const ms = Date.parse;

describe('a quota that renews', () => {
  it.each<[sentence: string, renews: object, from: string, to: string, at: readonly string[]]>([
    [
      'every day does at midnight, UTC',
      { every: 'day' },
      '2026-03-01T12:00Z',
      '2026-03-03T12:00Z',
      ['2026-03-02T00:00Z', '2026-03-03T00:00Z'],
    ],
    [
      'every day in Berlin does an hour earlier by UTC from the last Sunday of March on',
      { every: 'day', zone: 'Europe/Berlin' },
      '2026-03-28T12:00Z',
      '2026-03-30T12:00Z',
      ['2026-03-28T23:00Z', '2026-03-29T22:00Z'],
    ],
    [
      'every day at six by +05:30 does at half past midnight',
      { every: 'day', zone: '+05:30', anchor: '2026-01-01T06:00' },
      '2026-03-01T00:00Z',
      '2026-03-01T23:00Z',
      ['2026-03-01T00:30Z'],
    ],
    [
      'every month does on its first day',
      { every: 'month' },
      '2025-12-15T00:00Z',
      '2026-02-02T00:00Z',
      ['2026-01-01T00:00Z', '2026-02-01T00:00Z'],
    ],
    [
      'every month on the 31st does on the last day of shorter ones',
      { every: 'month', anchor: '2026-01-31T10:00' },
      '2026-02-01T00:00Z',
      '2026-04-30T23:00Z',
      ['2026-02-28T10:00Z', '2026-03-31T10:00Z', '2026-04-30T10:00Z'],
    ],
    [
      'every 90 minutes does so from its anchor on, and did before',
      { every: '90m', anchor: '2026-05-01' },
      '2026-04-30T22:00Z',
      '2026-05-01T02:00Z',
      ['2026-04-30T22:30Z', '2026-05-01T00:00Z', '2026-05-01T01:30Z'],
    ],
    ['does not in between', { every: 'month' }, '2026-03-02T00:00Z', '2026-03-31T00:00Z', []],
  ])('%s', (_sentence, renews, from, to, at) => {
    const { quota } = profileSchema.parse({ quota: { renews } });
    const found = quota.renews && renewalsWithin(quota.renews, ms(from), ms(to));
    expect(found).toEqual(at.map((each) => ms(each)));
  });

  it.each<[what: string, renews: object]>([
    ['a duration without an instant', { every: '1h' }],
    ['a duration under a second', { every: '10ms', anchor: '2026-05-01' }],
    ['a zone that no clock has', { every: 'day', zone: 'Mars/Olympus' }],
    ['an anchor that is no date', { every: 'day', anchor: '2026-13-01' }],
    ['another word', { every: 'fortnight' }],
  ])('is not described by %s', (_what, renews) => {
    expect(profileSchema.safeParse({ quota: { renews } }).success).toBe(false);
  });
});

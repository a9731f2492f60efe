import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ServeArguments } from '../../src/commands/options.ts';
import { readServeSettings } from '../../src/commands/serve/serve.ts';
import { TryonError } from '../../src/exit.ts';
import { Database } from '../../src/service/database.ts';
import { ServiceConfigurationError } from '../../src/service/options.ts';
import type { Interaction, SessionGrant } from '../../src/wire.ts';
import { type Served, serve, temporaryFolder } from './served.ts';
import { newInteractionId, selected, shade } from './service-under-test.ts';

const sessionRequest = { product_id: 'lipstick', catalog_id: 'spring', locale: 'en-US' };

async function importSpring(served: Served, key: string): Promise<void> {
  const answer = await served.request('POST', '/shades', key, { catalog_id: 'spring', shades: [shade('A')] });
  expect(answer.status).toBe(200);
}

describe('what the command line says', () => {
  const typed: ServeArguments = {
    port: 0,
    host: '127.0.0.1',
    'rate-limit': '1000/1m',
    limiter: 'sliding-log',
    'list-defects': false,
    json: false,
    'power-safe': false,
    'session-lifetime': '30m',
    'exit-with-parent': false,
    'clock-by-stdin': false,
  };
  const settings = (more: Partial<ServeArguments>, environment: Record<string, string> = {}) =>
    readServeSettings({ ...typed, ...more }, environment);

  test('without plans and keys there are three plans, and keys on an account each, two of them of the same plan', () => {
    const { plans, keys } = settings({});
    expect(plans).toEqual({ load: 1_000_000, quota: 200, bystander: 10_000 });
    expect(keys.map(({ label, plan, account }) => [label, plan, account])).toEqual([
      ['load', 'load', 'load'],
      ['quota', 'quota', 'quota'],
      ['twin', 'quota', 'twin'],
      ['bystander', 'bystander', 'bystander'],
    ]);
    expect(new Set(keys.map(({ secret }) => secret)).size).toBe(4);
  });

  test('plans add to those, or change them; keys replace those', () => {
    const { plans, keys } = settings({ plan: ['quota=50', 'big=unlimited'], key: ['x=big', 'y=big@team'] });
    expect(plans).toMatchObject({ load: 1_000_000, quota: 50, big: Number.POSITIVE_INFINITY });
    expect(keys.map(({ label, plan, account }) => [label, plan, account])).toEqual([
      ['x', 'big', 'x'],
      ['y', 'big', 'team'],
    ]);
  });

  test('a window of a fractional number of seconds is a whole number of milliseconds', () => {
    expect(settings({ 'rate-limit': '7/2.3s' }).rateLimit).toEqual({ requests: 7, windowMs: 2_300 });
  });

  test('a key can be given by the environment', () => {
    const environment = { TRYON_SERVE_KEY_MY_KEY: 'abc' };
    expect(settings({ key: ['my-key=load'] }, environment).keys[0]?.secret).toBe('abc');
  });

  test.each([
    ['--plan', { plan: ['small'] }],
    ['--plan', { plan: ['small=-1'] }],
    ['--plan', { plan: ['small=many'] }],
    ['--key', { key: ['load'] }],
    ['--key', { key: ['=load'] }],
    ['--key', { key: ['a=load@'] }],
    ['--rate-limit', { 'rate-limit': 'fast' }],
    ['--rate-limit', { 'rate-limit': '0/1m' }],
    ['--rate-limit', { 'rate-limit': '1/0.1ms' }],
    ['--session-lifetime', { 'session-lifetime': 'long' }],
    ['--db', { db: '' }],
  ] as const)('a wrong %s is named: %j', (option, more) => {
    const read = () => settings(more);
    expect(read).toThrow(TryonError);
    expect(read).toThrow(option);
  });

  test('a key that is invalid in a header is rejected without being shown', () => {
    const read = () => settings({}, { TRYON_SERVE_KEY_LOAD: 'two words' });
    expect(read).toThrow(/TRYON_SERVE_KEY_LOAD/);
    expect(read).not.toThrow(/two words/);
  });
});

describe('tryon serve', () => {
  test('prints one line of JSON when ready, serves it, and on SIGTERM drains, though its parent keeps the pipe, and leaves no file', async () => {
    const folder = temporaryFolder();
    const served = await serve(['--exit-with-parent'], { TMPDIR: folder });
    expect(Object.keys(JSON.parse(served.line))).toEqual(['base_url', 'keys']);
    expect(served.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    const answer = await served.request('GET', '/shades?catalog_id=none', served.keys.load ?? '');
    expect(answer.status).toBe(404);
    expect(readdirSync(folder)).toHaveLength(1);
    // The test holds it open throughout: otherwise the service would end with it.
    expect(served.process.stdin?.writable).toBe(true);
    expect(await served.end('SIGTERM')).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('enforces the limit and the plans that it was started with', async () => {
    const limits = ['--rate-limit', '5/1h', '--limiter', 'token-bucket'];
    const served = await serve([...limits, '--plan', 'tiny=1', '--key', 'k=tiny']);
    const key = served.keys.k ?? '';
    await importSpring(served, key);
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) {
      statuses.push((await served.request('POST', '/sessions', key, sessionRequest)).status);
    }
    expect(statuses).toEqual([200, 402, 402, 402, 429]);
  });

  test('ends when its parent closes the pipe to it, if told to', async () => {
    const served = await serve(['--exit-with-parent']);
    const ended = new Promise((resolve) => served.process.once('exit', resolve));
    served.process.stdin?.end();
    expect(await ended).toBe(0);
  });

  test('after SIGTERM and a restart on the same database, data, quota and keys are as before', async () => {
    const file = join(temporaryFolder(), 'service.db');
    const parameters = ['--db', file, '--plan', 'two=2', '--key', 'k=two'];
    const environment = { TRYON_SERVE_KEY_K: 'the-same-key' };
    const before = await serve(parameters, environment);
    await importSpring(before, 'the-same-key');
    const opened = await before.request('POST', '/sessions', 'the-same-key', sessionRequest);
    const { session_id } = (await opened.json()) as SessionGrant;
    expect(await before.end('SIGINT')).toBe(0);
    expect(existsSync(`${file}-wal`)).toBe(false);

    const after = await serve(parameters, environment);
    expect((await after.request('GET', `/sessions/${session_id}`, 'the-same-key')).status).toBe(200);
    const statuses = [];
    for (let i = 0; i < 2; i++) {
      statuses.push((await after.request('POST', '/sessions', 'the-same-key', sessionRequest)).status);
    }
    expect(statuses).toEqual([200, 402]);
  });

  test('killed with SIGKILL under load, it has lost nothing that it had acknowledged', async () => {
    const file = join(temporaryFolder(), 'service.db');
    const parameters = ['--db', file, '--rate-limit', '1000000/1m', '--key', 'k=load'];
    const environment = { TRYON_SERVE_KEY_K: 'the-same-key' };
    const before = await serve(parameters, environment);
    await importSpring(before, 'the-same-key');

    const acknowledged = new Map<string, Interaction[]>();
    let sessionsSent = 0;
    let acts = 0;
    const killed = Promise.withResolvers<void>();
    /** Opens sessions and sends events in them until the service is gone. */
    const shopper = async (): Promise<void> => {
      for (;;) {
        sessionsSent++;
        const opened = await before.request('POST', '/sessions', 'the-same-key', sessionRequest);
        const { session_id, token } = (await opened.json()) as SessionGrant;
        const stored: Interaction[] = [];
        acknowledged.set(session_id, stored);
        for (let i = 0; i < 3; i++) {
          const act = selected('A', newInteractionId());
          const path = `/sessions/${session_id}/interactions`;
          const answer = await before.request('POST', path, token, { interactions: [act] });
          if (answer.status === 202) stored.push(act);
          if (++acts === 600) killed.resolve();
        }
      }
    };
    const shoppers = Array.from({ length: 8 }, () => shopper().catch(() => 'gone'));
    await killed.promise;
    expect(await before.end('SIGKILL')).toBe(null);
    await Promise.all(shoppers);

    const after = await serve(parameters, environment);
    expect(acknowledged.size).toBeGreaterThan(100);
    for (const [sessionId, stored] of acknowledged) {
      const answer = await after.request('GET', `/sessions/${sessionId}`, 'the-same-key');
      expect(answer.status).toBe(200);
      const { interactions } = (await answer.json()) as { interactions: Interaction[] };
      // One more may have been stored than its answer could tell.
      expect(interactions.slice(0, stored.length)).toEqual(stored);
      expect(interactions.length - stored.length).toBeLessThanOrEqual(1);
    }
    const everyDay = '/analytics/sessions?start_date=0001-01-01&end_date=9999-12-31';
    const analytics = await after.request('GET', everyDay, 'the-same-key');
    const { total_sessions } = (await analytics.json()) as { total_sessions: number };
    expect(total_sessions).toBeGreaterThanOrEqual(acknowledged.size);
    expect(total_sessions).toBeLessThanOrEqual(sessionsSent);
    const opened = await after.request('POST', '/sessions', 'the-same-key', sessionRequest);
    expect(opened.status).toBe(200);
  });
});

describe('a database file', () => {
  const durability = 'process-kill';

  test('of another program is rejected, and left unchanged', () => {
    const databaseFile = join(temporaryFolder(), 'notes.txt');
    writeFileSync(databaseFile, 'shopping list\n'.repeat(100));
    expect(() => new Database({ databaseFile, durability })).toThrow(ServiceConfigurationError);
    expect(() => new Database({ databaseFile, durability })).toThrow(databaseFile);
  });

  test('in a folder that does not exist is rejected', () => {
    const databaseFile = join(temporaryFolder(), 'no', 'such', 'folder.db');
    expect(() => new Database({ databaseFile, durability })).toThrow(ServiceConfigurationError);
  });

  test('in use by another service is rejected', async () => {
    const databaseFile = join(temporaryFolder(), 'service.db');
    await serve(['--db', databaseFile]);
    expect(() => new Database({ databaseFile, durability })).toThrow(/locked/);
  });

  test('that survives power cuts works the same', () => {
    const database = new Database({ databaseFile: join(temporaryFolder(), 's.db'), durability: 'power-cut' });
    expect(database.query<{ synchronous: number }>('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    database.close();
  });

  test('gets a transaction whole or not at all', () => {
    const database = new Database({ databaseFile: ':memory:', durability });
    const add = database.query('INSERT INTO accounts (name) VALUES (?)');
    const failing = () =>
      database.transaction(() => {
        add.run('a');
        add.run('a');
      });
    expect(failing).toThrow(/UNIQUE/);
    expect(database.query<{ n: number }>('SELECT count(*) AS n FROM accounts').get()).toEqual({ n: 0 });
    expect(database.transaction(() => add.run('a'))).toBe(1);
    database.close();
  });
});

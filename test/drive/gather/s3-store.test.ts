import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchRuns, openS3Store, putFiles } from '../../../src/drive/gather/s3-store.ts';
import { readStoreClock, type StoreClock } from '../../../src/drive/gather/store.ts';
import { temporaryFolder } from '../../history/temporary-folder.ts';
import { type S3Double, s3Secret, startS3 } from './s3-double.ts';

const place = 's3://runs/team/run1';
let s3: S3Double;
beforeEach(async () => {
  s3 = await startS3();
});
afterEach(() => s3.close());

describe('notes in a bucket', () => {
  it('are written once: of two that write at the same time, one is told that the name is taken', async () => {
    const [one, other] = [await openS3Store(place, s3.env), await openS3Store(place, s3.env)];
    expect(await one.read('plan.json')).toBeUndefined();
    const made = await Promise.all([one.create('plan.json', 'one'), other.create('plan.json', 'other')]);
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await other.read('plan.json')).toBe(made[0] ? 'one' : 'other');
  });

  it('are listed to the last, page by page, those of other runs excepted', async () => {
    s3.pageSize = 2;
    const store = await openS3Store(place, s3.env);
    await (await openS3Store('s3://runs/team/run10', s3.env)).create('other.json', '');
    const names = ['ready-1.json', 'ready-2.json', 'ready-3.json', 'ready-4.json', 'start.json'];
    for (const name of names) await store.create(name, '{}');
    expect(await store.names()).toEqual(names);
  });

  it.each<[string, 'lost' | number]>([
    ['the answer to a first attempt was lost', 'lost'],
    ['the store was busy', 503],
    ['another request of that name was under way', 409],
  ])('are this shard’s where %s, and a second attempt was made', async (_, fault) => {
    const store = await openS3Store(place, s3.env);
    let faults = 1;
    s3.fault = (request) => (request.startsWith('PUT') && faults-- > 0 ? fault : undefined);
    expect(await store.create('claim-2.json', '{"by":"this"}')).toBe(true);
    expect(
      s3.requests.filter((request) => request === 'PUT /runs/team/run1/notes/claim-2.json'),
    ).toHaveLength(2);
    expect(await store.create('claim-2.json', '{"by":"another"}')).toBe(false);
  });
});

describe('the clock of a store that dates in whole seconds', () => {
  it('is known within bounds that hold the truth', async () => {
    s3.aheadMs = 100_250;
    const store = await openS3Store(place, s3.env);
    const zeroMs = Date.now() - performance.now() + s3.aheadMs;
    const bounds = await readStoreClock(store, () => performance.now());
    expect(bounds?.minMs).toBeLessThanOrEqual(zeroMs + 1);
    expect(bounds?.maxMs).toBeGreaterThanOrEqual(zeroMs - 1);
  });
});

describe('the run of a shard', () => {
  it('is handed in whole, and fetched once, with what the merge writes put beside it', async () => {
    const store = await openS3Store(place, s3.env);
    const run = join(await temporaryFolder(), 'shard-2-of-2');
    await mkdir(join(run, 'history'), { recursive: true });
    await writeFile(join(run, 'run.json'), '{}');
    await writeFile(join(run, 'history', 'requests.csv'), 'a,b\n'.repeat(100_000));
    await writeFile(join(run, 'history', 'requests.parquet'), 'made from it');
    await store.handIn?.(run);
    expect([...s3.objects.keys()].filter((key) => key.includes('shard'))).toEqual([
      'team/run1/shard-2-of-2/history/requests.csv',
      'team/run1/shard-2-of-2/run.json',
    ]);
    const dir = await temporaryFolder();
    // One that is still handed in is not there yet.
    s3.objects.set('team/run1/shard-1-of-2/history/requests.csv', Buffer.from('a,b\n'));
    await fetchRuns(place, dir, s3.env);
    await fetchRuns(place, dir, s3.env);
    expect(await readFile(join(dir, 'shard-2-of-2', 'history', 'requests.csv'), 'utf8')).toHaveLength(
      400_000,
    );
    await expect(readFile(join(dir, 'shard-1-of-2', 'history', 'requests.csv'))).rejects.toThrow(/ENOENT/);
    await writeFile(join(dir, 'verdicts.json'), '{}');
    await putFiles(place, { dir, names: ['verdicts.json'] }, s3.env);
    await putFiles(place, { dir, names: ['verdicts.json'] }, s3.env);
    expect(s3.objects.get('team/run1/verdicts.json')?.toString()).toBe('{}');
  });

  it('that cannot be handed in is safe where it is, which one line says', async () => {
    const store = await openS3Store(place, s3.env);
    const run = join(await temporaryFolder(), 'shard-2-of-2');
    await mkdir(join(run, 'history'), { recursive: true });
    await writeFile(join(run, 'run.json'), '{}');
    s3.fault = () => 'lost';
    await expect(store.handIn?.(run)).rejects.toThrow(
      /shard-2-of-2 could not be copied to s3:\/\/runs\/team\/run1: .+\. It is whole: copy it to s3:\/\/runs\/team\/run1\/shard-2-of-2, run.json last$/,
    );
  });
});

describe('one line says what is wrong with', () => {
  it.each<[string, string, Readonly<Record<string, string>>, RegExp]>([
    [
      'a bucket that is not there',
      's3://absent/run1',
      {},
      /^s3:\/\/absent\/run1: NoSuchBucket: The specified bucket does not exist$/,
    ],
    [
      'a wrong key',
      place,
      { AWS_ACCESS_KEY_ID: 'OTHER' },
      /^s3:.*run1: InvalidAccessKeyId: The access key is not known\.$/,
    ],
    [
      'no key',
      place,
      { AWS_SECRET_ACCESS_KEY: '' },
      /needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment$/,
    ],
    ['a bucket without a prefix', 's3://runs', {}, /^s3:\/\/runs: expected s3:\/\/BUCKET\/PREFIX/],
    [
      'an address that is none',
      place,
      { AWS_ENDPOINT_URL: 'nowhere' },
      /^AWS_ENDPOINT_URL: expected a URL, got nowhere$/,
    ],
    [
      'a store that does not answer',
      place,
      { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' },
      /^s3:\/\/runs\/team\/run1: no answer: .*(ECONNREFUSED|bad port)/,
    ],
  ])('%s', async (_, at, env, says) => {
    const message = await openS3Store(at, { ...s3.env, ...env }).then(
      () => 'opened',
      (error: Error) => error.message,
    );
    expect(message).toMatch(says);
    expect(message).not.toContain(s3Secret);
  });

  it('a store that stays busy, after three attempts', async () => {
    s3.fault = () => 503;
    await expect(openS3Store(place, s3.env)).rejects.toThrow(
      /run1: SlowDown: Please reduce your request rate\.$/,
    );
    expect(s3.requests).toHaveLength(3);
  });

  it('a store that overwrites: shards could not tell which of them was first', async () => {
    const other = await startS3({ ignores: true });
    try {
      await expect(openS3Store(place, other.env)).rejects.toThrow(/the store ignores If-None-Match/);
    } finally {
      await other.close();
    }
  });

  it('a store that does not tell the time', async () => {
    const clock: StoreClock = await openS3Store(place, s3.env);
    s3.aheadMs = Number.NaN;
    await expect(clock.time()).rejects.toThrow(/the store answers without its time \(Date\)/);
  });
});

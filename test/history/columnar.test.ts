import { appendFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { reconsider } from '../../src/commands/run/conclude.ts';
import { addColumnarCopy, columnarFiles } from '../../src/history/columnar.ts';
import { openClaimed, openHistory } from '../../src/history/history.ts';
import type { Integrity } from '../../src/history/recover.ts';
import { HistoryWriter } from '../../src/history/writer.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { sampleRequest, sampleRun } from './sample.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** By `fromBytes`, made once: each test has a folder of its own with the same files. */
const originals = new Map<number, Promise<string>>();
afterAll(async () => {
  for (const dir of originals.values()) await rm(await dir, { recursive: true });
});

/** A closed history of three requests and two events, with its copy if it has at least `fromBytes`. */
async function copied(fromBytes = 0): Promise<string> {
  const original = originals.get(fromBytes) ?? written(fromBytes);
  originals.set(fromBytes, original);
  const dir = await temporaryFolder();
  await cp(await original, dir, { recursive: true });
  return dir;
}

async function written(fromBytes: number): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'tryon-columnar-'));
  await writeFile(
    join(dir, 'run.json'),
    JSON.stringify({ ...sampleRun, profile: profileSchema.parse({ rate_limit: '10/1s' }) }),
  );
  const writer = await HistoryWriter.create(dir);
  writer.request(sampleRequest({ endpoint: 'create-session', sessionId: 'a,"b" é', expiresAt: '' }, 1));
  writer.request(sampleRequest({ endpoint: 'interact', sessionId: 'a,"b" é', items: 2 }, 2));
  writer.request(sampleRequest({ endpoint: 'list-shades', lost: 'timeout' }, 3));
  for (const [id, sku] of [
    ['z', 'first'],
    ['y', 'second'],
  ] as const)
    writer.interaction({ seq: 2, sessionId: 'a,"b" é', id, type: 'shade_selected', sku, at: 'now' });
  await writer.close();
  await addColumnarCopy(dir, 1, { fromBytes });
  return dir;
}

async function contents(dir: string): Promise<unknown> {
  const history = await openHistory(dir);
  try {
    return {
      requests: await history.rows(z.unknown(), 'FROM requests ORDER BY seq'),
      interactions: await history.rows(z.unknown(), 'FROM interactions ORDER BY place'),
    };
  } finally {
    history.close();
  }
}

async function opened(dir: string): Promise<{ from: 'columns' | 'rows'; integrity: Integrity }> {
  const history = await openHistory(dir);
  try {
    const views = await history.rows(
      z.unknown(),
      `FROM duckdb_views() WHERE view_name = 'requests' AND NOT internal`,
    );
    return { from: views.length > 0 ? 'columns' : 'rows', integrity: history.integrity };
  } finally {
    history.close();
  }
}

describe('the copy of a history by columns', () => {
  it('says what the CSV says, to the value', async () => {
    expect(await contents(await copied())).toEqual(await contents(await copied(Number.POSITIVE_INFINITY)));
  });

  it('is what is read, and the history is intact with it', async () => {
    expect(await opened(await copied())).toEqual({ from: 'columns', integrity: { kind: 'intact' } });
  });

  it('is not made of a short history', async () => {
    const dir = await copied(1e6);
    expect((await opened(dir)).from).toBe('rows');
    expect(await readdir(join(dir, 'history'))).not.toContain(columnarFiles.requests);
  });

  it.each<[string, (history: string) => Promise<void>, string]>([
    ['the copy was touched', (dir) => appendFile(join(dir, columnarFiles.requests), 'x'), 'requests.parquet'],
    ['the copy was taken away', (dir) => rm(join(dir, columnarFiles.interactions)), 'interactions.parquet'],
    [
      'the CSV was touched, even if the copy still says what it said',
      (dir) => appendFile(join(dir, 'interactions.csv'), '2,s,x,cart_intent,,now\n'),
      'interactions.csv',
    ],
  ])('is not read once %s, and that is found out', async (_what, touch, file) => {
    const dir = await copied();
    await touch(join(dir, 'history'));
    expect(await opened(dir)).toMatchObject({
      from: 'rows',
      integrity: { kind: 'altered', differences: [expect.stringContaining(file)] },
    });
  });

  it('of another CSV is not read, though both are as the manifest says', async () => {
    const dir = await copied();
    const manifest = join(dir, 'history', 'manifest.json');
    const text = await readFile(manifest, 'utf8');
    const parsed = z
      .looseObject({ columnar: z.looseObject({ of: z.record(z.string(), z.string()) }) })
      .parse(JSON.parse(text));
    const of = { ...parsed.columnar.of, 'requests.csv': '0'.repeat(64) };
    await writeFile(manifest, JSON.stringify({ ...parsed, columnar: { ...parsed.columnar, of } }));
    expect((await opened(dir)).from).toBe('rows');
  });

  it('that was being written when the process died counts for nothing', async () => {
    const dir = await copied(1e6);
    await writeFile(join(dir, 'history', `${columnarFiles.requests}.new`), 'PAR1 torn');
    await writeFile(join(dir, 'history', columnarFiles.requests), 'PAR1 and not in the manifest');
    expect(await opened(dir)).toEqual({ from: 'rows', integrity: { kind: 'intact' } });
  });
});

/** Changes a byte in the middle of a file, and not its length. */
async function flip(path: string): Promise<void> {
  const bytes = await readFile(path);
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

describe('a long history that is judged at its manifest’s word', () => {
  it('is confirmed when it is as it was written, and says what it says', async () => {
    const dir = await copied();
    const { confirmed, history } = await openClaimed(dir, 0);
    expect(
      await history.rows(z.object({ seq: z.number() }), 'SELECT seq FROM requests ORDER BY seq'),
    ).toEqual([{ seq: 1 }, { seq: 2 }, { seq: 3 }]);
    history.close();
    expect(await confirmed).toBe(true);
  });

  it.each(['requests.csv', 'interactions.csv', columnarFiles.interactions])(
    'is not confirmed when a byte of %s was changed',
    async (file) => {
      const dir = await copied();
      await flip(join(dir, 'history', file));
      const { confirmed, history } = await openClaimed(dir, 0);
      history.close();
      expect(await confirmed).toBe(false);
    },
  );

  it.each(['requests.csv', columnarFiles.requests, columnarFiles.sessions])(
    'fails when a byte of %s was changed meanwhile',
    async (file) => {
      const dir = await copied();
      await flip(join(dir, 'history', file));
      const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      const { checks } = await reconsider(dir, {}, 0);
      printed.mockRestore();
      expect(checks.find(({ id }) => id === 'history.integrity')).toMatchObject({
        verdict: 'fail',
        explanation: expect.stringContaining(file),
      });
    },
  );
});

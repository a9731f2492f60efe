import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHistory } from '../../src/history/history.ts';
import { endDigest, type RunInfo, runDigest } from '../../src/history/run.ts';
import { HistoryWriter } from '../../src/history/writer.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { sampleRequest, sampleRun, withHistory } from './sample.ts';
import { temporaryFolder } from './temporary-folder.ts';

const awkward = 'a,"b"\nc é';

async function written(run: RunInfo = sampleRun): Promise<string> {
  const dir = await temporaryFolder();
  await writeFile(join(dir, 'run.json'), JSON.stringify({ ...run, profile: profileSchema.parse({}) }));
  const writer = await HistoryWriter.create(dir);
  writer.request(sampleRequest({ endpoint: 'list-shades' }, 1));
  writer.request(sampleRequest({ endpoint: 'list-shades' }, 2));
  await writer.close();
  return dir;
}

/** Makes a history one of the version that did not write the last columns yet. */
async function makeOld(dir: string): Promise<void> {
  const file = join(dir, 'history', 'requests.csv');
  const rows = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(rows[0]).toMatch(
    /,problem,first_sent_ns,wire_status,described_headers,server_timing,local_port,remote_address,resolve_ns,connect_ns,handshake_ns,opening_ns,repeats$/,
  );
  await writeFile(file, `${rows.map((row) => row.split(',').slice(0, -11).join(',')).join('\n')}\n`);
}

describe('a history', () => {
  it('gives back what was written, absent values as null and ids of any characters', async () => {
    const row = z.object({
      seq: z.number(),
      status: z.number().nullable(),
      session_id: z.string().nullable(),
    });
    const rows = await withHistory(
      {
        requests: [
          { endpoint: 'create-session', sessionId: awkward },
          { endpoint: 'interact', lost: 'timeout' },
        ],
        answers: [{ seq: 1, endpoint: 'create-session', query: {}, body: { x: [1] } }],
        events: [{ kind: 'phase', name: 'p', startNs: 0, endNs: 1 }],
      },
      (history) => history.rows(row, 'SELECT seq, status, session_id FROM requests ORDER BY seq'),
    );
    expect(rows).toEqual([
      { seq: 1, status: 200, session_id: awkward.replace('\n', ' ') },
      { seq: 2, status: null, session_id: null },
    ]);
  });

  it('of a version that wrote fewer columns is read, and what it did not write is null', async () => {
    const dir = await written();
    await makeOld(dir);
    const history = await openHistory(dir);
    const row = z.object({ seq: z.number(), endpoint: z.string(), first_sent_ns: z.null() });
    const read = await history.rows(row, 'SELECT seq, endpoint, first_sent_ns FROM requests ORDER BY seq');
    history.close();
    expect(read).toEqual([
      { seq: 1, endpoint: 'list-shades', first_sent_ns: null },
      { seq: 2, endpoint: 'list-shades', first_sent_ns: null },
    ]);
  });

  it('keeps a body with a lone surrogate readable, and its neighbours as they were', async () => {
    const answers = [
      { seq: 1, endpoint: 'analytics' as const, query: {}, body: { '\ud800': ['a\udc00', '\u{1F484}'] } },
      { seq: 2, endpoint: 'analytics' as const, query: {}, body: { plain: 'é \\ud800' } },
    ];
    const bodies = await withHistory({ answers }, (history) =>
      history.rows(
        z.object({ body: z.string() }),
        'SELECT CAST(body AS VARCHAR) AS body FROM answers ORDER BY seq',
      ),
    );
    expect(bodies.map(({ body }) => JSON.parse(body))).toEqual([
      { '\ufffd': ['a\ufffd', '\u{1F484}'] },
      { plain: 'é \\ud800' },
    ]);
  });

  it('that is short takes one thread to answer questions, and leaves the other cores to runs under way', async () => {
    const [row] = await withHistory({}, (history) =>
      history.rows(z.object({ threads: z.coerce.number() }), "SELECT current_setting('threads') AS threads"),
    );
    expect(row?.threads).toBe(1);
  });

  it('is found altered when its manifest was taken away, since the run came to its end', async () => {
    const dir = await written();
    await rm(join(dir, 'history', 'manifest.json'));
    const history = await openHistory(dir);
    expect(history.integrity).toEqual({
      kind: 'altered',
      differences: ['manifest.json: missing, although the run ended'],
    });
    history.close();
  });

  it.each<[string, (run: RunInfo) => RunInfo, string]>([
    ['nothing', (run) => run, 'intact'],
    ['what the run was to check', (run) => ({ ...run, checks: ['latency'] }), 'altered'],
    ['how it ended', (run) => ({ ...run, ended: { at_epoch_ms: 1, how: 'interrupted' } }), 'altered'],
    // The run may have been killed just before it noted its end.
    ['that it ended', ({ ended: _ended, ...run }) => run, 'intact'],
  ])(
    'of a run whose description says %s otherwise afterwards is known for what it is',
    async (_what, changed, kind) => {
      const run = { ...sampleRun, profile: profileSchema.parse({}) };
      const dir = await temporaryFolder();
      const writer = await HistoryWriter.create(dir);
      await writer.close(runDigest(run), run.ended === undefined ? undefined : endDigest(run.ended));
      await writeFile(join(dir, 'run.json'), JSON.stringify(changed(run), null, 2));
      const history = await openHistory(dir);
      history.close();
      expect(history.integrity.kind).toBe(kind);
    },
  );

  it.each([
    ['a process that is alive is left alone', process.ppid, 'is still writing this history'],
    // Process numbers end far below that.
    ['a process that is gone is recovered', 2 ** 30, ''],
  ])('that is being written by %s', async (_, pid, refusal) => {
    const { ended: _ended, ...underWay } = sampleRun;
    const dir = await written(underWay);
    const history = join(dir, 'history');
    await rm(join(history, 'manifest.json'));
    await writeFile(join(history, 'writing.json'), JSON.stringify({ pid, host: hostname() }));
    const before = await readFile(join(history, 'requests.csv'), 'utf8');
    const opening = openHistory(dir);
    if (refusal === '') {
      const opened = await opening;
      opened.close();
      expect(opened.integrity.kind).toBe('recovered');
    } else await expect(opening).rejects.toThrow(refusal);
    expect(await readFile(join(history, 'requests.csv'), 'utf8')).toBe(before);
  });
});

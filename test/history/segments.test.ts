import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { addColumnarCopy } from '../../src/history/columnar.ts';
import { openHistory } from '../../src/history/history.ts';
import type { Integrity } from '../../src/history/recover.ts';
import { checkIntegrity, inspectHistory } from '../../src/history/recover.ts';
import { endDigest, type RunInfo, runDigest } from '../../src/history/run.ts';
import { type FileStates, HistoryWriter } from '../../src/history/writer.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { sampleRequest, sampleRun } from './sample.ts';

const workers = 3;
const { ended, ...begun } = {
  ...sampleRun,
  workers,
  profile: { ...profileSchema.parse({}) },
  ended: { at_epoch_ms: 1, how: 'completed' },
} satisfies RunInfo;

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((dir) => rm(dir, { recursive: true }))));

/** A run with a request of the main thread and two of each worker. */
async function writtenBy(how: 'closed' | 'cut off'): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'tryon-segments-'));
  folders.push(dir);
  const run: RunInfo = how === 'closed' ? { ...begun, ended } : begun;
  await writeFile(join(dir, 'run.json'), JSON.stringify(run));
  const main = await HistoryWriter.create(dir);
  main.request(sampleRequest({ endpoint: 'analytics', stage: 'setup' }, 1));
  let states: FileStates = {};
  for (let worker = 1; worker <= workers; worker++) {
    const writer = await HistoryWriter.createSegment(dir, worker);
    for (const seq of [2 * worker, 2 * worker + 1]) {
      writer.request(sampleRequest({ endpoint: 'interact', sessionId: `s${worker}` }, seq));
      writer.interaction({
        seq,
        sessionId: `s${worker}`,
        id: `a${seq}`,
        type: 'cart_intent',
        sku: '',
        at: 'x',
      });
    }
    writer.event({
      ...{ kind: 'self', worker, atNs: 1, gcMs: 0, cpuMs: 0, inFlight: 0, sendLagMaxMs: 0 },
      loopDelayMaxMs: worker,
    });
    states = { ...states, ...(await writer.end()) };
  }
  if (how === 'closed') await main.close(runDigest(run), endDigest(ended), states);
  else await main.end();
  return dir;
}

/** The seqs in the history, whose they are, and the longest delay of any worker's event loop. */
async function read(
  dir: string,
): Promise<{ seqs: number[]; acts: number; delay: number; integrity: Integrity; leftOut: number }> {
  const history = await openHistory(dir);
  try {
    const requests = await history.rows(
      z.object({ seq: z.number() }),
      'SELECT seq FROM requests ORDER BY seq',
    );
    const [acts] = await history.rows(z.object({ n: z.number() }), 'SELECT count(*) AS n FROM interactions');
    const [self] = await history.rows(
      z.object({ ms: z.number() }),
      `SELECT max(json_extract(event, '$.loopDelayMaxMs')::DOUBLE) AS ms FROM events WHERE kind = 'self'`,
    );
    return {
      seqs: requests.map(({ seq }) => seq),
      acts: acts?.n ?? 0,
      delay: self?.ms ?? 0,
      integrity: history.integrity,
      leftOut: history.leftOut,
    };
  } finally {
    history.close();
  }
}

describe('a history in segments', () => {
  it('are all in the copy by columns, and one that is touched keeps that from being read', async () => {
    const dir = await writtenBy('closed');
    const asWritten = await read(dir);
    await addColumnarCopy(dir, workers + 1, { fromBytes: 0 });
    expect(await inspectHistory(dir)).toEqual({ integrity: { kind: 'intact' }, columnar: true });
    expect(await read(dir)).toEqual(asWritten);
    await appendFile(join(dir, 'history', 'requests.2.csv'), '\n');
    expect(await inspectHistory(dir)).toMatchObject({ integrity: { kind: 'altered' }, columnar: false });
  });

  it('is read as one: every record of every worker, and the worst of what they say of themselves', async () => {
    expect(await read(await writtenBy('closed'))).toEqual({
      seqs: [1, 2, 3, 4, 5, 6, 7],
      acts: 6,
      delay: 3,
      integrity: { kind: 'intact' },
      leftOut: 0,
    });
  });

  it.each<[string, (file: string) => Promise<void>]>([
    [
      'lost a record',
      async (file) => writeFile(file, (await readFile(file, 'utf8')).split('\n').slice(0, -2).join('\n')),
    ],
    [
      'says something else',
      async (file) => writeFile(file, (await readFile(file, 'utf8')).replace(',200,', ',201,')),
    ],
  ])('is found altered when one worker’s file %s', async (_what, change) => {
    const dir = await writtenBy('closed');
    await change(join(dir, 'history', 'requests.2.csv'));
    const { integrity } = await read(dir);
    expect(integrity).toMatchObject({
      kind: 'altered',
      differences: [expect.stringMatching(/^requests\.2\.csv: /)],
    });
  });

  it('is found altered when one worker’s file is gone, also by who has no description of the run', async () => {
    const dir = await writtenBy('closed');
    await rm(join(dir, 'history', 'interactions.3.csv'));
    const missing = { kind: 'altered', differences: ['interactions.3.csv: missing'] };
    expect(await checkIntegrity(dir, { ...begun, ended })).toEqual(missing);
    expect(await checkIntegrity(dir)).toEqual(missing);
  });

  it('that was never closed is cut after the last whole line of each segment', async () => {
    const dir = await writtenBy('cut off');
    const torn = { 'requests.csv': '8,lo', 'requests.1.csv': '9,load,pha', 'interactions.3.csv': '"' };
    for (const [name, tail] of Object.entries(torn)) await appendFile(join(dir, 'history', name), tail);
    const cut = { 'requests.csv': 4, 'requests.1.csv': 10, 'interactions.3.csv': 1 };
    const recovered = { seqs: [1, 2, 3, 4, 5, 6, 7], acts: 6, integrity: { kind: 'recovered', cut } };
    expect(await read(dir)).toMatchObject(recovered);
    // And stays so: the manifest that recovery wrote holds every segment.
    expect(await read(dir)).toMatchObject(recovered);
  });

  it('whose worker was cut off before it had begun its segment is what the others left before that', async () => {
    const dir = await writtenBy('cut off');
    const history = join(dir, 'history');
    for (const name of await readdir(history)) if (name.includes('.2.')) await rm(join(history, name));
    expect(await read(dir)).toMatchObject({
      seqs: [1, 2, 3],
      integrity: { kind: 'recovered', cut: {} },
      leftOut: 2,
    });
  });
});

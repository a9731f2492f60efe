import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shardFolder } from '../../../src/drive/gather/shards.ts';
import { headerLine } from '../../../src/history/columns.ts';
import { digestFile, type FileState } from '../../../src/history/digest.ts';
import { historyFiles, writeManifest } from '../../../src/history/files.ts';
import { interactionColumns, requestColumns } from '../../../src/history/record.ts';
import { endDigest, type RunInfo, runDigest, runInfoSchema } from '../../../src/history/run.ts';

const ownMs = 1_000;

/**
 * The run in `runDir`, as if `of` shards had sent it: each request of the load and its events in the folder of the shard
 * that its `seq` falls to, all else in that of the first.
 */
export async function cutIntoShards(
  runDir: string,
  dir: string,
  of: number,
  clockErrorNs: (index: number) => number = () => 0,
): Promise<RunInfo[]> {
  const whole = runInfoSchema.parse(JSON.parse(await readFile(join(runDir, 'run.json'), 'utf8')));
  const linesOf = async (file: string): Promise<string[]> => {
    const lines = (await readFile(join(runDir, 'history', file), 'utf8')).split('\n');
    return lines.slice(0, -1);
  };
  const [requestHeader = '', ...requests] = await linesOf(historyFiles.requests);
  const [actHeader = '', ...acts] = await linesOf(historyFiles.interactions);
  const loadSeqs = new Set(requests.filter((line) => line.split(',')[1] === 'load').map(seqOf));
  const shardOf = (line: string): number => (loadSeqs.has(seqOf(line)) ? seqOf(line) % of : 0);
  const runs: RunInfo[] = [];
  for (let index = 1; index <= of; index++) {
    const isFirst = index === 1;
    const texts = {
      [historyFiles.requests]: [requestHeader, ...requests.filter((line) => shardOf(line) === index - 1)],
      [historyFiles.interactions]: [actHeader, ...acts.filter((line) => shardOf(line) === index - 1)],
      [historyFiles.answers]: isFirst ? await linesOf(historyFiles.answers) : [],
      [historyFiles.catalog]: isFirst ? await linesOf(historyFiles.catalog) : [],
      [historyFiles.events]: isFirst ? await linesOf(historyFiles.events) : [],
    };
    const { ended, ...begun } = whole;
    const run: RunInfo = {
      ...begun,
      shard: { index, of, plan: 'digest' },
      ended: {
        at_epoch_ms: (ended?.at_epoch_ms ?? 0) - ownMs * (of - index),
        how: 'completed',
        clock_error_ns: clockErrorNs(index),
      },
    };
    await writeShard(dir, run, texts);
    runs.push(run);
  }
  return runs;
}

/** Writes the folder of a shard: `run.json`, its history and the manifest. */
export async function writeShard(
  dir: string,
  run: RunInfo,
  texts: Readonly<Record<string, readonly string[]>> = emptyTexts,
): Promise<string> {
  const { index = 0, of = 0 } = run.shard ?? {};
  const folder = join(dir, shardFolder({ index, of }));
  await mkdir(join(folder, 'history'), { recursive: true });
  await writeFile(join(folder, 'run.json'), JSON.stringify(run));
  const files: Record<string, FileState> = {};
  for (const [name, lines] of Object.entries(texts)) {
    const path = join(folder, 'history', name);
    await writeFile(path, lines.map((line) => `${line}\n`).join(''));
    const state = digestFile(path);
    if (state !== undefined) files[name] = state;
  }
  await writeManifest(join(folder, 'history'), {
    complete: true,
    run: runDigest(run),
    ...(run.ended === undefined ? {} : { ended: endDigest(run.ended) }),
    files,
  });
  return folder;
}

const emptyTexts: Readonly<Record<string, readonly string[]>> = {
  [historyFiles.requests]: [headerLine(requestColumns).trimEnd()],
  [historyFiles.interactions]: [headerLine(interactionColumns).trimEnd()],
  [historyFiles.answers]: [],
  [historyFiles.catalog]: [],
  [historyFiles.events]: [],
};

function seqOf(line: string): number {
  return Number(line.slice(0, line.indexOf(',')));
}

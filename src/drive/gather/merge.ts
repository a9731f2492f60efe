import { copyFile, link, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { usageError } from '../../exit.ts';
import { headerLine } from '../../history/columns.ts';
import { digestFile, type FileState } from '../../history/digest.ts';
import {
  descriptionFile,
  fileIn,
  type HistoryFile,
  historyFiles,
  readManifest,
  writeManifest,
} from '../../history/files.ts';
import { readRunInfo } from '../../history/history.ts';
import { interactionColumns, requestColumns } from '../../history/record.ts';
import { inspectHistory } from '../../history/recover.ts';
import { endDigest, type RunInfo, runDigest } from '../../history/run.ts';
import { differenceInRun, type ShardName, shardFolder, shardWords } from './shards.ts';

type ShardState = NonNullable<RunInfo['shards']>[number];

/** A shard's folder, if there is one. */
interface Gathered {
  readonly name: ShardName;
  readonly dir: string;
  readonly run: RunInfo | undefined;
  readonly state: ShardState;
}

/**
 * Makes one run of the shards' folders in `dir`: `run.json`, and a history whose segments are theirs, byte for byte. What
 * is missing or was cut off is named in `run.json`. Throws a usage error if there is nothing to merge, if shards are not
 * of one run, or if one was changed after it was written.
 */
export async function mergeShards(dir: string): Promise<RunInfo> {
  const names = await shardsIn(dir);
  const gathered: Gathered[] = [];
  for (const name of names) gathered.push(await look(dir, name));
  const first = gathered.find(({ run }) => run !== undefined)?.run;
  if (first === undefined) throw usageError(`${dir}: no shard in it has a run.json`);
  for (const { name, run } of gathered) {
    const difference = run === undefined ? undefined : differenceInRun(run, first);
    if (difference !== undefined)
      throw usageError(`${dir}: ${shardWords(name)} is not of the same run: ${difference}`);
  }
  const { shard: _, ended: __, ...shared } = first;
  const run: RunInfo = { ...shared, shards: gathered.map(({ state }) => state), ended: endOf(gathered) };
  const history = join(dir, 'history');
  // A run that was merged before one more shard was there is merged anew.
  await rm(history, { recursive: true, force: true });
  await mkdir(history);
  const files: Record<string, FileState> = {};
  for (const shard of gathered) Object.assign(files, await addSegment(history, shard));
  const described = gathered.find(({ run: each }) => each?.openapi !== undefined);
  if (described !== undefined)
    await linkOrCopy(join(described.dir, 'history', descriptionFile), join(history, descriptionFile));
  await writeManifest(history, {
    complete: gathered.every(({ state }) => state.state === 'whole'),
    run: runDigest(run),
    ...(run.ended === undefined ? {} : { ended: endDigest(run.ended) }),
    files,
  });
  await writeFile(join(dir, 'run.json'), `${JSON.stringify(run, null, 2)}\n`);
  return run;
}

/** The shards that there should be, by the names of those that are there. */
async function shardsIn(dir: string): Promise<readonly ShardName[]> {
  const entries = await readdir(dir).catch((error: unknown) => {
    throw usageError(`${dir}: cannot be read as a folder of shards`, error);
  });
  const counts = new Set(
    entries.flatMap((entry) => {
      const [, of] = /^shard-\d+-of-(\d+)$/.exec(entry) ?? [];
      return of === undefined ? [] : [Number(of)];
    }),
  );
  const [of] = counts;
  if (of === undefined) throw usageError(`${dir}: no shards in it (no folder shard-i-of-N)`);
  if (counts.size > 1)
    throw usageError(`${dir}: shards of several runs: of ${[...counts].sort((a, b) => a - b).join(', of ')}`);
  return Array.from({ length: of }, (_, n) => ({ index: n + 1, of }));
}

async function look(dir: string, name: ShardName): Promise<Gathered> {
  const folder = join(dir, shardFolder(name));
  let run: RunInfo;
  try {
    run = await readRunInfo(folder);
  } catch (error) {
    const isThere = await readdir(folder).then(
      (entries) => entries.includes('run.json'),
      () => false,
    );
    if (isThere) throw error;
    return { name, dir: folder, run: undefined, state: { state: 'missing' } };
  }
  const { shard } = run;
  if (shard?.index !== name.index || shard.of !== name.of)
    throw usageError(
      `${folder}: expected the run of ${shardWords(name)}, found ${shard === undefined ? 'a run of no shards' : `that of ${shardWords(shard)}`}`,
    );
  const { integrity } = await inspectHistory(folder, run);
  if (integrity.kind === 'altered')
    throw usageError(`${folder}: the history was changed after the run: ${integrity.differences.join('; ')}`);
  return {
    name,
    dir: folder,
    run,
    state: {
      // Without the bounds of its clock, its instants cannot be compared with those of the others.
      state: integrity.kind === 'intact' && run.ended?.clock_error_ns !== undefined ? 'whole' : 'cut-off',
      ...(run.ended === undefined ? {} : { ended: run.ended.how }),
      ...(run.ended?.clock_error_ns === undefined ? {} : { clock_error_ns: run.ended.clock_error_ns }),
      ...(run.ended?.address === undefined ? {} : { address: run.ended.address }),
      machine: run.machine,
    },
  };
}

/** How the whole ended: as the first shard that did not complete, or else as all did. */
function endOf(gathered: readonly Gathered[]): RunInfo['ended'] {
  const at_epoch_ms = Math.max(0, ...gathered.map(({ run }) => run?.ended?.at_epoch_ms ?? 0));
  const lost = gathered.find(({ state }) => state.state !== 'whole');
  if (lost !== undefined) {
    const what = lost.state.state === 'missing' ? 'is missing' : 'has no whole record';
    return { at_epoch_ms, how: 'error', detail: `${shardWords(lost.name)} ${what}` };
  }
  const early = gathered.find(({ run }) => run?.ended?.how !== 'completed');
  if (early?.run?.ended === undefined) return { at_epoch_ms, how: 'completed' };
  const { detail, how } = early.run.ended;
  return {
    at_epoch_ms,
    how,
    detail: `${shardWords(early.name)}${detail === undefined ? '' : `: ${detail}`}`,
  };
}

const headers: Partial<Record<HistoryFile, string>> = {
  [historyFiles.requests]: headerLine(requestColumns),
  [historyFiles.interactions]: headerLine(interactionColumns),
};

/** Links a shard's files as a segment, with their states in its manifest; of a missing one, files without a record. */
async function addSegment(history: string, { dir, name, run }: Gathered): Promise<Record<string, FileState>> {
  const manifest = run === undefined ? undefined : await readManifest(join(dir, 'history'));
  const files: Record<string, FileState> = {};
  for (const file of Object.values(historyFiles)) {
    const path = join(history, fileIn(name.index - 1, file));
    const state = manifest?.files[file];
    if (state === undefined) await writeFile(path, headers[file] ?? '');
    else await linkOrCopy(join(dir, 'history', file), path);
    const written = state ?? digestFile(path);
    if (written !== undefined) files[basename(path)] = written;
  }
  return files;
}

/** A copy where there are no links between two file systems, or none at all. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    await copyFile(from, to);
  }
}

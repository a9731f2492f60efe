import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ExitCode, usageError } from '../../exit.ts';
import { mergeShards } from '../../gather/merge.ts';
import { folderOf, isBucket } from '../../gather/place.ts';
import { addColumnarCopy } from '../../history/columnar.ts';
import { segmentCount } from '../../history/files.ts';
import { reportFiles } from '../../report/write.ts';
import { type Concluding, conclude, exitFor } from './conclude.ts';
import { assertNoFile } from './write-profile.ts';

/** Makes one run of the shards in a folder or bucket, and judges it; returns the exit code. Throws usage errors. */
export async function mergeAndJudge(
  place: string,
  env: NodeJS.ProcessEnv,
  concluding: Concluding,
): Promise<ExitCode> {
  assertNoFile(concluding.profileFile);
  const dir = folderOf(place);
  const s3 = isBucket(place) ? await import('../../gather/s3-store.ts') : undefined;
  await s3?.fetchRuns(place, dir, env);
  if (!existsSync(dir))
    throw usageError(`${place}: ${s3 ? 'no shard in it has handed in its run' : 'there is no such folder'}`);
  const run = await mergeShards(dir);
  await addColumnarCopy(dir, segmentCount(run)).catch(() => undefined);
  process.stdout.write(`Merged ${run.shards?.length} shards into ${join(dir, 'run.json')}\n`);
  const judgement = await conclude(dir, concluding);
  await s3?.putFiles(place, { dir, names: ['verdicts.json', ...Object.values(reportFiles)] }, env);
  return exitFor(judgement);
}

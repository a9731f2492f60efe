import { join } from 'node:path';
import type { ExitCode } from '../exit.ts';
import { mergeShards } from '../gather/merge.ts';
import { addColumnarCopy } from '../history/columnar.ts';
import { segmentCount } from '../history/files.ts';
import { type Concluding, conclude, exitFor } from './conclude.ts';
import { assertNoFile } from './write-profile.ts';

/** Makes one run of the shards in a folder, and judges it; returns the exit code. Throws usage errors. */
export async function mergeAndJudge(dir: string, concluding: Concluding): Promise<ExitCode> {
  assertNoFile(concluding.profileFile);
  const run = await mergeShards(dir);
  await addColumnarCopy(dir, segmentCount(run)).catch(() => undefined);
  process.stdout.write(`Merged ${run.shards?.length} shards into ${join(dir, 'run.json')}\n`);
  return exitFor(await conclude(dir, concluding));
}

import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { History } from '../history/history.ts';
import { programFile } from '../program-files.ts';
import type { CheckFinding } from './core/verdict.ts';

/**
 * What `checkRateLimit` finds in a long history, computed by a thread: half of the work for a million requests is that
 * group's, in JavaScript, while the others wait for the database. Undefined where it is not worth a thread, or where that
 * failed.
 */
export async function judgedBeside({ run, shared }: History): Promise<readonly CheckFinding[] | undefined> {
  if (shared === undefined || availableParallelism() < 2 || !run.checks.includes('rate-limit'))
    return undefined;
  const thread = new Worker(programFile('checks/rate-limit-worker'), { workerData: shared });
  try {
    const [findings] = (await once(thread, 'message')) as [readonly CheckFinding[]];
    return findings;
  } catch {
    return undefined;
  } finally {
    await thread.terminate();
  }
}

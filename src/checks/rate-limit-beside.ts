import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { History } from '../history/history.ts';
import { programFile } from '../program-files.ts';
import type { CheckFinding } from './core/verdict.ts';

type Findings = readonly CheckFinding[] | undefined;

/**
 * What `checkRateLimit` finds in a long history, computed by a thread: much of the work for a million requests is that
 * group's, in JavaScript, while the others wait for the database. Undefined where it is not worth a thread, or where that
 * failed. The thread ends by itself: to stop it while it asks the database would end the process.
 */
export function judgedBeside({ run, shared }: History): Promise<Findings> {
  if (shared === undefined || availableParallelism() < 2 || !run.checks.includes('rate-limit'))
    return Promise.resolve(undefined);
  return new Promise((resolve) => {
    new Worker(programFile('checks/rate-limit-worker'), { workerData: shared })
      .once('message', (findings: Findings) => resolve(findings))
      .once('error', () => resolve(undefined))
      .once('exit', () => resolve(undefined));
  });
}

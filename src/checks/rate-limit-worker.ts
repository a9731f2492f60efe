import { parentPort, workerData } from 'node:worker_threads';
import { type History, openShared } from '../history/history.ts';
import type { CheckFinding } from './core/verdict.ts';
import { checkRateLimit } from './rate-limit.ts';

/** A thread that judges the rate limit of a long run: it gets the folder. No findings if that failed. */
let history: History | undefined;
let findings: readonly CheckFinding[] | undefined;
try {
  history = await openShared(workerData as string);
  findings = await checkRateLimit(history);
} catch {
  // The main thread tries it again, and says why it fails.
}
// The database has to be closed before the thread ends.
history?.close();
parentPort?.postMessage(findings);

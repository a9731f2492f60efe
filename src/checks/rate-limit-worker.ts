import { parentPort, workerData } from 'node:worker_threads';
import { openShared } from '../history/history.ts';
import { checkRateLimit } from './rate-limit.ts';

/** A thread that judges the rate limit of a long run: it gets the folder. */
const history = await openShared(workerData as string);
parentPort?.postMessage(await checkRateLimit(history));
history.close();

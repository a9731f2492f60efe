import { parentPort, workerData } from 'node:worker_threads';
import { judgeRateLimit, type RateLimitFacts } from './rate-limit.ts';

/** A thread that judges the rate limit of a long run. It has no database: one that asks ends the process when it is stopped. */
parentPort?.postMessage(judgeRateLimit(workerData as RateLimitFacts));

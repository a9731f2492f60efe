import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { History } from '../history/history.ts';
import { programFile } from '../program-files.ts';
import type { CheckFinding } from './core/verdict.ts';
import { checkRateLimit, type RateLimitFacts, rateLimitFacts } from './rate-limit.ts';

type RateLimitCheck = (history: History) => Promise<readonly CheckFinding[]>;

/**
 * The check of the rate limit. Of a long history a thread has begun with it: it is a quarter of the work for a million
 * requests, all in JavaScript, while the other checks wait for the database.
 */
export async function begunRateLimit(history: History): Promise<RateLimitCheck> {
  if (history.isLong !== true || availableParallelism() < 2 || !history.run.checks.includes('rate-limit'))
    return checkRateLimit;
  try {
    const findings = inThread(await rateLimitFacts(history)).catch(() => undefined);
    return async () => (await findings) ?? checkRateLimit(history);
  } catch {
    // It fails again where the reason is said.
    return checkRateLimit;
  }
}

/** Undefined where that failed. What is given to the thread cannot be read here any more. */
function inThread(facts: RateLimitFacts): Promise<readonly CheckFinding[] | undefined> {
  const { sent } = facts;
  const columns = [sent.seq, sent.sentNs, sent.answeredNs, sent.status, sent.serverDateMs];
  const words = [
    sent.credential,
    sent.chargedTo,
    sent.endpoint,
    sent.probe,
    sent.retryAfter,
    sent.limitHeaders,
  ];
  const given = new Set(
    [...columns, ...words.map(({ code }) => code)].map(({ buffer }) => buffer as ArrayBuffer),
  );
  return new Promise((resolve) => {
    new Worker(programFile('checks/rate-limit-worker'), { workerData: facts, transferList: [...given] })
      .once('message', (findings: readonly CheckFinding[]) => resolve(findings))
      .once('error', () => resolve(undefined))
      .once('exit', () => resolve(undefined));
  });
}

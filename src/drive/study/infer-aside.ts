import { Worker } from 'node:worker_threads';
import type { InferenceHints } from '../../limits/infer.ts';
import type { LimiterInference } from '../../limits/inference.ts';
import type { Trace } from '../../limits/trace.ts';
import type { InferenceTask } from './inference-worker.ts';

/**
 * Infers in a separate thread: it takes seconds, in which answers would go unread and the display would stop.
 */
export type Infer = (traces: readonly Trace[], hints: InferenceHints) => Promise<LimiterInference>;

/** The worker's file has the ending of this one: `.ts` in a clone, `.js` when compiled. */
const worker = new URL(
  `./inference-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
);

export const inferAside: Infer = (traces, hints) =>
  new Promise((resolve, reject) => {
    const task: InferenceTask = { traces, hints };
    new Worker(worker, { workerData: task })
      .once('message', (inference: LimiterInference) => resolve(inference))
      .once('error', reject)
      .once('exit', (code) => reject(new Error(`the inference ended without a result (exit ${code})`)));
  });

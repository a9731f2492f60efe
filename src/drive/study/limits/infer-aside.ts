import { Worker } from 'node:worker_threads';
import type { InferenceHints } from '../../../limits/infer.ts';
import type { LimiterInference } from '../../../limits/inference.ts';
import type { Trace } from '../../../limits/trace.ts';
import { programFile } from '../../../program-files.ts';
import type { InferenceTask } from './inference-worker.ts';

/**
 * Infers in a separate thread: it takes seconds, in which answers would go unread and the display would stop.
 */
export type Infer = (traces: readonly Trace[], hints: InferenceHints) => Promise<LimiterInference>;

export const inferAside: Infer = (traces, hints) =>
  new Promise((resolve, reject) => {
    const task: InferenceTask = { traces, hints };
    new Worker(programFile('drive/study/limits/inference-worker'), { workerData: task })
      .once('message', (inference: LimiterInference) => resolve(inference))
      .once('error', reject)
      .once('exit', (code) => reject(new Error(`the inference ended without a result (exit ${code})`)));
  });

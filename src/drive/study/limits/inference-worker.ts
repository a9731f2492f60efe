import { parentPort, workerData } from 'node:worker_threads';
import { type InferenceHints, inferLimiter } from '../../../limits/infer.ts';
import type { Trace } from '../../../limits/trace.ts';

/** The input of `inferAside`. */
export interface InferenceTask {
  readonly traces: readonly Trace[];
  readonly hints: InferenceHints;
}

const { traces, hints } = workerData as InferenceTask;
parentPort?.postMessage(inferLimiter(traces, hints));

import type { Algorithm, PromisedLimit } from './kinds/kind.ts';
import { promisable } from './kinds/table.ts';
import type { Trace } from './trace.ts';
import { viewOf } from './view.ts';

/**
 * For each request, 1 if some honest limiter of the promised limit could have rejected it. Each kind gets the reading
 * that is easiest on the target: rejected requests count, the phase with the highest load, every uncertain request
 * came before. 0 means a wrong rejection, for every limiter.
 */
export function refusalsPermitted(trace: Trace, promised: PromisedLimit, algorithm?: Algorithm): Uint8Array {
  const view = viewOf(trace);
  // Kinds of one family share the easiest reading.
  const readings = new Set(promisable(algorithm).flatMap(({ mayRefuse }) => mayRefuse ?? []));
  const permitting = Array.from(readings, (mayRefuse) => mayRefuse(view, promised));
  return Uint8Array.from(trace.outcome, (_, i) => (permitting.some((permits) => permits(i)) ? 1 : 0));
}

import type { Trace } from './trace.ts';
import { viewOf } from './view.ts';

/**
 * Whether rejections extend the window: nothing was admitted within a window after any rejection, and something was
 * admitted later. No honest limiter does that: under steady load it never admits anything again.
 */
export function isExtendedByRefusals(trace: Trace, { windowNs }: { readonly windowNs: number }): boolean {
  const { admitted, refusals } = viewOf(trace);
  const waitedNs = Array.from(
    admitted.index,
    (i, at) => (admitted.answeredNs[at] as number) - (refusals.surelyBeforeNs[i] as number),
  ).filter(Number.isFinite);
  return waitedNs.length > 0 && waitedNs.every((ns) => ns >= windowNs);
}

import { admitted, limited, type Trace } from './trace.ts';

/**
 * Whether rejections extend the window: nothing was admitted within a window after any rejection, and something was
 * admitted later. No honest limiter does that: under steady load it never admits anything again.
 */
export function isExtendedByRefusals(
  { answeredNs, outcome, sentNs }: Trace,
  { windowNs }: { readonly windowNs: number },
): boolean {
  const refusals = indexesOf(outcome, limited).toSorted(
    (a, b) => (answeredNs[a] as number) - (answeredNs[b] as number),
  );
  let next = 0;
  let barredFromNs = Number.NEGATIVE_INFINITY;
  let isLetIn = false;
  for (const i of indexesOf(outcome, admitted)) {
    for (; next < refusals.length; next++) {
      const refusal = refusals[next] as number;
      if ((answeredNs[refusal] as number) > (sentNs[i] as number)) break;
      barredFromNs = Math.max(barredFromNs, sentNs[refusal] as number);
    }
    if (barredFromNs === Number.NEGATIVE_INFINITY) continue;
    if ((answeredNs[i] as number) - barredFromNs < windowNs) return false;
    isLetIn = true;
  }
  return isLetIn;
}

function indexesOf(outcome: Trace['outcome'], wanted: number): number[] {
  return Array.from(outcome.keys()).filter((i) => outcome[i] === wanted);
}

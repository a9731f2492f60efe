import { searchBoxes } from './box-search.ts';
import type { PromisedLimit } from './fit.ts';
import { hypotheses } from './hypotheses.ts';
import { exactly } from './span.ts';
import type { Trace } from './trace.ts';
import { viewOf } from './view.ts';

/**
 * Whether a window of the promised limit and length explains every answer if each refusal begins it anew. That is no honest
 * limiter: under steady load it never admits anything again.
 */
export function isExtendedByRefusals(trace: Trace, { requests, windowNs }: PromisedLimit): boolean {
  const view = viewOf(trace);
  return hypotheses
    .filter(({ mechanism }) => mechanism.kind === 'opened' && mechanism.lastsFrom === 'last-refusal')
    .some((hypothesis) =>
      searchBoxes([view], hypothesis, exactly(windowNs), { clockTickNs: 0 }).cells.some(({ range }) =>
        range.includes(requests),
      ),
    );
}

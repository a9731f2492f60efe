import { searchBoxes } from './box-search.ts';
import type { PromisedLimit } from './fit.ts';
import { type Hypothesis, hypotheses, secondNs } from './hypotheses.ts';
import { exactly } from './span.ts';
import type { Trace } from './trace.ts';
import { type View, viewOf } from './view.ts';

/** Clocks that tick once a second, against a window of a minute: this part of the window. */
const coarseClockPart = 1 / 60;

/**
 * A limiter of exactly the promised limit and window that explains every answer, of a kind that was not promised.
 */
export interface Likeness {
  readonly hypothesis: Hypothesis;
  /** For sentences: "looks like a ⟨name⟩". */
  readonly name: string;
}

/**
 * Looks for a limiter beyond the candidates of `fitLimiters` that keeps to the promised limit and explains the trace.
 * Kinds: an interval refill, a bucket with one extra admission when idle (nginx), a counter with a block cache or a
 * coarse clock, a window of a second, a block of a window. Only if there is none does a trace prove a broken promise.
 * A window extended by rejections is excluded: under steady load it never admits anything again.
 */
export function honestLikeness(trace: Trace, promised: PromisedLimit): Likeness | undefined {
  const view = viewOf(trace);
  for (const hypothesis of hypotheses) {
    const name = likeName(view, hypothesis, promised);
    if (name !== undefined) return { hypothesis, name };
  }
  return undefined;
}

function likeName(
  view: View,
  hypothesis: Hypothesis,
  { requests, windowNs }: PromisedLimit,
): string | undefined {
  const { mechanism, name } = hypothesis;
  switch (mechanism.kind) {
    case 'bucket':
      return [hypothesis, ...(hypothesis.coarser ?? [])].some((each) =>
        fits(view, each, { scaleNs: windowNs / requests, limits: [requests + 1] }),
      )
        ? `${name} that admits one more when idle`
        : undefined;
    case 'lumps':
      return fits(view, hypothesis, { scaleNs: windowNs / requests, limits: [requests, requests + 1] })
        ? name
        : undefined;
    case 'opened':
      // A block longer than a window rejects what the promise admits.
      return mechanism.lastsFrom === 'first-refusal' &&
        view.block.loNs <= windowNs &&
        fits(view, hypothesis, { scaleNs: windowNs, limits: [requests] })
        ? name
        : undefined;
    case 'grid': {
      const perSecond = (requests * secondNs) / windowNs;
      const inASecond = [Math.floor(perSecond), Math.ceil(perSecond)];
      return windowNs > secondNs && fits(view, hypothesis, { scaleNs: secondNs, limits: inASecond })
        ? `${name} of a second`
        : undefined;
    }
    case 'counter': {
      const promised = { scaleNs: windowNs, limits: [requests] };
      if (mechanism.blocks && fits(view, hypothesis, promised)) return name;
      const isCoarse = fits(view, hypothesis, promised, windowNs * coarseClockPart);
      return isCoarse ? `${name}, by a coarse clock` : undefined;
    }
    case 'first-grid':
    case 'opened-counter':
    case 'log':
      return undefined;
  }
}

/** Whether the hypothesis explains everything at this length of its windows (or intervals) and one of these limits. */
function fits(
  view: View,
  hypothesis: Hypothesis,
  { limits, scaleNs }: { readonly scaleNs: number; readonly limits: readonly number[] },
  clockTickNs = 0,
): boolean {
  const { cells } = searchBoxes([view], hypothesis, exactly(scaleNs), { clockTickNs });
  return cells.some(({ range }) => limits.some((limit) => range.includes(limit)));
}

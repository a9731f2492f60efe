import { fitLimiters } from './fit.ts';
import { fixedWindow, fixedWindowFirstRequest } from './kinds/fixed-window.ts';
import type { LoadBounds, PromisedLimit } from './kinds/kind.ts';
import { slidingLog } from './kinds/log.ts';
import { exactly } from './span.ts';
import { admitted, countOutcome, limited, type Trace } from './trace.ts';
import { viewOf } from './view.ts';

/** Places where windows may begin that are tried, in a window. */
const phases = 60;
/** A limit found only to within this part of the promised one, either way, is not confirmed. */
const vagueness = 0.1;

/** What limiters that count in one window, wherever it begins, may have counted when each request came. */
export function* loadsOf(
  traces: readonly Trace[],
  { windowNs }: PromisedLimit,
): Generator<readonly LoadBounds[]> {
  const views = traces.map((trace) => viewOf(trace));
  const scale = exactly(windowNs);
  const stepNs = windowNs / phases;
  const grid = Array.from({ length: phases }, (_, k) => ({ loNs: k * stepNs, hiNs: (k + 1) * stepNs }));
  for (const [kind, boundaries] of [
    [slidingLog, [undefined]],
    [fixedWindowFirstRequest, [undefined]],
    [fixedWindow, grid],
  ] as const)
    for (const boundary of boundaries) yield views.map((view) => kind.loads(view, { scale, boundary }));
}

/** How well a limiter of exactly the promised limit explains answers that decides by its count alone. */
interface ByCount {
  /** Answers that it would not have given. */
  readonly wrong: number;
  /** All others leave no limit far from the promised one. */
  readonly isKnown: boolean;
}

/**
 * Of the limiters that admit below the promised limit, and reject from it on, the one that gets least wrong. How many it then
 * admits in a window is another matter: a request may count twice, or late.
 */
function deciderByCount(traces: readonly Trace[], promised: PromisedLimit): ByCount {
  const { requests } = promised;
  let best: ByCount = { wrong: Number.POSITIVE_INFINITY, isKnown: false };
  for (const loads of loadsOf(traces, promised)) {
    let [wrong, above, upTo] = [0, 0, Number.POSITIVE_INFINITY];
    for (const [at, { length, outcome }] of traces.entries()) {
      const { least, most } = loads[at] as LoadBounds;
      for (let i = 0; i < length; i++) {
        const isAdmitted = outcome[i] === admitted;
        if (!isAdmitted && outcome[i] !== limited) continue;
        const load = isAdmitted ? Math.ceil(least[i] as number) : Math.ceil(most[i] as number);
        if (load < requests !== isAdmitted) wrong++;
        else if (isAdmitted) above = Math.max(above, load);
        else upTo = Math.min(upTo, load);
      }
    }
    const isKnown = upTo - above <= 2 * Math.max(2, vagueness * requests);
    if (wrong < best.wrong) best = { wrong, isKnown };
    if (wrong === 0) break;
  }
  return best;
}

/** Of the answers, another way to count may get this part wrong, and this part of what counting each once gets wrong: requests at the same time come in an unknown order. */
const mostWrong = { ofAll: 0.005, ofOnce: 0.1 };

/** How well a limiter of the promised limit explains the traces of its `counters`, where it does not explain those of its keys. */
export function explainedByCounters(
  counters: readonly Trace[],
  keys: readonly Trace[],
  promised: PromisedLimit,
): 'exactly' | 'nearly' | undefined {
  const answers = counters.reduce(
    (sum, trace) => sum + countOutcome(trace, admitted) + countOutcome(trace, limited),
    0,
  );
  const { isKnown, wrong } = deciderByCount(counters, promised);
  if (!isKnown || wrong > mostWrong.ofAll * answers) return undefined;
  if (wrong === 0) {
    const fits = counters.map((trace) => fitLimiters(trace, promised).candidates);
    if (fits[0]?.some((_, at) => fits.every((each) => each[at]?.fitsPromise === true)) === true)
      return 'exactly';
  }
  return wrong < mostWrong.ofOnce * deciderByCount(keys, promised).wrong ? 'nearly' : undefined;
}

import { alignedCells } from './aligned.ts';
import { type Arrivals, arrivalsOf } from './arrivals.ts';
import { type Cell, searchBoxes, timeCovered } from './box-search.ts';
import { type Hypothesis, hypotheses } from './hypotheses.ts';
import type { LimiterInference, Refuted } from './inference.ts';
import { outsiders } from './outsiders.ts';
import { type Contender, isPlausible, withConfidence } from './ranking.ts';
import { refutationOf } from './refutation.ts';
import { settle } from './settle.ts';
import type { Span } from './span.ts';
import { survivorOf } from './survivor.ts';
import { admitted, countOutcome, limited, type Trace } from './trace.ts';
import { type View, viewsOf } from './view.ts';

/** What is known beside the traces. Nothing of it is believed, only tried. */
export interface InferenceHints {
  /** What the target's clock showed at zero of the traces' clock, nanoseconds since 1970. */
  readonly clockOffset?: Span | undefined;
  /** Lengths of windows that headers or documents speak of, milliseconds. */
  readonly windowsMs?: readonly number[];
}

/** Windows shorter than this are not looked for. */
const shortestWindowNs = 0.2e9;
/** Nor so many of them in one trace. */
const mostWindows = 2_500;

/**
 * Infers kind, limit and window of a limiter from the traces of one or several keys, which share the limiter but each
 * have a count of their own. Pure; plain data comes out.
 */
export function inferLimiter(traces: readonly Trace[], hints: InferenceHints = {}): LimiterInference {
  const told = traces.filter((trace) => trace.length > 0);
  const views = viewsOf(told);
  const arrivals = told.map(arrivalsOf);
  const survivors: Contender[] = [];
  const refuted: Refuted[] = [];
  const total = (outcome: typeof admitted | typeof limited): number =>
    told.reduce((sum, trace) => sum + countOutcome(trace, outcome), 0);
  if (total(limited) > 0) {
    for (const hypothesis of hypotheses) {
      const search = searchBoxes(views, hypothesis, scalesOf(views, hypothesis, hints));
      if (search.cells.length === 0) refuted.push(refutationOf(views, hypothesis, search));
      else survivors.push(fitOf(views, arrivals, hypothesis, search.cells, hints));
    }
  }
  const requests = told.reduce((sum, trace) => sum + trace.length, 0);
  const outside = outsiders(
    views,
    survivors.some((each) => isPlausible(each.mismatches, requests)),
    windowsOf(views, hints),
  );
  return {
    requests,
    admitted: total(admitted),
    limited: total(limited),
    survivors: withConfidence([...survivors, ...outside.survivors], requests),
    refuted: [...refuted, ...outside.refuted],
  };
}

/** Settles a hypothesis that a search left standing; windows that begin by the clock where that is possible. */
function fitOf(
  views: readonly View[],
  arrivals: readonly Arrivals[],
  hypothesis: Hypothesis,
  cells: readonly Cell[],
  { clockOffset }: InferenceHints,
): Contender {
  const canAlign = hypothesis.mechanism.kind === 'grid' || hypothesis.mechanism.kind === 'counter';
  const aligned =
    canAlign && clockOffset !== undefined ? alignedCells(views, hypothesis, cells, clockOffset) : [];
  const chosen = aligned.length > 0 ? aligned : cells;
  return survivorOf(hypothesis, chosen, settle(arrivals, hypothesis, chosen), aligned.length > 0);
}

/** What the first dimension of a search covers. */
function scalesOf(views: readonly View[], { mechanism }: Hypothesis, hints: InferenceHints): Span {
  if (mechanism.kind !== 'bucket' && mechanism.kind !== 'lumps') return windowsOf(views, hints);
  const requests = views.reduce((sum, { trace }) => sum + trace.length, 0);
  const lengthNs = lengthOf(views);
  return { loNs: lengthNs / requests / 20, hiNs: lengthNs };
}

function windowsOf(views: readonly View[], { windowsMs = [] }: InferenceHints): Span {
  const lengthNs = lengthOf(views);
  return {
    loNs: Math.max(shortestWindowNs, lengthNs / mostWindows),
    hiNs: Math.max(lengthNs, ...windowsMs.map((ms) => ms * 1e6)) * 1.01,
  };
}

/** At least a second, so that ratios make sense. Nanoseconds. */
function lengthOf(views: readonly View[]): number {
  const { loNs, hiNs } = timeCovered(views);
  return Math.max(1e9, hiNs - loNs);
}

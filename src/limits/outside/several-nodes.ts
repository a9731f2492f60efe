import { type Random, randomStream } from '../../random.ts';
import { arrivalsOf } from '../arrivals.ts';
import type { Estimate, OpenBounds, Outsider, Refuted } from '../inference.ts';
import type { Settled } from '../kinds/kind.ts';
import { kindOf, kinds } from '../kinds/table.ts';
import { fittedTo } from '../settle.ts';
import type { Span } from '../span.ts';
import { admitted, isDecided, limited, type RequestOutcome, type Trace, traceWhere } from '../trace.ts';
import { type View, viewsOf } from '../view.ts';

export const severalNodes: Outsider = {
  id: 'several-nodes',
  name: 'several nodes, each with a counter',
  explain: ({ isOneCounter, refusal, views, windows }) => {
    if (refusal === undefined) return undefined;
    if (isOneCounter) return { because: 'One counter explains every answer.', evidence: [] };
    // Rejections between admissions, often.
    if (!views.some(({ trace }) => changesIn(trace.outcome) >= 10))
      return { because: 'Admissions and rejections do not mix.', evidence: [] };
    const because = 'No windows explain the times when all nodes were full.';
    return asOneCounter(views, windows) ?? { because, evidence: [] };
  },
};

/** Widest that the limit of several nodes together may be left, as a part of itself: almost any trace fits a vague one. */
const vagueness = 0.05;

function isNarrow(bounds: OpenBounds | null): boolean {
  return bounds?.max !== undefined && bounds.max - bounds.min <= 2 + vagueness * bounds.max;
}

/** The windows of several nodes taken together: only answers from when all were full are compared with them. */
function asOneCounter(
  views: readonly View[],
  windows: Span,
): Estimate | Omit<Refuted, 'algorithm'> | undefined {
  const unmixed = viewsOf(views.map(({ trace }) => unmix(trace)));
  const found = kinds
    .filter(({ addsUp }) => addsUp)
    .flatMap((kind) => fittedTo(unmixed, kind, windows) ?? [])
    .toSorted((a, b) => a.mismatches - b.mismatches);
  const best = found.find(({ limitBounds }) => isNarrow(limitBounds));
  if (best === undefined) return undefined;
  const { settled, algorithm: _algorithm, ...rest } = best;
  const traces = views.map(({ trace }) => trace);
  if (settled === undefined || !mixesLikeNodes(traces, settled))
    return { because: 'Equal nodes mix admissions and rejections more, or less.', evidence: [] };
  const name = `several nodes, together like a ${best.name}`;
  const left = traces.reduce((sum, { length }) => sum + length, 0);
  const kept = unmixed.reduce((sum, { trace }) => sum + trace.length, 0);
  // Of what nodes mix at random, half is predicted wrong.
  const mismatches = best.mismatches + Math.round((left - kept) / 2);
  return { ...rest, name, mismatches, degreesOfFreedom: best.degreesOfFreedom + 1 };
}

/**
 * After this many rejections in a row every node counts as full: among eight, a node with room would have been met.
 */
const allFullAfter = 40;

/**
 * Several nodes with separate counters behind a balancer: once the first is full, rejections and admissions mix until
 * the last is. Without the mixed rejections, the rest looks like one limiter with the sum of the limits.
 */
function unmix(trace: Trace): Trace {
  let inARow = 0;
  const isKept = Uint8Array.from(trace.outcome, (outcome) => {
    if (outcome === limited) inARow++;
    else if (isDecided(outcome)) inARow = 0;
    return outcome === limited && inARow <= allFullAfter ? 0 : 1;
  });
  return traceWhere(trace, (i) => isKept[i] === 1);
}

/** Numbers of nodes that are tried, each with its part of the limit. */
const mostNodes = 8;
/** Times that each is simulated, and by how much of what they differ the truth may differ still. */
const simulated = { times: 24, beyond: 0.5 };

/** How often an admission follows a rejection. */
function changesIn(outcomes: Iterable<number>): number {
  let changes = 0;
  let last: number | undefined;
  for (const outcome of outcomes) {
    if (!isDecided(outcome)) continue;
    if (last === limited && outcome === admitted) changes++;
    last = outcome;
  }
  return changes;
}

/**
 * Whether some number of equal nodes, which share the limit and get requests at random, mix admissions and rejections as
 * much as the answers do. Two limits, or one that requests spend unequally, mix them more or less.
 */
function mixesLikeNodes(traces: readonly Trace[], together: Settled): boolean {
  const arrivals = traces.map(arrivalsOf);
  const seen = arrivals.reduce((sum, { outcome }) => sum + changesIn(outcome), 0);
  const random = randomStream(1, 'nodes');
  for (let nodes = 2; nodes <= mostNodes; nodes++) {
    const each = { ...together, limit: Math.max(1, Math.round(together.limit / nodes)) };
    const counts = Array.from({ length: simulated.times }, () =>
      arrivals.reduce((sum, { atNs }) => sum + changesIn(outcomesOf(atNs, each, nodes, random)), 0),
    );
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    const beyond = simulated.beyond * (most - least) + 2;
    if (least - beyond <= seen && seen <= most + beyond) return true;
  }
  return false;
}

function* outcomesOf(
  atNs: Float64Array,
  each: Settled,
  nodes: number,
  random: Random,
): Generator<RequestOutcome> {
  const limiters = Array.from({ length: nodes }, () => kindOf(each).decide(each));
  for (const ns of atNs) yield limiters[Math.floor(random() * nodes)]?.(ns) === true ? admitted : limited;
}

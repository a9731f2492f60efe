import { type Random, randomStream } from '../../random.ts';
import { arrivalsOf } from '../arrivals.ts';
import type { Settled } from '../kinds/kind.ts';
import { kindOf } from '../kinds/table.ts';
import { admitted, isDecided, limited, type RequestOutcome, type Trace } from '../trace.ts';

/** Numbers of nodes that are tried, each with its part of the limit. */
const mostNodes = 8;
/** Times that each is simulated, and by how much of what they differ the truth may differ still. */
const simulated = { times: 24, beyond: 0.5 };

/** How often an admission follows a rejection. */
export function changesIn(outcomes: Iterable<number>): number {
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
export function mixesLikeNodes(traces: readonly Trace[], together: Settled): boolean {
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

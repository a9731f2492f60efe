import { describe, expect, it } from 'vitest';
import { arrivalsOf, loadBounds, standIn } from '../../src/limits/arrivals.ts';
import { fixedWindow } from '../../src/limits/kinds/fixed-window.ts';
import { keyOf, type LimiterKind, type Settled, scaleNsOf } from '../../src/limits/kinds/kind.ts';
import { slidingLog } from '../../src/limits/kinds/log.ts';
import { deciderOf } from '../../src/limits/kinds/table.ts';
import { admitted, limited, type Trace } from '../../src/limits/trace.ts';
import { viewOf } from '../../src/limits/view.ts';
import { randomStream } from '../../src/random.ts';
import { traceOf } from './trace-of.ts';

const s = 1e9;
const limit = 10;
const windowNs = 2 * s;

function settledOf(kind: LimiterKind, boundaryNs: number): Settled {
  return { kind: keyOf(kind), limit, scaleNs: scaleNsOf(kind, limit, windowNs), boundaryNs };
}

/** What a limiter answers to requests that take `tripNs` there and as long back, at most, and may overtake each other. */
function answered(settled: Settled, seed: number, tripNs: number): Trace {
  const random = randomStream(seed, 'load');
  let sentNs = 0;
  const requests = Array.from({ length: 300 }, (_, k) => {
    sentNs += random() < 0.03 ? random() * 2.5 * windowNs : (random() * 0.4 * windowNs) / limit;
    const arrivesNs = sentNs + random() * tripNs;
    return { seq: k + 1, sentNs, arrivesNs, answeredNs: arrivesNs + random() * tripNs };
  });
  const decide = deciderOf(settled);
  const passed = new Map(
    requests
      .toSorted((a, b) => a.arrivesNs - b.arrivesNs)
      .map(({ seq, arrivesNs }) => [seq, decide(arrivesNs)]),
  );
  return traceOf(requests.map((each) => ({ ...each, outcome: passed.get(each.seq) ? admitted : limited })));
}

/** Answers that the limiter cannot have given. */
function impossible(trace: Trace, least: ArrayLike<number>, most: ArrayLike<number>): number[] {
  return Array.from(trace.outcome, (outcome, i) =>
    outcome === admitted ? (least[i] as number) >= limit : (most[i] as number) <= limit - 1,
  ).flatMap((isWrong, i) => (isWrong ? [i] : []));
}

describe('the load of a limiter', () => {
  it('shows a sliding window what a fixed one let through', () => {
    const grid = settledOf(fixedWindow, 0);
    const trace = answered(grid, 3, 2e6);
    const { least, most } = loadBounds(viewOf(trace), settledOf(slidingLog, 0));
    expect(impossible(trace, least, most).length).toBeGreaterThan(5);
  });
});

describe('a stand-in', () => {
  it('of windows on a grid has the phase at which it errs least', () => {
    const grid = settledOf(fixedWindow, 0.7 * s);
    const trace = answered(grid, 5, 0);
    const { settled, mismatches } = standIn([[arrivalsOf(trace)]], fixedWindow, { limit, windowNs });
    expect(Math.abs(settled.boundaryNs - 0.7 * s)).toBeLessThan(windowNs / 48);
    expect(mismatches).toBeLessThan(trace.length / 50);
  });
});

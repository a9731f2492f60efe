import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inferLimiter } from '../../../src/limits/infer.ts';
import { isSettled } from '../../../src/limits/inference.ts';
import type { Trace } from '../../../src/limits/trace.ts';
import { rowsOf } from '../../effort.ts';
import { traceOf } from '../trace-of.ts';

const promised = { requests: 40, windowNs: 2e9 };

type Row = readonly [sentUs: number, tripUs: number, outcome: 0 | 1 | 2];

function frozen<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as Shape;
}

function traceIn(rows: readonly Row[]): Trace {
  return traceOf(
    rows.map(([sentUs, tripUs, outcome], at) => ({
      seq: at + 1,
      sentNs: sentUs * 1e3,
      answeredNs: (sentUs + tripUs) * 1e3,
      outcome,
    })),
  );
}

/**
 * Studies of express-rate-limit twice, for 10 per 400 ms and 40 per 2 s, on two cores that three other processes kept busy:
 * some dozens of requests were on their way at once. By probe: microseconds of each request's start, its round trip, and the
 * outcome's number.
 */
const studies = frozen<Readonly<Record<string, readonly Row[]>>>('starved-express.json');

describe('two limits in turn, studied on a starved machine', () => {
  it.each(Object.entries(studies))('%s', (_, rows) => {
    const [best] = inferLimiter([traceIn(rows)], { promised }).survivors;
    expect(best).toMatchObject({ algorithm: 'two-limits', limit: 40, burst: 10 });
    expect(Math.abs((best?.windowMs ?? 0) / 2_000 - 1)).toBeLessThan(0.05);
    expect(Math.abs((best?.beside?.windowMs ?? 0) / 400 - 1)).toBeLessThan(0.05);
  });
});

/** A study (probes E B F G) of HAProxy with two tables, 10 per 400 ms and 40 per 2 s, by key; half of the round trips took 0.4 ms. */
const twoTables = frozen<readonly (readonly Row[])[]>('two-tables.json');

describe('two sliding counters, no kind of which is known', () => {
  const traces = twoTables.map(traceIn);

  it('are not named as the smaller one: the larger one rejects what that would admit', () => {
    const inference = inferLimiter(traces, { promised });
    expect(inference.limited).toBeGreaterThan(300);
    expect(inference.survivors).toEqual([]);
    const because = inference.refuted.find(({ algorithm }) => algorithm === 'sliding-counter-first-request');
    expect(because?.evidence.length).toBeGreaterThan(0);
  });
});

/**
 * Studies of the same two limits at loads of 6 to 11, by key: 3.6 to 10.5 other requests were on their way during each. One counter
 * comes nearest there in some, and gets an eighth of the answers wrong.
 */
const moreStarved = frozen<Readonly<Record<string, readonly (readonly Row[])[]>>>('starved-more.json');
type Found = 'two-limits' | 'undecided';

describe('two limits, studied where many answers tell little', () => {
  it.each(
    rowsOf<{ study: string; found: Found }>(
      [
        { study: 'study 10', found: 'undecided' },
        { study: 'study 11', found: 'two-limits' },
        { study: 'study 1020', found: 'two-limits' },
        { study: 'study 2011', found: 'undecided' },
        { study: 'study 1080', found: 'two-limits' },
      ],
      ({ study }) => / (10|11|2011)$/.test(study),
    ),
  )('$study is $found', ({ study, found }) => {
    const inference = inferLimiter(moreStarved[study]?.map(traceIn) ?? [], { promised });
    expect(inference.limited).toBeGreaterThan(180);
    const [best] = inference.survivors;
    expect(isSettled(inference) ? best?.algorithm : 'undecided').toBe(found);
    if (found === 'undecided') return;
    expect(best).toMatchObject({ limit: 40, burst: 10 });
    expect(Math.abs((best?.windowMs ?? 0) / 2_000 - 1)).toBeLessThan(0.06);
    expect(Math.abs((best?.beside?.windowMs ?? 0) / 400 - 1)).toBeLessThan(0.06);
  });
});

/**
 * Studies of nginx (25 per s, burst 39, no delay) by a program that stood still for 0.7 to 2.8 s, by key: it read many answers late,
 * as if they had waited in a queue.
 */
const starvedBucket = frozen<Readonly<Record<string, readonly (readonly Row[])[]>>>('starved-bucket.json');

describe('a bucket whose answers were read late is no queue, since many were answered faster than a queue lets them', () => {
  it.each(Object.entries(starvedBucket))('%s', (_, keys) => {
    const { survivors } = inferLimiter(keys.map(traceIn));
    expect(survivors[0]).toMatchObject({ algorithm: 'token-bucket', limit: 40 });
    expect(Math.abs((survivors[0]?.refillPerS ?? 0) / 25 - 1)).toBeLessThan(0.02);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boundaries,
  bucketCount,
  bucketOf,
  coarsened,
  conventionBounds,
  Figures,
  figuresMemory,
  lagBounds,
  quantileOf,
  readCells,
  responseBounds,
} from '../../../src/drive/observe/figures.ts';
import { type SampleRequest, sampleRequest } from '../../history/sample.ts';

const durationNs = fc.integer({ min: 0, max: 20_000_000_000 });

describe('the buckets of a duration', () => {
  it('hold it between the bound below and their own', () => {
    fc.assert(
      fc.property(durationNs, (ns) => {
        const bucket = bucketOf(ns);
        expect(ns).toBeLessThanOrEqual(Math.round((boundaries[bucket] ?? Number.POSITIVE_INFINITY) * 1e9));
        expect(ns).toBeGreaterThan(bucket === 0 ? -1 : Math.round((boundaries[bucket - 1] ?? 0) * 1e9));
      }),
    );
  });

  it.each([
    ['the conventions of OpenTelemetry', conventionBounds],
    ['response time', responseBounds],
    ['send lag', lagBounds],
  ])('have every bound of %s among theirs, so that coarser counts are exact', (_, bounds) => {
    expect(bounds.filter((bound) => !boundaries.includes(bound))).toEqual([]);
    fc.assert(
      fc.property(fc.array(durationNs, { maxLength: 50 }), (values) => {
        const fine = new Float64Array(bucketCount);
        for (const ns of values) fine[bucketOf(ns)] = (fine[bucketOf(ns)] ?? 0) + 1;
        const expected = [...bounds, Number.POSITIVE_INFINITY].map(
          (to, at) =>
            values.filter((ns) => ns <= to * 1e9 && (at === 0 || ns > (bounds[at - 1] ?? 0) * 1e9)).length,
        );
        expect(coarsened(fine, bounds)).toEqual(expected);
      }),
    );
  });

  it('give quantiles within a bucket of the true ones', () => {
    const values = Array.from({ length: 1_000 }, (_, n) => (n + 1) * 1e6);
    const fine = new Float64Array(bucketCount);
    for (const ns of values) fine[bucketOf(ns)] = (fine[bucketOf(ns)] ?? 0) + 1;
    const extremes = { least: 0.001, most: 1 };
    for (const share of [0.1, 0.5, 0.9, 0.99])
      expect(quantileOf(fine, share, extremes) / share).toBeCloseTo(1, 1);
    expect([quantileOf(fine, 0, extremes), quantileOf(fine, 1, extremes)]).toEqual([0.001, 1]);
  });
});

/** The cells after two senders have recorded these requests in turn. */
function cellsOf(requests: readonly SampleRequest[]) {
  const memories = [figuresMemory(), figuresMemory()];
  const senders = memories.map((memory) => new Figures(memory));
  for (const [at, request] of requests.entries()) senders[at % 2]?.record(sampleRequest(request, at + 1));
  return readCells(memories);
}

describe('the figures of two senders', () => {
  it('are added up by endpoint, credential and outcome', () => {
    const cells = cellsOf([
      { endpoint: 'list-shades', sentNs: 1e9, answeredNs: 1.004e9 },
      { endpoint: 'list-shades', sentNs: 1e9, answeredNs: 1.002e9 },
      { endpoint: 'list-shades', sentNs: 1e9, answeredNs: 1.009e9 },
      { endpoint: 'list-shades', credential: 'quota', status: 402 },
      { endpoint: 'interact', lost: 'timeout' },
      { endpoint: 'interact', notSent: 'patience' },
    ]);
    expect(
      cells.map(({ credential, endpoint, outcome, requests }) => [endpoint, credential, outcome, requests]),
    ).toEqual([
      ['list-shades', 'load', { status: 200 }, 3],
      ['interact', 'load', { lost: 'timeout' }, 1],
      ['list-shades', 'quota', { status: 402 }, 1],
      ['interact', 'load', { notSent: 'patience' }, 1],
    ]);
    expect(cells[0]).toMatchObject({ service: { sumNs: 15e6 } });
  });

  it('measure service, response and lag from sending, from the due instant, and from when it could be sent', () => {
    const [cell] = cellsOf([
      {
        endpoint: 'interact',
        intendedNs: 1e9,
        readyNs: 2e9,
        firstSentNs: 2.5e9,
        sentNs: 3e9,
        answeredNs: 7e9,
      },
    ]);
    expect([cell?.service.sumNs, cell?.response.sumNs, cell?.lag.sumNs]).toEqual([4e9, 6e9, 0.5e9]);
  });

  it('lose no request of a target that answers with ever other statuses', () => {
    const statuses = Array.from({ length: 899 }, (_, n) => 100 + n);
    const cells = cellsOf(statuses.map((status) => ({ endpoint: 'analytics', status })));
    expect(cells.reduce((sum, { requests }) => sum + requests, 0)).toBe(899);
    expect(cells.filter(({ endpoint }) => endpoint === undefined)).toHaveLength(1);
  });

  it('keep closed loops apart', () => {
    const memory = figuresMemory();
    const figures = new Figures(memory);
    for (const status of [200, 200, undefined]) figures.closed(status);
    expect(
      readCells([memory]).map(({ endpoint, outcome, requests }) => [endpoint, outcome, requests]),
    ).toEqual([
      ['closed-loop', { status: 200 }, 2],
      ['closed-loop', { other: true }, 1],
    ]);
  });
});

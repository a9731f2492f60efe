import { describe, expect, it } from 'vitest';
import { checkCapacity } from '../../../src/checks/capacity.ts';
import type { CheckFinding, Verdict } from '../../../src/checks/core/verdict.ts';
import { type Reason, reason } from '../../../src/checks/reasons/reason.ts';
import type { CapacityStep } from '../../../src/history/record.ts';
import { type SampleHistory, withHistory } from '../../history/sample.ts';
import { closedStep, historyOf, rates, type Step } from './study-sample.ts';

const [r0 = 0, r1 = 0, r2 = 0] = rates;
const top = rates.at(-1) ?? 0;
const climb = (rate: number, over = 0, more: Partial<Step> = {}): Step => ({
  rate,
  purpose: 'climb',
  over,
  ...more,
});
const repeats = (rate: number, over: number, n: number, more: Partial<Step> = {}): Step[] =>
  Array.from({ length: n }, () => ({ rate, purpose: 'repeat', over, ...more }));
const bracketed = [climb(r0), climb(rates[8] ?? 0, 40)];

async function judged(sample: SampleHistory, id: string): Promise<CheckFinding | undefined> {
  return (await withHistory(sample, checkCapacity)).find((result) => result.id === id);
}

const found = (unit: 'rate' | 'connections', keeps: number, breaks: number, repeats: number): Reason =>
  reason('knee-found', { unit, keeps, breaks, confidence: 0.9, repeats });
const notReached = reason('knee-not-reached', { unit: 'rate', load: top });
const firstBroke = [
  reason('knee-first-broke', { unit: 'rate', load: r0 }),
  expect.objectContaining({
    code: 'step-over',
    params: expect.objectContaining({ over: 30, judged: 100 }),
  }),
];

describe('the highest rate', () => {
  it.each<[string, readonly Step[], Verdict, readonly (Reason | object)[], string?]>([
    [
      'lies between what certainly keeps the promise and what certainly breaks it',
      [...bracketed, ...repeats(r1, 10, 5), ...repeats(r2, 11, 5)],
      'pass',
      [found('rate', r1, r2, 10)],
    ],
    [
      'is not certain of four repeats',
      [...bracketed, ...repeats(r1, 0, 4), ...repeats(r2, 40, 5)],
      'inconclusive',
      [reason('knee-few-repeats', { repeats: 9 }), reason('knee-breaks', { unit: 'rate', load: r2 })],
    ],
    [
      'is vouched for by repeats above it',
      [...bracketed, ...repeats(r0, 0, 2), ...repeats(r1, 0, 3), ...repeats(r2, 40, 5)],
      'pass',
      [found('rate', r0, r2, 10)],
    ],
    [
      'below the promised rate fails',
      [...bracketed, ...repeats(r0, 0, 5), ...repeats(r1, 40, 5)],
      'fail',
      [reason('knee-below', { promised: 150 }), found('rate', r0, r1, 10)],
      '150/1s',
    ],
    [
      'that may lie on either side of the promised rate is inconclusive',
      [...bracketed, ...repeats(r0, 0, 5), ...repeats(r2, 40, 5)],
      'inconclusive',
      [found('rate', r0, r2, 10), reason('knee-either-side', { promised: 105 })],
      '105/1s',
    ],
    [
      'is nobody’s fault where the generator was late as often as the promise broke',
      [...bracketed, ...repeats(r1, 0, 5), ...repeats(r2, 20, 6, { late: 15 })],
      'inconclusive',
      [
        reason('knee-generator-late', { unit: 'rate', unclear: 6, steps: 13 }),
        reason('knee-keeps', { unit: 'rate', load: r1 }),
      ],
    ],
    [
      'is the target’s where the generator was late, but not as often',
      [...bracketed, ...repeats(r1, 0, 5), ...repeats(r2, 40, 5, { late: 15 })],
      'pass',
      [found('rate', r1, r2, 10)],
    ],
    [
      'is not found behind a limit',
      [climb(r0), climb(rates[8] ?? 0, 0, { status: 429 })],
      'inconclusive',
      [reason('knee-limited', { unit: 'rate', load: 200 }), reason('step-limited', { rejected: 100 })],
    ],
    [
      'is not found behind a quota',
      [climb(r0, 0, { status: 402 })],
      'inconclusive',
      [reason('knee-limited', { unit: 'rate', load: r0 }), reason('step-limited', { rejected: 100 })],
    ],
    ['above all that was tried is not reached', [climb(r0), climb(top)], 'inconclusive', [notReached]],
    [
      'above all that was tried passes where five steps at the promised rate and above were all kept',
      [climb(r0), climb(r1), climb(r2), climb(rates[8] ?? 0), climb(top)],
      'pass',
      [reason('knee-promise-kept', { promised: 100 }), notReached],
      '100/1s',
    ],
    [
      'above all that was tried is not vouched for by the steps below the promised rate',
      [climb(r0), climb(r1), climb(r2), climb(rates[8] ?? 0), climb(top)],
      'inconclusive',
      [notReached],
      '105/1s',
    ],
    [
      'above all that was tried is in doubt where a step at the promised rate was broken first',
      [climb(r0, 30), climb(r0), climb(r1), climb(r2), climb(rates[8] ?? 0), climb(top)],
      'inconclusive',
      [notReached],
      '100/1s',
    ],
    [
      'below the first is not found',
      [climb(r0, 30), climb(r0, 30), climb(r0, 30)],
      'inconclusive',
      [...firstBroke, reason('knee-start-lower')],
    ],
    [
      'below a first that was promised fails',
      [climb(r0, 30), climb(r0, 30), climb(r0, 30)],
      'fail',
      firstBroke,
      '100/1s',
    ],
    [
      'of a run that was ended is not known',
      [climb(r0), climb(r1, 0, { ended: 'stopped', stopped: 3 })],
      'inconclusive',
      [reason('knee-unfinished')],
    ],
    ['without a step is not known', [], 'inconclusive', [reason('knee-untried', { unit: 'rate' })]],
    ['is not known without repeats', bracketed, 'inconclusive', [reason('knee-without-repeats')]],
    [
      'is doubted where the repeats contradict each other',
      [...bracketed, ...repeats(r0, 40, 5), ...repeats(r2, 0, 5)],
      'inconclusive',
      [reason('knee-contradiction', { unit: 'rate', keeps: r2, breaks: r0 })],
    ],
    [
      'counts what failed against the promise',
      [...bracketed, ...repeats(r1, 0, 5), ...repeats(r2, 0, 5, { status: 503 })],
      'pass',
      [found('rate', r1, r2, 10)],
    ],
  ])('%s', async (_what, steps, verdict, reasons, limit = '60/1m') => {
    const result = await judged(historyOf(steps, [], { profile: { rate_limit: limit } }), 'capacity.rate');
    expect(result?.reasons).toEqual(reasons);
    expect(result?.verdict).toBe(verdict);
    expect(result?.causes?.map(({ cause }) => cause.code)).toEqual(
      verdict === 'fail' ? ['capacity-below-promise'] : undefined,
    );
    // A failure has its records.
    if (verdict === 'fail') expect(result?.evidence?.[0]?.seqs.length).toBeGreaterThan(0);
  });

  it('names the slowest requests of the lowest rate that breaks', async () => {
    const result = await judged(
      historyOf([...bracketed, ...repeats(r1, 0, 5), ...repeats(r2, 12, 5)]),
      'capacity.rate',
    );
    expect(result?.evidence).toEqual([
      { what: 'the slowest at 118.9 a second', seqs: expect.any(Array), total: 12 },
    ]);
    expect(result?.observed).toMatchObject({
      'knee, requests per second': { min: r1, max: r2 },
      repeats: [
        { 'requests per second': r1, kept: 5, unclear: 0, of: 5 },
        { 'requests per second': r2, kept: 0, unclear: 0, of: 5 },
      ],
    });
  });
});

describe('the most connections', () => {
  const loop = (n: number, over: number, more: Partial<CapacityStep> = {}, times = 5): CapacityStep[] =>
    Array.from({ length: times }, (_, k) =>
      closedStep(100 * n + k, n, 100, { purpose: 'repeat', over, ...more } as Partial<CapacityStep>),
    );

  it.each<[string, readonly CapacityStep[], Verdict, readonly Reason[]]>([
    [
      'lie between what certainly keeps the promise and what certainly breaks it',
      [closedStep(1, 1, 90), ...loop(4, 10), ...loop(8, 11)],
      'pass',
      [found('connections', 4, 8, 10)],
    ],
    [
      'are not known where autocannon had its core to the last',
      [closedStep(1, 1, 90), ...loop(4, 10), ...loop(8, 60, { busyShare: 0.95 } as Partial<CapacityStep>)],
      'inconclusive',
      [
        reason('knee-generator-late', { unit: 'connections', unclear: 5, steps: 11 }),
        reason('knee-keeps', { unit: 'connections', load: 4 }),
      ],
    ],
    [
      'are not known behind a limit',
      [closedStep(1, 1, 90, { statuses: { 200: 5, 429: 1 } } as Partial<CapacityStep>)],
      'inconclusive',
      [reason('knee-limited', { unit: 'connections', load: 1 }), reason('step-limited', { rejected: 1 })],
    ],
  ])('%s', async (_what, steps, verdict, reasons) => {
    const result = await judged(historyOf([], steps), 'capacity.concurrency');
    expect(result?.reasons).toEqual(reasons);
    expect(result?.verdict).toBe(verdict);
  });
});

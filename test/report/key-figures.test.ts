import { describe, expect, it } from 'vitest';
import { withData } from '../../src/checks/core/verdict.ts';
import type { Judgement } from '../../src/checks/diagnosis/diagnosis.ts';
import type { CapacityStep } from '../../src/history/record.ts';
import type { RunInfo } from '../../src/history/run.ts';
import { targetName } from '../../src/report/answer.ts';
import { figureText, keyFigures } from '../../src/report/key-figures.ts';
import type { Interval } from '../../src/vocabulary/bounds.ts';
import { closedStep } from '../checks/capacity/study-sample.ts';
import { withHistory } from '../history/sample.ts';

function judgementOf(most?: readonly Interval[]): Judgement {
  const check = {
    id: 'rate-limit.admitted',
    title: '',
    verdict: 'pass',
    expected: 1_000,
    observed: null,
    explanation: '',
    reasons: [],
    evidence: [],
  } as const;
  return {
    verdict: 'pass',
    generatorBound: false,
    diagnosis: { causes: [], unexplained: [] },
    checks: [most === undefined ? check : withData('rate-limit.admitted', check, { most })],
  };
}

describe('the most admitted in a window', () => {
  const cases: readonly [what: string, most: readonly Interval[] | undefined, shown: string | undefined][] = [
    ['is the interval that the check found', [{ min: 1_000, max: 1_002 }], '1,000 to 1,002; limit 1,000'],
    ['is one number where the interval is', [{ min: 999, max: 999 }], '999; limit 1,000'],
    [
      'is that of the key with the most',
      [
        { min: 7, max: 9 },
        { min: 30, max: 31 },
      ],
      '30 to 31; limit 1,000',
    ],
    ['is not shown where the check found none', undefined, undefined],
  ];
  it.each(cases)('%s', async (_what, most, shown) => {
    const figures = await withHistory({ requests: [{ endpoint: 'list-shades' }] }, (history) =>
      keyFigures(history, judgementOf(most)),
    );
    const figure = figures.find(({ label }) => label === 'Most admitted in any minute');
    expect(figure && figureText(figure)).toBe(shown);
  });
});

it('requests that were not sent are counted by their reasons', async () => {
  const create = { endpoint: 'create-session' } as const;
  const unsent = (['no-session', 'no-session', 'patience'] as const).map((notSent) => ({
    endpoint: 'interact' as const,
    notSent,
  }));
  const figures = await withHistory({ requests: [create, ...unsent] }, (history) =>
    keyFigures(history, judgementOf()),
  );
  const [first] = figures;
  expect(first && `${first.label} ${figureText(first)}`).toBe(
    'Requests 1 of 4 sent; not sent: 2 (its session was rejected or never answered), 1 (the shopper had left, since answers were slow); 1 admitted (2xx)',
  );
});

async function figuresOf(sample: Parameters<typeof withHistory>[0]): Promise<Record<string, string>> {
  const figures = await withHistory(sample, (history) => keyFigures(history, judgementOf()));
  return Object.fromEntries(figures.map((each) => [each.label, figureText(each)]));
}

function loop(statuses: Readonly<Record<string, number>>, errors: number): Partial<CapacityStep> {
  return { model: 'closed', statuses, errors };
}

describe('what was sent', () => {
  it('adds up: other 4xx, and answers of no other kind, have separate lines', async () => {
    const statuses = [200, 201, 429, 402, 401, 404, 422, 503, 304];
    const figures = await figuresOf({
      requests: statuses.map((status) => ({
        endpoint: 'list-shades',
        status,
        ...(status === 401 ? { probe: 'loaded:bad-key' } : {}),
      })),
    });
    expect(figures.Requests).toBe(
      '9 sent; 2 admitted (2xx), 1 rejected (429), 1 over quota (402), 3 other 4xx (1 from probes), 1 5xx, 1 1xx and 3xx',
    );
  });

  it('names no end that no request had', async () => {
    const figures = await figuresOf({ requests: [{ endpoint: 'list-shades', status: 429 }] });
    expect(figures.Requests).toBe('1 sent; 1 rejected (429)');
    expect(Object.keys(figures)).not.toContain('Also, in closed loops');
  });

  it('has the rates and the percentiles of the load, and says of how many requests', async () => {
    const requests = Array.from({ length: 100 }, (_, n) => ({
      endpoint: 'list-shades' as const,
      intendedNs: n * 1e8,
      sentNs: n * 1e8,
      answeredNs: n * 1e8 + (n + 1) * 1e6,
      status: n % 2 === 0 ? 200 : 429,
    }));
    const setup = { endpoint: 'list-shades', stage: 'setup', sentNs: 0, answeredNs: 5e9 } as const;
    const figures = await figuresOf({ requests: [...requests, setup] });
    expect(figures.Throughput).toBe('10/s, goodput (2xx) 5/s; load of 100 requests in 10 s');
    expect(figures['Response time']).toBe('p50 49, p95 95, p99 99 ms; 50 2xx answers of the load');
  });

  it('is counted apart in closed loops, of which only sums are known, lost ones among them', async () => {
    const figures = await figuresOf({
      requests: [{ endpoint: 'list-shades' }],
      events: [
        closedStep(1, 1, 1_000, loop({ 200: 1_500, 503: 20 }, 4)),
        closedStep(2, 2, 2_000, loop({ 200: 2_500 }, 0)),
      ],
    });
    expect(figures).toMatchObject({
      Requests: '1 sent; 1 admitted (2xx)',
      'Also, in closed loops': '4,024 requests',
    });
  });
});

describe('the name of a target', () => {
  it.each<[string, RunInfo['target']['kind'], RunInfo['profile'], string]>([
    ['is its profile’s', 'foreign', { name: 'staging' }, 'staging'],
    [
      'says what was planted',
      'embedded',
      { name: 'embedded reference service with S1' },
      'embedded reference service with S1',
    ],
    ['is what it is where an altered run has no name for it', 'foreign', { name: 7 }, 'target'],
    ['likewise of the embedded service', 'embedded', {}, 'embedded reference service'],
  ])('%s', (_what, kind, profile, name) => {
    expect(targetName({ profile, target: { kind, base_url: 'http://127.0.0.1:1/v1' } })).toBe(name);
  });
});

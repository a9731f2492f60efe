import { describe, expect, it } from 'vitest';
import type { RunInfo } from '../../../src/history/run.ts';
import { randomStream } from '../../../src/random.ts';
import { parametersOf } from '../../../src/report/compare/changes.ts';
import { compare, toHtml, toMarkdown, toTerminal } from '../../../src/report/compare/compare.ts';
import { type CheckVerdict, figuresOf, type RunFacts, type Side } from '../../../src/report/compare/facts.ts';
import { trendOf } from '../../../src/report/compare/trend.ts';
import { comparisonInWords, obstaclesInWords, trendInWords } from '../../../src/report/compare/words.ts';
import { sampleRun } from '../../history/sample.ts';
import { numberFaults } from '../../wording-faults.ts';
import { factsOf, responseTimes, side, steadyTarget } from './simulated.ts';

const run = (facts: Partial<RunFacts>): Side => ({
  name: 'reports/run',
  runs: [factsOf(new Float64Array(), { name: 'reports/run', ...facts })],
});
const described = (info: Partial<RunInfo>): Partial<RunFacts> => ({ run: { ...sampleRun, ...info } });
const base = run({});

describe('runs that cannot be compared are refused with the field and both values', () => {
  const phase = { name: 'load', role: 'load', unit: 'requests', pace: '900/min', start_ns: 0 } as const;
  it.each<[string, Partial<RunFacts>, string]>([
    ['scenario', described({ scenario: { name: 'other', title: '' } }), 'sample (reports/run), other'],
    [
      'planned phases',
      described({ phases: [{ ...phase, end_ns: 60e9 }] }),
      '[] (reports/run), [{"name":"load"',
    ],
    ['catalog size', described({ catalogs: [{ id: 'x', role: 'load', shades: 9 }] }), '"shades":9'],
    ['profile.connections', described({ profile: { connections: 9 } }), 'absent (reports/run), 9'],
    [
      'kind of target',
      described({ target: { kind: 'embedded', base_url: '' } }),
      'foreign (reports/run), embedded',
    ],
    ['planted defects', described({ planted: { defects: ['P1'], variants: [] } }), '"defects":["P1"]'],
    ['workers', described({ workers: 4 }), '1 (reports/run), 4'],
    ['Node.js major version', described({ versions: { node: '26.1.0' } }), 'absent (reports/run), 26'],
    ['machine', described({ machine: { platform: 'linux', cpus: 8, memory_gib: 4 } }), '"cpus":8'],
    ['generator-bound', { isGeneratorBound: true }, 'generator-bound (its machine was too busy): yes'],
    ['end of the run', described({ ended: { at_epoch_ms: 0, how: 'interrupted' } }), 'interrupted'],
  ])('%s', (field, facts, says) => {
    const { obstacles, outcome } = compare(base, run(facts), 0.05);
    expect(outcome).toBe('incomparable');
    const line = obstaclesInWords(obstacles);
    expect(line.startsWith(field)).toBe(true);
    expect(line).toContain(says);
  });

  it.each<[string, Partial<RunFacts>]>([
    ['the seed', described({ seed: 2, planned_requests: 3 })],
    [
      'the base URL, keys and names',
      described({
        target: { kind: 'foreign', base_url: 'http://b' },
        profile: { name: 'b', keys: { load: { env: 'B' } } },
      }),
    ],
    ['the minor version of Node.js', described({ versions: {} })],
  ])('%s may differ', (_, facts) => {
    expect(compare(base, run(facts), 0.05).obstacles).toEqual([]);
  });

  it('repetitions inside a side have to be comparable as well', () => {
    const mixed = { name: 'mixed', runs: [...base.runs, ...run(described({ workers: 2 })).runs] };
    expect(compare(mixed, base, 0.05).outcome).toBe('incomparable');
  });
});

const checked = (id: string, ...verdicts: CheckVerdict['verdict'][]): Side => ({
  name: 'side',
  runs: verdicts.map((verdict) =>
    factsOf(new Float64Array(), { verdicts: [{ id, title: 'A title', verdict }] }),
  ),
});

describe('a changed verdict', () => {
  it.each<[string, Side, Side, string | undefined]>([
    [
      'pass → fail is a regression',
      checked('quota.edge', 'pass'),
      checked('quota.edge', 'fail'),
      'regression',
    ],
    [
      'one failure among passes is one',
      checked('quota.edge', 'pass', 'pass'),
      checked('quota.edge', 'pass', 'fail'),
      'regression',
    ],
    [
      'so is a latency that all runs lose',
      checked('latency.slo.1', 'pass', 'pass'),
      checked('latency.slo.1', 'fail', 'fail'),
      'regression',
    ],
    [
      'one of two runs over a bound on latency may be noise',
      checked('latency.slo.1', 'pass', 'pass'),
      checked('latency.slo.1', 'pass', 'fail'),
      'other',
    ],
    [
      'fail → pass is an improvement',
      checked('quota.edge', 'fail'),
      checked('quota.edge', 'pass'),
      'improvement',
    ],
    [
      'inconclusive → fail shows no change of the target',
      checked('quota.edge', 'inconclusive'),
      checked('quota.edge', 'fail'),
      'other',
    ],
    ['the same is no change', checked('quota.edge', 'fail'), checked('quota.edge', 'fail'), undefined],
  ])('%s', (_, a, b, kind) => {
    const { outcome, verdicts } = compare(a, b, 0.05);
    expect(verdicts[0]?.kind).toBe(kind);
    expect(outcome).toBe(kind === 'regression' ? 'regression' : 'none');
  });
});

describe('parameters of limiter and quota', () => {
  const found = (limit: number, window: { min: number; max: number }, quota: number): Side =>
    run({
      parameters: parametersOf(
        [
          { id: 'rate-limit.algorithm', data: { reasons: [], possible: ['sliding window'] } },
          {
            id: 'rate-limit.limit',
            data: { reasons: [{ code: 'size-as-promised', params: { bounds: { min: limit, max: limit } } }] },
          },
          {
            id: 'rate-limit.window',
            data: { reasons: [{ code: 'size-as-promised', params: { bounds: window } }] },
          },
          { id: 'quota.edge', data: { reasons: [{ code: 'quota-edge-exact', params: { quota } }] } },
        ],
        { scope: { per_key: true } },
      ),
    });
  const before = found(1_000, { min: 59_900, max: 60_100 }, 200);
  const changed = (b: Side): string[] =>
    compare(before, b, 0.05).parameters.flatMap(({ isChanged, name }) => (isChanged ? [name] : []));

  it('are compared exactly, and an interval by whether it overlaps', () => {
    expect(compare(before, before, 0.05).parameters).toHaveLength(5);
    expect(changed(found(1_000, { min: 59_990, max: 60_200 }, 200))).toEqual([]);
    expect(changed(found(999, { min: 60_150, max: 60_200 }, 201))).toEqual([
      'Limit',
      'Window, ms',
      'Quota edge',
    ]);
  });
});

describe('what is said', () => {
  const a = side(steadyTarget, 5, 'reports/<a>', 3);
  const b = side({ ...steadyTarget, medianMs: 6 }, 5, 'reports/b', 3);
  const worse = comparisonInWords(compare(a, b, 0.05));

  it('names the figures that are worse, with the least that they differ by, within 80 columns', () => {
    const text = toTerminal(worse, 80, false);
    expect(text).toContain('Regression: all endpoints p50');
    expect(text).toMatch(/all endpoints p99 .* worse by at least 1[0-9.]+ %/);
    expect(text).toContain('A/A control (second half of A against its first)');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(numberFaults(text)).toEqual([]);
  });

  it('breaks a wide cell into lines within 80 columns, and leaves nothing out', () => {
    const kinds = Array.from({ length: 40 }, (_, k) => `kind-${k}`);
    const rows = [
      ['Kind of limiter', kinds.join(', '), 'token-bucket'],
      ['Limit', '1,000', '60'],
    ];
    const heads = ['Parameter', 'A', 'B'].map((label) => ({ label, isNumber: false }));
    const table = { kind: 'table', caption: '', heads, rows: rows.map((cells) => ({ cells })) } as const;
    const lines = toTerminal({ ...worse, parts: [table] }, 80, false).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    for (const kind of kinds) expect(lines.join('\n')).toContain(kind);
    expect(lines.at(-1)).toMatch(/^ {2}Limit +1,000 +60$/);
  });

  it('is safe in Markdown and HTML, which have the shift function', async () => {
    const markdown = toMarkdown(worse);
    expect(markdown).toContain('reports/&lt;a&gt;');
    expect(markdown).toMatch(/\| 99 % \| .* \|/);
    const page = await toHtml([worse]);
    expect(page).toContain('reports/&lt;a&gt;');
    expect(page).not.toContain('<a>');
    expect(page).not.toMatch(/(?:src|href)=/);
  });

  it('is “same within 5 %” for the same target, and no regression', () => {
    const found = compare(a, side(steadyTarget, 5, 'reports/b', 4), 0.05);
    expect(found.outcome).toBe('none');
    expect(toTerminal(comparisonInWords(found), 80)).toContain('same within 5 %');
  });

  it('of an unsteady A is that nothing can be told', () => {
    const late = side({ ...steadyTarget, medianMs: 8 }, 5, 'late', 3).runs;
    const drifting = {
      name: 'drifting',
      runs: [...a.runs, ...late].map((each, k) => ({ ...each, run: { ...sampleRun, zero_epoch_ms: k } })),
    };
    const found = compare(drifting, side({ ...steadyTarget, medianMs: 12 }, 10, 'b', 3), 0.05);
    expect(found.outcome).toBe('open');
    expect(toTerminal(comparisonInWords(found), 80)).toContain('A is not steady');
  });
});

it('one run each, of which one is far slower for most of its time, differ within these runs, which is no regression', () => {
  const fast = responseTimes(steadyTarget, randomStream(4, 'fast'));
  // Its first tenth is as fast as the other run: not all parts of the runs are separate.
  const slow = responseTimes(steadyTarget, randomStream(4, 'slow')).map((ms, k) => (k < 600 ? ms : 3.7 * ms));
  const [a, b] = [fast, slow].map((times, k) => ({ name: `${k}`, runs: [factsOf(times)] }));
  if (a === undefined || b === undefined) expect.fail();
  const found = compare(a, b, 0.05);
  expect(found.outcome).toBe('open');
  const text = toTerminal(comparisonInWords(found), 200);
  expect(text).toMatch(/Worse in these runs, but too few to show a regression: all endpoints p50/);
  expect(text).toMatch(
    /p50 .* worse by at least \d+(\.\d+)? % within these runs \(how much runs vary is unknown; .* each would tell\)/,
  );
});

describe('capacity', () => {
  const rates = (name: string, ...found: number[]): Side => ({
    name,
    runs: found.map((capacity) =>
      factsOf(new Float64Array(), { figures: figuresOf(new Float64Array(), [], () => 0, capacity) }),
    ),
  });
  const a = rates('a', 100, 105, 105, 110, 120);

  it('is worse if it is lower, and decides nothing by itself', () => {
    const { metrics, outcome } = compare(a, rates('b', 60, 70, 80, 85, 90), 0.05);
    expect(metrics.map(({ of, turn }) => [of, turn])).toEqual([['capacity', 'worse']]);
    expect(outcome).toBe('none');
  });

  it('of runs that did not measure it cannot be told', () => {
    const text = toTerminal(comparisonInWords(compare(a, rates('b'), 0.05)), 80);
    expect(text).toContain('cannot tell (not measured)');
  });
});

describe('a trend', () => {
  it('has the levels between change points, changed verdicts, and runs left out', () => {
    const runs = Array.from({ length: 24 }, (_, k) =>
      factsOf(
        responseTimes(
          { ...steadyTarget, requests: 1_000, medianMs: k < 12 ? 5 : 6 },
          randomStream(5, 'trend', k),
        ),
        {
          name: `reports/${k}`,
          run: { ...sampleRun, zero_epoch_ms: k * 3_600_000, ...(k === 3 && { workers: 2 }) },
          verdicts: [{ id: 'quota.edge', title: 'The quota is exact', verdict: k < 20 ? 'pass' : 'fail' }],
        },
      ),
    );
    const found = trendOf(runs.toReversed());
    expect(found.series.map(({ levels }) => levels.map(({ first }) => first.name))).toEqual([
      ['reports/0', 'reports/12'],
      ['reports/0', 'reports/12'],
      [],
    ]);
    expect(found.leftOut.map(({ run: { name }, why }) => [name, why.field])).toEqual([
      ['reports/3', 'workers'],
    ]);
    expect(found.verdicts.map(({ run: { name } }) => name)).toEqual(['reports/20']);
    const text = toTerminal(trendInWords(found, 'reports', ['reports/x: cut off']), 80);
    expect(text).toContain('2 change points, and changed verdicts in 1 run');
    expect(text).toContain('Regression: quota.edge: pass → fail');
    expect(text).toContain('reports/x: cut off');
    expect(numberFaults(text)).toEqual([]);
  });
});

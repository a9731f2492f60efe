import { expect, it } from 'vitest';
import { judge } from '../../src/checks/judge.ts';
import { writeHtmlReport } from '../../src/report/html.ts';
import { closedStep, connections, historyOf, rates, type Step } from '../checks/capacity/study-sample.ts';
import { withHistory } from '../history/sample.ts';

it('draws both knees of a study of capacity', async () => {
  const [low = 0, high = 0] = rates.slice(1);
  const repeats = (rate: number, over: number): Step[] =>
    Array.from({ length: 5 }, () => ({ rate, purpose: 'repeat', over }));
  const steps: Step[] = [
    { rate: rates[0] ?? 0, purpose: 'climb' },
    { rate: rates[8] ?? 0, purpose: 'climb', over: 60, late: 55 },
    ...repeats(low, 3),
    ...repeats(high, 30),
  ];
  const closed = connections.map((n, k) => closedStep(50 + k, n, 100 * n));
  const html = await withHistory(historyOf(steps, closed), async (history) =>
    writeHtmlReport(history, await judge(history)),
  );
  expect(html).not.toContain('could not be made');
  expect(html).toContain(`The knee lies between ${low} and ${high} requests a second, with 90 % confidence.`);
  expect(html).toContain('5 keys took turns');
  const data = /<script[^>]*id="report-data"[^>]*>([^<]*)</.exec(html)?.[1] ?? '{}';
  const charts = (
    JSON.parse(data) as {
      charts: { id: string; x: number[]; series: { label: string; values: unknown[] }[] }[];
    }
  ).charts;
  const [open, loop] = ['capacity-open', 'capacity-closed'].map((id) =>
    charts.find((chart) => chart.id === id),
  );
  expect(open?.series.map(({ label }) => label)).toEqual(['p50', 'p90, kept', 'p90, broken', 'p90, unclear']);
  for (const chart of [open, loop]) {
    expect(chart?.x).toEqual(chart?.x.toSorted((a, b) => a - b));
    for (const { values } of chart?.series ?? []) expect(values).toHaveLength(chart?.x.length ?? 0);
  }
  expect(loop?.x.at(-1)).toBeCloseTo(16);
});

import { counted, number, span, times } from '../../../amounts.ts';
import type { Freshness, LagFigures } from '../../../checks/analytics/freshness/freshness.ts';
import { type Band, type Chart, chartFigure } from '../../chart.ts';
import { code, type Html, html } from '../../markup.ts';
import { type SectionBody, table } from '../../section.ts';
import type { CheckLinks } from '../check-links.ts';

/** Sessions opened and sessions shown, poll by poll, and how long one took to become the other. */
export function freshnessPart(freshness: Freshness, bands: readonly Band[], checks: CheckLinks): SectionBody {
  const { boundMs, lag, polls, productId } = freshness;
  if (productId === null || polls.length === 0)
    return {
      body: html`<p class="none">Analytics were not polled.</p>${checks.line('analytics.freshness')}`,
    };
  const chart = polls.length < 2 ? undefined : freshnessChart(freshness, bands);
  return {
    charts: chart === undefined ? [] : [chart],
    body: html`<p>One query, for product ${code(productId)}, was sent ${times(polls.length)} during the load and after it. The profile promises new sessions within ${span(boundMs)}. The horizontal distance of the two curves is the lag.</p>
${chart !== undefined && chartFigure(chart)}
${lag !== null && lagTable(lag, boundMs)}
${checks.line('analytics.freshness')}`,
  };
}

/** At each poll, the sessions that had been created at an earlier poll, by at least the promised time. */
function promisedAt({ boundMs, polls }: Freshness): number[] {
  return polls.map(({ atNs }) =>
    polls.reduce(
      (most, { atNs: beforeNs, opened }) => (atNs - beforeNs >= boundMs * 1e6 ? opened.min : most),
      0,
    ),
  );
}

function freshnessChart(freshness: Freshness, bands: readonly Band[]): Chart {
  const { boundMs, polls } = freshness;
  const last = polls.at(-1);
  return {
    id: 'analytics-freshness',
    title: 'Sessions created, and sessions that analytics show',
    unit: 'sessions of the product, at each poll',
    summary: `Sessions of one product that had been created and that analytics showed, over ${counted(polls.length, 'poll')}; at the last, ${number(last?.shown ?? 0)} of ${number(last?.opened.min ?? 0)} were visible.`,
    scale: 'linear',
    x: polls.map(({ atNs }) => Math.round(atNs / 1e7) / 100),
    series: [
      {
        label: 'created',
        colour: 'line-b',
        draw: 'line',
        dashed: true,
        values: polls.map(({ opened }) => opened.min),
        summary: number(last?.opened.min ?? 0),
      },
      {
        label: 'shown',
        colour: 'line-a',
        draw: 'line',
        values: polls.map(({ shown }) => shown),
        summary: number(last?.shown ?? 0),
      },
      {
        label: `promised: created at least ${span(boundMs)} before, at an earlier poll`,
        colour: 'limit',
        draw: 'steps',
        dashed: true,
        values: promisedAt(freshness),
      },
    ],
    bands,
  };
}

function lagTable({ maxMs, p50Ms, p99Ms, sessions }: LagFigures, boundMs: number): Html {
  const rows = { Median: p50Ms, '99th percentile': p99Ms, Longest: maxMs };
  return table(
    `Lag of ${counted(sessions, 'session')} from creation until visible; the bound is ${span(boundMs)}`,
    Object.entries(rows),
    [
      ['Lag', ([what]) => what],
      ['At least', ([, { min = 0 }]) => `${number(Math.floor(min))} ms`],
      ['At most', ([, { max }]) => (max === undefined ? 'never visible' : `${number(Math.ceil(max))} ms`)],
    ],
  );
}

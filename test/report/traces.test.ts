import { describe, expect, it } from 'vitest';
import type { ReportFigure } from '../../src/report/figure.ts';
import { plain } from '../../src/report/figure.ts';
import { textHtml } from '../../src/report/figure-html.ts';
import { serverTiming, slowest, traceOf } from '../../src/report/sections/latency.ts';
import { traceId } from '../../src/vocabulary/trace-id.ts';
import { type SampleHistory, withHistory } from '../history/sample.ts';

const ms = 1e6;
const trace_run = '0123456789abcdef';
const requests: SampleHistory['requests'] = [
  { endpoint: 'list-shades', intendedNs: 0, sentNs: 0, answeredNs: 10 * ms, serverTiming: 'db=2 app=4' },
  { endpoint: 'list-shades', intendedNs: 0, sentNs: 0, answeredNs: 30 * ms, serverTiming: 'db=8' },
  { endpoint: 'analytics', intendedNs: 0, sentNs: 5 * ms, answeredNs: 95 * ms },
  { endpoint: 'analytics', intendedNs: 0, sentNs: 0, answeredNs: 900 * ms, probe: 'bad-key' },
  { endpoint: 'interact', notSent: 'no-session' },
];

/** The cells of the rows of all tables, as text. */
function rowsIn(figures: readonly ReportFigure[]): string[][] {
  return figures.flatMap((each) =>
    each.kind === 'table' ? each.rows.map(({ cells }) => cells.map(plain)) : [],
  );
}

describe('the traces in a report', () => {
  it('are those of the slowest requests, without probes and what was not sent', async () => {
    const part = await withHistory({ run: { trace_run }, requests }, slowest);
    const rows = rowsIn(part).map(([seq, , request, , service, response, trace]) => [
      seq,
      request,
      service,
      response,
      trace,
    ]);
    expect(rows).toEqual([
      ['3', 'analytics', '90', '95', traceId(trace_run, 3)],
      ['2', 'list-shades', '30', '30', traceId(trace_run, 2)],
      ['1', 'list-shades', '10', '10', traceId(trace_run, 1)],
    ]);
  });

  it('are left out of a run whose requests carried none', async () => {
    expect(await withHistory({ requests }, slowest)).toEqual([]);
  });

  it('are links where the profile says to where, and nothing in that can end the link', async () => {
    const link = 'https://traces.example/{trace_id}?"><script>';
    const text = await withHistory(
      { run: { trace_run }, profile: { traces: { link } } },
      async (history) => textHtml(traceOf(history, 1)).text,
    );
    expect(text).toContain(
      `<a href="https://traces.example/${traceId(trace_run, 1)}?&quot;&gt;&lt;script&gt;"`,
    );
  });
});

describe('the target’s own part of the service time', () => {
  it('is shown by endpoint and duration, with its share of the service time of the same answers', async () => {
    const part = await withHistory({ requests }, serverTiming);
    expect(rowsIn(part)).toEqual([
      ['list-shades', 'db', '2', '2', '8', '8', '25 %'],
      ['list-shades', 'app', '1', '4', '4', '4', '40 %'],
    ]);
  });

  it('is left out where the target says nothing of it', async () => {
    const silent = requests?.map(({ serverTiming: _timing, ...request }) => request) ?? [];
    expect(await withHistory({ requests: silent }, serverTiming)).toEqual([]);
  });
});

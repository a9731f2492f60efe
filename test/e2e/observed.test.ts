import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openHistory } from '../../src/history/history.ts';
import { programVersion } from '../../src/program-files.ts';
import { traceId } from '../../src/vocabulary/trace-id.ts';
import { answeredIn, type Got, startCollector } from '../drive/observe/observed.ts';
import { startForeignService } from './foreign-service.ts';
import { atEnd, patiently, profileArguments, scenario, temporaryFolder, tryon } from './program.ts';

/** Requests by endpoint and outcome, as the last export has them. */
function countsIn(got: Got | undefined): Record<string, number> {
  return Object.fromEntries(
    (got?.points('tryon.response.duration') ?? []).map(({ attributes, count }) => [
      `${attributes['tryon.endpoint']} ${attributes['http.response.status_code'] ?? attributes['error.type']}`,
      count,
    ]),
  );
}

it('a run of two workers is in a collector to the last request, each of them a trace', async () => {
  const heads: IncomingHttpHeaders[] = [];
  const service = await startForeignService({
    limit: { requests: 1_000, windowMs: 60_000 },
    sabotage: ({ headers }, response) => {
      heads.push(headers);
      response.setHeader('server-timing', 'app;dur=1.5, db;dur=0.25;desc="a, b"');
      return false;
    },
  });
  atEnd(() => service.close());
  const collector = await startCollector();
  atEnd(() => collector.close());
  const out = join(temporaryFolder(), 'run');
  const link = 'https://traces.example/{trace_id}';
  const { stderr, stdout } = await tryon(
    [
      ...['run', scenario('observed'), '--target', service.baseUrl, '--key', 'load=LOAD', '--out', out],
      ...['--workers', '2', '--otlp', collector.url],
      ...profileArguments({ ...patiently, traces: { link } }),
    ],
    { env: { LOAD: service.keys.load, OTEL_METRIC_EXPORT_INTERVAL: '250' } },
  );
  expect(stderr).not.toContain('exports of metrics failed');
  expect(stdout).toContain(`OTLP to ${collector.url} every 0.25 s`);
  const history = await openHistory(out);
  const expected = await answeredIn(history);
  const sent = await history.rows(
    z.object({ seq: z.number(), server_timing: z.string().nullable() }),
    'SELECT seq, server_timing FROM requests WHERE sent_ns IS NOT NULL',
  );
  history.close();

  expect(collector.exports.length).toBeGreaterThan(1);
  expect(countsIn(collector.exports.at(-1))).toEqual(
    Object.fromEntries(expected.map(({ endpoint, n, outcome }) => [`${endpoint} ${outcome}`, n])),
  );
  const run = history.run.trace_run ?? '';
  expect(sent.length).toBeGreaterThan(100);
  expect(new Set(heads.map(({ traceparent }) => String(traceparent).split('-')[1]))).toEqual(
    new Set(sent.map(({ seq }) => traceId(run, seq))),
  );
  expect(new Set(heads.map((headers) => headers['user-agent']))).toEqual(
    new Set([`tryon/${programVersion()}`]),
  );
  expect(new Set(sent.map(({ server_timing }) => server_timing))).toEqual(new Set(['app=1.5 db=0.25']));

  const report = readFileSync(join(out, 'report.html'), 'utf8');
  const linked = [...report.matchAll(/https:\/\/traces\.example\/([0-9a-f]{32})"/g)].map(([, id]) => id);
  const known = new Set(sent.map(({ seq }) => traceId(run, seq)));
  expect(linked.length).toBeGreaterThan(0);
  expect(linked.filter((id) => !known.has(id ?? ''))).toEqual([]);
  expect(report).toContain('Durations from Server-Timing in milliseconds');
});

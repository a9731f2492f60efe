import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type Exporting,
  type RunDetails,
  routesOf,
  startExporting,
} from '../../../src/drive/observe/exporting.ts';
import { Figures, figuresMemory } from '../../../src/drive/observe/figures.ts';
import { profileSchema } from '../../../src/target/profile.ts';
import { type SampleRequest, sampleRequest, withHistory } from '../../history/sample.ts';
import { Started } from '../../limits/foreign/fixture.ts';
import { freePort, isInstalled, startProgram, temporaryFolder } from '../../limits/foreign/programs.ts';
import { answeredIn, type Got, parsePrometheus, type Series, startCollector } from './observed.ts';

const second = 1e9;
/** Of every kind that a metric tells apart. */
const requests: readonly SampleRequest[] = [
  {
    endpoint: 'create-session',
    status: 201,
    intendedNs: 0,
    sentNs: 0.01 * second,
    answeredNs: 0.02 * second,
  },
  { endpoint: 'create-session', status: 201, intendedNs: 0, sentNs: 1 * second, answeredNs: 3 * second },
  { endpoint: 'create-session', status: 429, credential: 'bystander' },
  { endpoint: 'create-session', status: 201, credential: 'quota' },
  { endpoint: 'create-session', status: 402, credential: 'quota' },
  { endpoint: 'read-session', status: 200 },
  { endpoint: 'list-shades', status: 200 },
  { endpoint: 'list-shades', status: 500, probe: 'bad-key' },
  { endpoint: 'interact', status: 202, credential: 'session' },
  { endpoint: 'interact', lost: 'timeout', credential: 'session', answeredNs: 9 * second },
  { endpoint: 'interact', notSent: 'in-flight-bound' },
  { endpoint: 'analytics', notSent: 'stopped' },
];

const facts: RunDetails = {
  run: 'abc12345',
  scenario: 'sample',
  version: '1.2.3',
  server: { address: '127.0.0.1', port: 80 },
  routes: routesOf({ profile: profileSchema.parse({}), baseUrl: new URL('http://127.0.0.1/v1') }, undefined),
  quota: { sessions: 5, credentials: ['quota'] },
};

/** Exports the sample, a part of it from each of two senders, while `look` looks. */
async function exported<T>(
  places: { readonly otlp?: string },
  look: (exporting: Exporting) => Promise<T>,
): Promise<T> {
  const memories = [figuresMemory(), figuresMemory()];
  const senders = memories.map((memory) => new Figures(memory));
  for (const [at, request] of requests.entries()) senders[at % 2]?.record(sampleRequest(request, at + 1));
  senders[0]?.closed(200);
  const exporting = await startExporting(
    {
      facts,
      startMs: Date.now(),
      memories,
      prometheus: { host: '127.0.0.1', port: 0 },
      ...(places.otlp === undefined ? {} : { otlp: { url: `${places.otlp}/v1/metrics`, everyMs: 60_000 } }),
    },
    () => 7,
    {},
  );
  try {
    return await look(exporting);
  } finally {
    await exporting.close();
  }
}

async function scrape({ port }: Exporting): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  return answer.text();
}

/** Method and path tell endpoints apart. */
function endpointOf(method: unknown, template: unknown): string | undefined {
  return Object.entries(facts.routes).find(
    ([, route]) => route.method === method && route.template === template,
  )?.[0];
}

/** What a collector and Prometheus get of the sample. */
async function shown(): Promise<{
  readonly got: Got | undefined;
  readonly series: readonly Series[];
  readonly unsent: string | undefined;
}> {
  const collector = await startCollector();
  const { text, unsent } = await exported({ otlp: collector.url }, async (exporting) => ({
    text: await scrape(exporting),
    unsent: await exporting.flush(),
  }));
  await collector.close();
  return { got: collector.exports[0], series: parsePrometheus(text), unsent };
}

describe('a run that is observed', () => {
  let sample: Awaited<ReturnType<typeof shown>>;
  beforeAll(async () => {
    sample = await shown();
  });

  it('sends a collector the counts and sums that its history has', async () => {
    const { got, unsent } = sample;
    expect(unsent).toBeUndefined();
    expect(got?.resource).toMatchObject({ 'service.name': 'tryon', 'service.instance.id': 'abc12345' });
    const expected = await withHistory({ requests }, answeredIn);
    const latencies = got?.points('http.client.request.duration').map(({ attributes, count, sum }) => ({
      endpoint: endpointOf(attributes['http.request.method'], attributes['url.template']),
      outcome: String(attributes['http.response.status_code'] ?? attributes['error.type']),
      n: count,
      sum,
    }));
    expect(new Set(latencies)).toEqual(
      new Set(
        expected.map(({ endpoint, n, outcome, service }) => ({
          endpoint,
          outcome,
          n,
          sum: expect.closeTo(service, 6),
        })),
      ),
    );
    const responses = got?.points('tryon.response.duration') ?? [];
    const sum = responses.reduce((all, point) => all + (point.sum ?? 0), 0);
    expect(sum).toBeCloseTo(
      expected.reduce((all, { response }) => all + response, 0),
      6,
    );
  });

  it('follows the semantic conventions in the attributes of service time', () => {
    const points = sample.got?.points('http.client.request.duration') ?? [];
    const attributesOf = (outcome: string): unknown =>
      points.find(({ attributes }) => attributes['error.type'] === outcome)?.attributes;
    const server = { 'server.address': '127.0.0.1', 'server.port': 80 };
    expect(attributesOf('429')).toEqual({
      ...server,
      'http.request.method': 'POST',
      'url.template': '/v1/sessions',
      'http.response.status_code': 429,
      'error.type': '429',
    });
    expect(attributesOf('timeout')).toEqual({
      ...server,
      'http.request.method': 'POST',
      'url.template': '/v1/sessions/{session_id}/interactions',
      'error.type': 'timeout',
    });
  });

  it('shows Prometheus the counts that its history has, and those of tryon by key', async () => {
    const { series } = sample;
    const expected = await withHistory({ requests }, answeredIn);
    const counts = series
      .filter(({ name }) => name === 'http_client_request_duration_seconds_count')
      .map(({ labels, value }) => [
        endpointOf(labels.http_request_method, labels.url_template),
        labels.http_response_status_code ?? labels.error_type,
        value,
      ]);
    expect(new Set(counts)).toEqual(
      new Set(expected.map(({ endpoint, n, outcome }) => [endpoint, outcome, n])),
    );
    const valuesOf = (name: string, credential?: string): number[] =>
      series
        .filter(({ labels, name: each }) => each === name && labels.tryon_credential === credential)
        .map(({ value }) => value);
    expect({
      rejected: valuesOf('tryon_requests_rejected_total', 'bystander'),
      'over quota': valuesOf('tryon_requests_over_quota_total', 'quota'),
      'quota left': valuesOf('tryon_quota_left', 'quota'),
      'not sent': valuesOf('tryon_requests_not_sent_total'),
      'closed loops': valuesOf('tryon_closed_loop_requests_total'),
    }).toEqual({
      rejected: [1],
      'over quota': [1],
      'quota left': [4],
      'not sent': [1, 1],
      'closed loops': [1],
    });
  });

  it('says at its end that a collector did not take its metrics', async () => {
    const collector = await startCollector(500);
    const unsent = await exported({ otlp: collector.url }, (exporting) => exporting.flush());
    await collector.close();
    expect(unsent).toMatch(/^1 of 1 exports of metrics failed, the last one with: .+/);
  });

  it('cannot begin where its port is taken, and says so', async () => {
    const taken = await startCollector();
    const port = Number(new URL(taken.url).port);
    const starting = startExporting(
      { facts, startMs: 0, memories: [], prometheus: { host: '127.0.0.1', port } },
      () => 0,
      {},
    );
    await expect(starting).rejects.toThrow(/EADDRINUSE/);
    await taken.close();
  });
});

const dashboardSchema = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
});
const file = join(import.meta.dirname, '../../../docs/grafana-dashboard.json');
const queries = dashboardSchema
  .parse(JSON.parse(readFileSync(file, 'utf8')))
  .panels.flatMap(({ targets, title }) => targets.map(({ expr }) => [title, expr] as const));

const resultSchema = z.object({ status: z.string(), data: z.object({ result: z.array(z.unknown()) }) });

describe.runIf(isInstalled('prometheus'))('Prometheus', () => {
  it('takes the metrics as they are, and has an answer to every query of the dashboard', async () => {
    const started = new Started();
    const unanswered = await exported({}, async (exporting) => {
      const checked = spawnSync('promtool', ['check', 'metrics'], {
        input: await scrape(exporting),
        encoding: 'utf8',
      });
      expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
      const port = await startPrometheus(started, exporting.port ?? 0);
      const left = new Set(queries.map(([, expr]) => expr));
      await expect
        .poll(async () => {
          for (const expr of left) if (await isAnswered(port, expr)) left.delete(expr);
          return [...left];
        })
        .toEqual([]);
      return left.size;
    }).finally(() => started.stop());
    expect([unanswered, queries.length > 10]).toEqual([0, true]);
  });
});

/** Starts one that reads the metrics ten times a second, and returns its port. */
async function startPrometheus(started: Started, metricsPort: number): Promise<number> {
  const folder = temporaryFolder(started);
  const config = join(folder, 'prometheus.yml');
  writeFileSync(
    config,
    `scrape_configs: [{ job_name: tryon, scrape_interval: 100ms, scrape_timeout: 100ms, static_configs: [{ targets: ['127.0.0.1:${metricsPort}'] }] }]`,
  );
  const port = await freePort();
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  await startProgram(started, 'prometheus', args, port);
  return port;
}

async function isAnswered(port: number, expr: string): Promise<boolean> {
  const query = expr.replaceAll('$instance', '.+').replaceAll('$__rate_interval', '1m');
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`);
  if (!answer.ok) return false;
  const { data, status } = resultSchema.parse(await answer.json());
  return status === 'success' && data.result.length > 0;
}

it('verdicts are shown to a collector as metrics and events, and to Prometheus until it has read them', async () => {
  const collector = await startCollector();
  const { series } = await exported({ otlp: collector.url }, async (exporting) => {
    await scrape(exporting);
    const judged = exporting.judged({
      checks: [
        { id: 'latency.slo.1', verdict: 'fail', text: 'Expected at most 500 ms.' },
        { id: 'quota.edge', verdict: 'pass', text: 'Exactly 200.' },
      ],
      bounds: [{ id: 'latency.slo.1', atMs: 700, boundMs: 500 }],
    });
    const read = await scrape(exporting);
    await judged;
    return { series: parsePrometheus(read) };
  });
  await collector.close();
  const found = series.flatMap(({ labels, name, value }) =>
    /^tryon_(check|slo)/.test(name) ? [[name, labels.id, labels.verdict, value]] : [],
  );
  expect(found).toEqual([
    ['tryon_check', 'latency.slo.1', 'fail', 1],
    ['tryon_check', 'quota.edge', 'pass', 1],
    ['tryon_slo_value_seconds', 'latency.slo.1', undefined, 0.7],
    ['tryon_slo_bound_seconds', 'latency.slo.1', undefined, 0.5],
  ]);
  expect(collector.exports.at(-1)?.points('tryon.check')).toHaveLength(2);
  expect(collector.events).toEqual([
    [
      ...(['tryon.verdict', 'ERROR', 'Expected at most 500 ms.'] as const),
      { 'tryon.check': 'latency.slo.1', 'tryon.verdict': 'fail' },
    ],
    [
      ...(['tryon.verdict', 'INFO', 'Exactly 200.'] as const),
      { 'tryon.check': 'quota.edge', 'tryon.verdict': 'pass' },
    ],
  ]);
});

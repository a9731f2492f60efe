/**
 * The exporting thread: shows the figures of a run's senders to a collector and to Prometheus. The SDK lives here alone,
 * so that no request waits for it.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { SeverityNumber } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { type IMetricReader, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { ExportTask, FromExporter, RunVerdicts, ToExporter } from './exporting.ts';
import { readCells } from './figures.ts';
import { RunMetrics } from './metrics.ts';

/** A collector that does not answer must not hold up the end of a run. */
const flushWithinMs = 3_000;

const { facts, inFlight, memories, otlp, prometheus, startMs } = workerData as ExportTask;
const inFlightNow = new Int32Array(inFlight);

let verdicts: RunVerdicts | undefined;

/** When Prometheus read the metrics last, the longest time between two readings (there may be two readers), and who waits. */
const scraped = { atMs: Number.NEGATIVE_INFINITY, everyMs: 0, next: Promise.withResolvers<void>() };
/** Prometheus reads every 15 s or more often, unless it was seen to do otherwise. */
const usualScrapeMs = 15_000;
const longestScrapeMs = 60_000;

function onScrape(): void {
  const nowMs = performance.now();
  if (Number.isFinite(scraped.atMs)) scraped.everyMs = Math.max(scraped.everyMs, nowMs - scraped.atMs);
  scraped.atMs = nowMs;
  scraped.next.resolve();
}

/** Until Prometheus reads again, if it did before: somewhat longer than between two readings. */
async function untilScraped(): Promise<void> {
  if (!Number.isFinite(scraped.atMs)) return;
  scraped.next = Promise.withResolvers();
  const everyMs = scraped.everyMs > 0 ? 1.2 * scraped.everyMs : usualScrapeMs;
  const wait = setTimeout(Math.min(everyMs, longestScrapeMs), undefined, { ref: false });
  await Promise.race([scraped.next.promise, wait]);
}

/** For one reader. */
function producerFor(reader: 'collector' | 'prometheus'): RunMetrics {
  const read = () => ({ cells: readCells(memories), inFlight: Atomics.load(inFlightNow, 0), verdicts });
  return new RunMetrics(facts, startMs, read, reader);
}

/** Counts what became of its exports. */
class CountingExporter extends OTLPMetricExporter {
  exports = 0;
  failed = 0;
  why = '';

  override export(...[metrics, told]: Parameters<OTLPMetricExporter['export']>): void {
    super.export(metrics, (result) => {
      this.exports++;
      if (result.error !== undefined) {
        this.failed++;
        this.why = result.error.message;
      }
      told(result);
    });
  }
}

const severities = {
  pass: SeverityNumber.INFO,
  inconclusive: SeverityNumber.WARN,
  fail: SeverityNumber.ERROR,
} as const;

/** Sends each verdict as an event, where a place for events is known. One that is not taken costs nothing else. */
async function sendEvents({ checks }: RunVerdicts, resource: Resource): Promise<void> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: logs = all } = process.env;
  const url = otlp?.url?.replace(/metrics$/, 'logs');
  if (otlp === undefined || !(url ?? logs) || process.env.OTEL_LOGS_EXPORTER === 'none') return;
  const exporter = new OTLPLogExporter(url === undefined ? {} : { url });
  const provider = new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter })] });
  const logger = provider.getLogger('tryon', facts.version);
  for (const { id, text, verdict } of checks)
    logger.emit({
      eventName: 'tryon.verdict',
      severityNumber: severities[verdict],
      severityText: SeverityNumber[severities[verdict]],
      body: text,
      attributes: { 'tryon.check': id, 'tryon.verdict': verdict },
    });
  await provider.forceFlush({ timeoutMillis: flushWithinMs }).catch(() => undefined);
}

function startServer(exporter: PrometheusExporter, host: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url?.split('?', 1)[0] === '/metrics') {
      response.once('finish', onScrape);
      exporter.getMetricsRequestHandler(request, response);
    } else response.writeHead(404).end('The metrics are at /metrics\n');
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

function tell(message: FromExporter): void {
  parentPort?.postMessage(message);
}

async function open(): Promise<void> {
  const readers: IMetricReader[] = [];
  let exporter: CountingExporter | undefined;
  if (otlp !== undefined) {
    exporter = new CountingExporter(otlp.url === undefined ? {} : { url: otlp.url });
    readers.push(
      new PeriodicExportingMetricReader({
        exporter,
        exportIntervalMillis: otlp.everyMs,
        metricProducers: [producerFor('collector')],
      }),
    );
  }
  const shown =
    prometheus === undefined
      ? undefined
      : new PrometheusExporter({
          preventServerStart: true,
          withoutScopeInfo: true,
          withResourceConstantLabels: /^tryon\./,
          metricProducers: [producerFor('prometheus')],
        });
  if (shown !== undefined) readers.push(shown);
  const resource = resourceFromAttributes({
    'service.name': 'tryon',
    'service.version': facts.version,
    'service.instance.id': facts.run,
    'tryon.run': facts.run,
    'tryon.scenario': facts.scenario,
  }).merge(detectResources({ detectors: [envDetector] }));
  const provider = new MeterProvider({ readers, resource });
  const server =
    shown === undefined || prometheus === undefined
      ? undefined
      : await startServer(shown, prometheus.host, prometheus.port);
  parentPort?.on('message', async (message: ToExporter) => {
    if (message === 'close') {
      server?.close();
      server?.closeAllConnections();
      parentPort?.close();
      return;
    }
    if (message !== 'flush') verdicts = message;
    // A reading that comes while metrics are sent has the verdicts already.
    const read = message === 'flush' ? undefined : untilScraped();
    const late = await provider.forceFlush({ timeoutMillis: flushWithinMs }).then(
      () => 0,
      () => 1,
    );
    if (message !== 'flush') await Promise.all([sendEvents(message, resource), read]);
    const { exports = 0, failed = 0, why = '' } = exporter ?? {};
    tell({
      kind: 'flushed',
      exports: exports + late,
      failed: failed + late,
      why: late === 0 ? why : `no answer within ${flushWithinMs / 1e3} s`,
    });
  });
  tell({ kind: 'ready', port: (server?.address() as AddressInfo | undefined)?.port });
}

open().catch((error: unknown) => {
  tell({ kind: 'failed', why: error instanceof Error ? error.message : String(error) });
  parentPort?.close();
});

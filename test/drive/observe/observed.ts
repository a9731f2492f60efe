import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { History } from '../../../src/history/history.ts';

const attributeSchema = z.object({
  key: z.string(),
  value: z.object({ stringValue: z.string(), doubleValue: z.number(), intValue: z.number() }).partial(),
});
const pointSchema = z.object({
  attributes: z.array(attributeSchema),
  count: z.number().optional(),
  sum: z.number().optional(),
  asDouble: z.number().optional(),
  bucketCounts: z.array(z.number()).optional(),
});
const data = z.object({ dataPoints: z.array(pointSchema) });
const metricSchema = z.object({
  name: z.string(),
  unit: z.string(),
  histogram: data.optional(),
  sum: data.extend({ isMonotonic: z.boolean().optional() }).optional(),
  gauge: data.optional(),
});
const bodySchema = z.object({
  resourceMetrics: z.tuple([
    z.object({
      resource: z.object({ attributes: z.array(attributeSchema) }),
      scopeMetrics: z.array(z.object({ metrics: z.array(metricSchema) })),
    }),
  ]),
});

const eventsSchema = z.object({
  resourceLogs: z.tuple([
    z.object({
      resource: z.object({ attributes: z.array(attributeSchema) }),
      scopeLogs: z.tuple([
        z.object({
          logRecords: z.array(
            z.object({
              eventName: z.string(),
              severityText: z.string(),
              body: z.object({ stringValue: z.string() }),
              attributes: z.array(attributeSchema),
            }),
          ),
        }),
      ]),
    }),
  ]),
});

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** A point of a metric, as a collector gets it. */
export interface GotPoint {
  readonly attributes: Attributes;
  /** Of a histogram, or the value of another metric. */
  readonly count: number;
  readonly sum: number | undefined;
}

/** What a collector got in one export. */
export interface Got {
  readonly resource: Attributes;
  readonly points: (metric: string) => readonly GotPoint[];
}

/** A collector on loopback that takes OTLP in JSON. */
export interface Collector {
  readonly url: string;
  readonly exports: readonly Got[];
  /** Each as its name, severity, text and attributes. */
  readonly events: readonly (readonly [string, string, string, Attributes])[];
  close(): Promise<void>;
}

/** `status`: what it answers with. */
export async function startCollector(status = 200): Promise<Collector> {
  const exports: Got[] = [];
  const events: Collector['events'][number][] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    if (status === 200 && request.url === '/v1/metrics')
      exports.push(gotOf(Buffer.concat(pieces).toString()));
    if (status === 200 && request.url === '/v1/logs')
      events.push(...eventsOf(Buffer.concat(pieces).toString()));
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    exports,
    events,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function eventsOf(text: string): Collector['events'] {
  const [{ scopeLogs }] = eventsSchema.parse(JSON.parse(text)).resourceLogs;
  return scopeLogs[0].logRecords.map(({ attributes, body, eventName, severityText }) => [
    ...([eventName, severityText, body.stringValue] as const),
    attributesOf(attributes),
  ]);
}

function gotOf(text: string): Got {
  const [{ resource, scopeMetrics }] = bodySchema.parse(JSON.parse(text)).resourceMetrics;
  const metrics = scopeMetrics.flatMap((scope) => scope.metrics);
  return {
    resource: attributesOf(resource.attributes),
    points: (name) => {
      const metric = metrics.find((each) => each.name === name);
      const { dataPoints = [] } = metric?.histogram ?? metric?.sum ?? metric?.gauge ?? {};
      return dataPoints.map(({ asDouble = 0, attributes, bucketCounts, count, sum }) => {
        const inBuckets = bucketCounts?.reduce((all, each) => all + each, 0);
        return { attributes: attributesOf(attributes), count: inBuckets ?? count ?? asDouble, sum };
      });
    },
  };
}

function attributesOf(attributes: readonly z.output<typeof attributeSchema>[]): Attributes {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]),
  );
}

/** A line of Prometheus' text. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function parsePrometheus(text: string): Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [line];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])),
        value: Number(value),
      };
    });
}

const answeredRow = z.object({
  endpoint: z.string(),
  outcome: z.string(),
  n: z.number(),
  service: z.number(),
  response: z.number(),
});

/** Requests that have an end in a history, by endpoint and outcome, with their latencies in seconds. */
export function answeredIn(history: History): Promise<z.output<typeof answeredRow>[]> {
  return history.rows(
    answeredRow,
    `SELECT endpoint, coalesce(CAST(status AS VARCHAR), lost) AS outcome, count(*) AS n,
       sum(answered_ns - sent_ns) / 1e9 AS service, sum(answered_ns - intended_ns) / 1e9 AS response
     FROM requests WHERE answered_ns IS NOT NULL GROUP BY ALL ORDER BY ALL`,
  );
}

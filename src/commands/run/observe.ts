import { createHash } from 'node:crypto';
import type { Observed } from '../../drive/load/load.ts';
import { usageError } from '../../exit.ts';
import { type Exporting, startExporting } from '../../observe/exporting.ts';
import { figuresMemory } from '../../observe/figures.ts';
import type { RunDetails } from '../../observe/metrics.ts';
import { routesOf } from '../../observe/routes.ts';
import { programVersion } from '../../program-files.ts';
import type { Translation } from '../../target/adapt/translation.ts';
import { traceRunDigits } from '../../vocabulary/trace-id.ts';
import type { ObserveSettings } from '../observe-options.ts';
import type { Target } from './open-target.ts';

/** What an observed run is told of itself. */
interface ObservedRun {
  readonly target: Target;
  readonly translation: Translation | undefined;
  readonly tag: string;
  readonly scenario: string;
  readonly zeroEpochMs: number;
  readonly workers: number;
  readonly inFlight: () => number;
}

/** A run as other programs see it while it goes on. */
interface Observation {
  readonly observed: Observed;
  /** Lines for the announcement. */
  readonly text: string;
  /** Sends the last metrics; returns a sentence if some could not be sent. */
  flush(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Opens what the settings say. Throws a usage error where metrics cannot be shown. */
export async function observe(
  settings: ObserveSettings,
  run: ObservedRun,
  env: NodeJS.ProcessEnv,
): Promise<Observation> {
  const traceRun = settings.isTraced ? traceRunOf(run) : undefined;
  const { otlp, prometheus } = settings;
  const isCounted = otlp !== undefined || prometheus !== undefined;
  // With several workers the main thread is a sender as well.
  const memories = isCounted ? Array.from({ length: run.workers + 1 }, figuresMemory) : undefined;
  const exporting =
    memories === undefined ? undefined : await openExporting(settings, { run, memories, env });
  const lines = [
    ...(otlp === undefined
      ? []
      : [`Metrics  OTLP to ${shownUrl(otlp.url, env)} every ${otlp.everyMs / 1e3} s`]),
    ...(prometheus === undefined
      ? []
      : [
          `Metrics  http://${hostOf(prometheus.host)}:${exporting?.port}/metrics, until the run has been judged`,
        ]),
    ...(settings.note === undefined ? [] : [`Metrics  ${settings.note}`]),
    ...(traceRun === undefined ? [] : ['Traces   every request carries a traceparent header']),
  ];
  return {
    observed: { memories, traceRun },
    text: lines.map((line) => `${line}\n`).join(''),
    flush: () => exporting?.flush() ?? Promise.resolve(undefined),
    close: () => exporting?.close() ?? Promise.resolve(),
  };
}

async function openExporting(
  { k6Names, otlp, prometheus }: ObserveSettings,
  {
    env,
    memories,
    run,
  }: {
    readonly run: ObservedRun;
    readonly memories: readonly SharedArrayBuffer[];
    readonly env: NodeJS.ProcessEnv;
  },
): Promise<Exporting> {
  const task = {
    facts: factsOf(run),
    startMs: run.zeroEpochMs,
    memories,
    k6Names,
    ...(otlp === undefined ? {} : { otlp }),
    ...(prometheus === undefined ? {} : { prometheus }),
  };
  try {
    return await startExporting(task, run.inFlight, env);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const option = prometheus === undefined ? '--otlp' : '--metrics-port';
    throw usageError(`${option}: metrics cannot be shown: ${why}. Nothing was sent`, error);
  }
}

function factsOf({ scenario, tag, target, translation }: ObservedRun): RunDetails {
  const { baseUrl, profile } = target;
  const { sessions, twin } = profile.quota;
  return {
    run: tag,
    scenario,
    version: programVersion(),
    server: {
      address: baseUrl.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(baseUrl.port || (baseUrl.protocol === 'https:' ? 443 : 80)),
    },
    routes: routesOf(target, translation),
    ...(sessions === undefined
      ? {}
      : {
          quota: {
            sessions,
            credentials: twin === 'same-account' ? (['quota', 'twin'] as const) : (['quota'] as const),
          },
        }),
  };
}

/** The run's digits of its trace ids. The tag alone has 32 bits, too few to tell all runs of a backend apart. */
function traceRunOf({ tag, zeroEpochMs }: ObservedRun): string {
  return createHash('sha256').update(`${tag} ${zeroEpochMs}`).digest('hex').slice(0, traceRunDigits);
}

/** Without what might be a secret in it. */
function shownUrl(url: string | undefined, env: NodeJS.ProcessEnv): string {
  const said = url ?? env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT ?? '';
  return URL.parse(said)?.origin ?? 'the collector of the environment';
}

function hostOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

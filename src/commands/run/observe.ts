import { createHash } from 'node:crypto';
import type { Judgement } from '../../checks/diagnosis/diagnosis.ts';
import type { Clock } from '../../drive/clock/clock.ts';
import type { Observed } from '../../drive/load/load.ts';
import {
  type Exporting,
  type RunDetails,
  type RunVerdicts,
  routesOf,
  startExporting,
} from '../../drive/observe/exporting.ts';
import { figuresMemory } from '../../drive/observe/figures.ts';
import { usageError } from '../../exit.ts';
import { assertInstalled, programVersion } from '../../program-files.ts';
import type { Translation } from '../../target/calls.ts';
import { traceRunDigits } from '../../vocabulary/trace-id.ts';
import type { ObserveArguments } from '../options.ts';
import type { PlannedRun } from './plan-run.ts';

interface ObservedRun {
  readonly run: Pick<PlannedRun, 'scenario' | 'tag' | 'target' | 'workers'>;
  readonly translation: Translation | undefined;
  readonly clock: Pick<Clock, 'zeroEpochMs'>;
  readonly inFlight: () => number;
}

/** A run as other programs see it while it goes on. */
export interface Observation {
  readonly observed: Observed;
  /** Lines for the announcement. */
  readonly text: string;
  /** Where metrics go somewhere. */
  readonly exporting: Exporting | undefined;
}

/** Opens what the settings say. Throws a usage error where metrics cannot be shown. */
export async function observe(settings: ObserveSettings, observed: ObservedRun): Promise<Observation> {
  const { env, isTraced, note, otlp, prometheus } = settings;
  // The tag alone has 32 bits, too few to tell all runs of a backend apart.
  const unique = `${observed.run.tag} ${observed.clock.zeroEpochMs}`;
  const traceRun = isTraced
    ? createHash('sha256').update(unique).digest('hex').slice(0, traceRunDigits)
    : undefined;
  const isCounted = otlp !== undefined || prometheus !== undefined;
  // With several workers the main thread is a sender as well.
  const memories = isCounted
    ? Array.from({ length: observed.run.workers.count + 1 }, figuresMemory)
    : undefined;
  const task = memories && {
    ...{ facts: factsOf(observed), startMs: observed.clock.zeroEpochMs, memories },
    ...(otlp === undefined ? {} : { otlp }),
    ...(prometheus === undefined ? {} : { prometheus }),
  };
  const name = prometheus === undefined ? '--otlp' : '--metrics-port';
  if (task !== undefined) assertInstalled(name, /^@opentelemetry/);
  const exporting =
    task &&
    (await startExporting(task, observed.inFlight, env).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw usageError(`${name}: metrics cannot be shown: ${why}. Nothing was sent`, error);
    }));
  const lines = [
    otlp && `Metrics  OTLP to ${shownUrl(otlp.url, env)} every ${otlp.everyMs / 1e3} s`,
    prometheus &&
      `Metrics  http://${prometheus.host.includes(':') ? `[${prometheus.host}]` : prometheus.host}:${exporting?.port}/metrics, until the run has been judged`,
    note && `Metrics  ${note}`,
    traceRun && 'Traces   every request carries a traceparent header',
  ];
  const text = lines.map((line) => (line === undefined ? '' : `${line}\n`)).join('');
  return { observed: { memories, traceRun }, text, exporting };
}

/** The verdicts as metrics and events. */
export function verdictsOf({ checks }: Judgement): RunVerdicts {
  return {
    checks: checks.map(({ explanation, id, verdict }) => ({ id, verdict, text: explanation })),
    bounds: checks.flatMap(({ id, reasons }) =>
      reasons.flatMap((each) =>
        each.code === 'slo-kept' || each.code === 'slo-over'
          ? [{ id, atMs: each.params.atMs, boundMs: each.params.boundMs }]
          : [],
      ),
    ),
  };
}

function factsOf({ run: { scenario, tag, target }, translation }: ObservedRun): RunDetails {
  const { baseUrl, profile } = target;
  const { sessions, twin } = profile.quota;
  return {
    run: tag,
    scenario: scenario.name,
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

/** Without what might be a secret in it. */
function shownUrl(url: string | undefined, env: NodeJS.ProcessEnv): string {
  const said = url ?? env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT ?? '';
  return URL.parse(said)?.origin ?? 'the collector of the environment';
}

/** Where metrics go, and whether requests carry a `traceparent`. */
export interface ObserveSettings {
  /** `url`: where metrics are posted; undefined where the environment says it. */
  readonly otlp: { readonly url: string | undefined; readonly everyMs: number } | undefined;
  readonly prometheus: { readonly host: string; readonly port: number } | undefined;
  readonly isTraced: boolean;
  /** Why metrics do not go where the environment says. */
  readonly note: string | undefined;
  /** The environment that was read, which the exporters read as well. */
  readonly env: NodeJS.ProcessEnv;
}

/** Often enough for a run of minutes; OpenTelemetry's own default is a minute. */
const exportEveryMs = 5_000;

/** What arguments and environment say. Throws a usage error that names the option. */
export function readObserveSettings(args: ObserveArguments, env: NodeJS.ProcessEnv): ObserveSettings {
  const said = otlpInEnvironment(env);
  const url = args.otlp === undefined ? undefined : metricsUrl(args.otlp);
  const everyMs = Number(env.OTEL_METRIC_EXPORT_INTERVAL);
  const otlp =
    url === undefined && said !== 'on'
      ? undefined
      : { url, everyMs: Number.isInteger(everyMs) && everyMs > 0 ? everyMs : exportEveryMs };
  const prometheus = args['metrics-port'] === undefined ? undefined : placeOf(args['metrics-port']);
  return {
    otlp,
    prometheus,
    isTraced: args.traceparent ?? otlp !== undefined,
    note: otlp === undefined && said !== 'off' && said !== 'on' ? said : undefined,
    env,
  };
}

/** Whether the standard variables name a collector; a sentence where they name one that cannot be used. */
function otlpInEnvironment(env: NodeJS.ProcessEnv): 'on' | 'off' | string {
  const endpoint = env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_METRICS_EXPORTER === 'none')
    return 'off';
  const protocol = env.OTEL_EXPORTER_OTLP_METRICS_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  return protocol === 'grpc'
    ? 'not sent: OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and tryon sends OTLP over HTTP. Use --otlp'
    : 'on';
}

function metricsUrl(typed: string): string {
  const url = URL.parse(typed);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usageError(
      `--otlp: expected an http or https URL, such as http://127.0.0.1:4318, got ${JSON.stringify(typed)}`,
    );
  if (!url.pathname.endsWith('/v1/metrics')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/metrics`;
  return url.href;
}

function placeOf(typed: string): { readonly host: string; readonly port: number } {
  const [, host = '127.0.0.1', digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(typed) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535)
    throw usageError(
      `--metrics-port: expected a port from 0 to 65535, or HOST:PORT, got ${JSON.stringify(typed)}`,
    );
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port };
}

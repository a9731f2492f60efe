import { createHash } from 'node:crypto';
import type { Judgement } from '../../checks/diagnosis/diagnosis.ts';
import type { Clock } from '../../drive/clock/clock.ts';
import type { Observed } from '../../drive/load/load.ts';
import {
  type Exporting,
  type RunDetails,
  type RunVerdicts,
  startExporting,
} from '../../drive/observe/exporting.ts';
import { figuresMemory } from '../../drive/observe/figures.ts';
import { routesOf } from '../../drive/observe/routes.ts';
import { usageError } from '../../exit.ts';
import { assertInstalled, programVersion } from '../../program-files.ts';
import type { Translation } from '../../target/translation.ts';
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
  /** Sends the last metrics; returns a sentence if some could not be sent. */
  flush(): Promise<string | undefined>;
  /** Shows the verdicts. */
  judged(judgement: Judgement): Promise<void>;
  close(): Promise<void>;
}

/** Opens what the settings say. Throws a usage error where metrics cannot be shown. */
export async function observe(
  settings: ObserveSettings,
  observed: ObservedRun,
  env: NodeJS.ProcessEnv,
): Promise<Observation> {
  const traceRun = settings.isTraced ? traceRunOf(observed) : undefined;
  const { otlp, prometheus } = settings;
  const isCounted = otlp !== undefined || prometheus !== undefined;
  // With several workers the main thread is a sender as well.
  const memories = isCounted
    ? Array.from({ length: observed.run.workers.count + 1 }, figuresMemory)
    : undefined;
  const exporting =
    memories === undefined ? undefined : await openExporting(settings, { observed, memories, env });
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
    judged: (judgement) => exporting?.judged(verdictsOf(judgement)) ?? Promise.resolve(),
    close: () => exporting?.close() ?? Promise.resolve(),
  };
}

function verdictsOf({ checks }: Judgement): RunVerdicts {
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

async function openExporting(
  { otlp, prometheus }: ObserveSettings,
  {
    env,
    memories,
    observed,
  }: {
    readonly observed: ObservedRun;
    readonly memories: readonly SharedArrayBuffer[];
    readonly env: NodeJS.ProcessEnv;
  },
): Promise<Exporting> {
  const task = {
    facts: factsOf(observed),
    startMs: observed.clock.zeroEpochMs,
    memories,
    ...(otlp === undefined ? {} : { otlp }),
    ...(prometheus === undefined ? {} : { prometheus }),
  };
  const name = prometheus === undefined ? '--otlp' : '--metrics-port';
  assertInstalled(name, /^@opentelemetry/);
  try {
    return await startExporting(task, observed.inFlight, env);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usageError(`${name}: metrics cannot be shown: ${why}. Nothing was sent`, error);
  }
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

/** The run's digits of its trace ids. The tag alone has 32 bits, too few to tell all runs of a backend apart. */
function traceRunOf({ clock, run }: ObservedRun): string {
  return createHash('sha256')
    .update(`${run.tag} ${clock.zeroEpochMs}`)
    .digest('hex')
    .slice(0, traceRunDigits);
}

/** Without what might be a secret in it. */
function shownUrl(url: string | undefined, env: NodeJS.ProcessEnv): string {
  const said = url ?? env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT ?? '';
  return URL.parse(said)?.origin ?? 'the collector of the environment';
}

function hostOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Where metrics go, and whether requests carry a `traceparent`. */
export interface ObserveSettings {
  /** `url`: where metrics are posted; undefined where the environment says it. */
  readonly otlp: { readonly url: string | undefined; readonly everyMs: number } | undefined;
  readonly prometheus: { readonly host: string; readonly port: number } | undefined;
  readonly isTraced: boolean;
  /** Why metrics do not go where the environment says. */
  readonly note: string | undefined;
}

/** Of a run that shows nothing of itself. */
export const unobserved: ObserveSettings = {
  otlp: undefined,
  prometheus: undefined,
  isTraced: false,
  note: undefined,
};

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

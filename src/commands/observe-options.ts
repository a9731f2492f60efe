import { usageError } from '../exit.ts';
import { type ArgumentsOf, flag, text } from './options.ts';

/** The options of what a run shows of itself to other programs while it goes on. */
export const observeOptions = {
  otlp: text(
    'Send metrics to an OpenTelemetry collector while running, every 5 s: its URL for OTLP over HTTP, such as http://127.0.0.1:4318. The variables OTEL_EXPORTER_OTLP_… do the same',
  ),
  'metrics-port': text(
    'Show metrics to Prometheus while running: a port of 127.0.0.1, or HOST:PORT. 0 takes a free port',
  ),
  'k6-names': flag('Show the metrics under the names of k6 as well, for dashboards that were made for it'),
  traceparent: {
    type: 'boolean',
    describe:
      'Send a traceparent header with each request, so that each is a trace in your backend. On with metrics to a collector; --no-traceparent turns it off',
  },
} as const;

type ObserveArguments = ArgumentsOf<typeof observeOptions>;

/** Where metrics go, and whether requests carry a `traceparent`. */
export interface ObserveSettings {
  /** `url`: where metrics are posted; undefined where the environment says it. */
  readonly otlp: { readonly url: string | undefined; readonly everyMs: number } | undefined;
  readonly prometheus: { readonly host: string; readonly port: number } | undefined;
  readonly k6Names: boolean;
  readonly isTraced: boolean;
  /** Why metrics do not go where the environment says. */
  readonly note: string | undefined;
}

/** Of a run that shows nothing of itself. */
export const unobserved: ObserveSettings = {
  otlp: undefined,
  prometheus: undefined,
  k6Names: false,
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
  const k6Names = args['k6-names'];
  if (k6Names && otlp === undefined && prometheus === undefined)
    throw usageError('--k6-names: expected --otlp or --metrics-port as well, since it renames their metrics');
  return {
    otlp,
    prometheus,
    k6Names,
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

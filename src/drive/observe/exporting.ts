import { Worker } from 'node:worker_threads';
import { programFile } from '../../program-files.ts';
import { endpointName, samples } from '../../target/adapt/adapter-translation.ts';
import { routeOf, type Translation } from '../../target/calls.ts';
import { type Profile, possibleChannels, usualChannel } from '../../target/profile.ts';
import { type Credential, type Endpoint, endpoints } from '../../vocabulary/requests.ts';

/** How often the requests in flight are told. */
const tellEveryMs = 200;

/** The exporting thread, as the run sees it. */
export interface Exporting {
  /** Where Prometheus finds the metrics. */
  readonly port: number | undefined;
  /** Sends the last metrics; returns a sentence if some could not be sent. */
  flush(): Promise<string | undefined>;
  /** Shows the verdicts, too: sends them, and waits until Prometheus, if it reads the metrics, has read them. */
  judged(verdicts: RunVerdicts): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the thread that exports metrics. Throws an error in the system's words where it cannot, such as when the port is
 * taken. `inFlight` is asked now and then; `env`: the environment that the SDK reads.
 */
export async function startExporting(
  task: Omit<ExportTask, 'inFlight'>,
  inFlight: () => number,
  env: NodeJS.ProcessEnv,
): Promise<Exporting> {
  const memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const word = new Int32Array(memory);
  const workerData: ExportTask = { ...task, inFlight: memory };
  const thread = new Worker(programFile('drive/observe/export-worker'), { workerData, env });
  // Metrics are not worth a run.
  thread.on('error', () => undefined);
  const exited = new Promise<FromExporter>((resolve) => {
    thread.once('exit', () => resolve({ kind: 'failed', why: 'the exporting thread ended' }));
  });
  const answer = (): Promise<FromExporter> =>
    Promise.race([new Promise<FromExporter>((resolve) => thread.once('message', resolve)), exited]);
  const first = await answer();
  if (first.kind !== 'ready') throw new Error(first.kind === 'failed' ? first.why : 'no exporting thread');
  const telling = setInterval(() => Atomics.store(word, 0, inFlight()), tellEveryMs);
  telling.unref();
  thread.unref();
  const tell = (message: ToExporter): void => thread.postMessage(message);
  return {
    port: first.port,
    flush: async () => {
      clearInterval(telling);
      Atomics.store(word, 0, 0);
      tell('flush');
      thread.ref();
      const last = await answer();
      thread.unref();
      if (last.kind !== 'flushed') return 'Metrics were not exported: the exporting thread ended.';
      if (last.failed === 0) return undefined;
      return `${last.failed} of ${last.exports} exports of metrics failed, the last one with: ${last.why}`;
    },
    judged: async (verdicts) => {
      tell(verdicts);
      thread.ref();
      await answer();
    },
    close: async () => {
      tell('close');
      thread.ref();
      await exited;
    },
  };
}

/** How a request to an endpoint looks on the wire: its method, and its path with placeholders for ids. */
export interface RouteTemplate {
  readonly method: string;
  readonly template: string;
}

/** How requests look on the wire: a sample of each is made, by map or adapter where there is one. */
export function routesOf(
  { profile, baseUrl }: { readonly profile: Profile; readonly baseUrl: URL },
  translation: Translation | undefined,
): RunDetails['routes'] {
  const [channel = usualChannel] = possibleChannels(profile.channel);
  const routes = endpoints.map((endpoint): [typeof endpoint, RouteTemplate] => {
    const call = samples[endpointName(endpoint)].call(channel);
    let wire: { readonly method: string; readonly path: string } = call;
    try {
      wire = translation?.request(call, 'Bearer sample-key') ?? call;
    } catch {
      // An adapter that cannot make the sample may make others still: then it is named as the interface has it.
    }
    return [endpoint, { method: wire.method, template: baseUrl.pathname + routeOf(wire.path, call.about) }];
  });
  return Object.fromEntries(routes) as RunDetails['routes'];
}

/** What is known of a run before its first request. */
export interface RunDetails {
  readonly run: string;
  readonly scenario: string;
  readonly version: string;
  readonly server: { readonly address: string; readonly port: number };
  readonly routes: Readonly<Record<Endpoint, RouteTemplate>>;
  /** The promised session quota, and whose keys spend it. */
  readonly quota?: { readonly sessions: number; readonly credentials: readonly Credential[] };
}

/** What was concluded of a run. */
export interface RunVerdicts {
  readonly checks: readonly {
    readonly id: string;
    readonly verdict: 'pass' | 'fail' | 'inconclusive';
    readonly text: string;
  }[];
  /** Bounds on response times that were measured, with the check of each. */
  readonly bounds: readonly { readonly id: string; readonly atMs: number; readonly boundMs: number }[];
}

/** What the exporting thread is given. */
export interface ExportTask {
  readonly facts: RunDetails;
  /** When the run began, epoch milliseconds. */
  readonly startMs: number;
  /** The figures of every sender, of the main thread first. */
  readonly memories: readonly SharedArrayBuffer[];
  /** One word: the requests in flight. */
  readonly inFlight: SharedArrayBuffer;
  /** Sent to a collector; `url`: where it takes metrics, if the environment does not say. */
  readonly otlp?: { readonly url: string | undefined; readonly everyMs: number };
  /** Where Prometheus reads them. */
  readonly prometheus?: { readonly host: string; readonly port: number };
}

export type FromExporter =
  /** It exports from now on. `port`: where Prometheus finds it. */
  | { readonly kind: 'ready'; readonly port: number | undefined }
  /** It cannot begin. */
  | { readonly kind: 'failed'; readonly why: string }
  /** The last metrics are sent. `failed` exports of `exports`; `why` the last of them. */
  | { readonly kind: 'flushed'; readonly exports: number; readonly failed: number; readonly why: string };

/** `flush`: send what there is now. Verdicts are shown from then on, and flushed. `close`: end. */
export type ToExporter = 'flush' | 'close' | RunVerdicts;

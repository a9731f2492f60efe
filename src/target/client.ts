import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Dispatcher, Pool } from 'undici';
import { usageError } from '../exit.ts';
import type { Call } from './calls.ts';
import { Exchange, type ExchangeListener, Stopped } from './exchange.ts';
import type { Profile } from './profile.ts';

/** No answer of the interface comes near this; a body that does is cut off and counted as lost. */
const largestBodyBytes = 64 * 2 ** 20;

/** Speaks HTTP to one target: explicit time-outs, one request at a time on a connection, nothing retried or followed. */
export class TargetClient {
  readonly baseUrl: URL;
  readonly #dispatcher: Pick<Dispatcher, 'dispatch' | 'destroy'>;
  readonly #nowNs: () => number;

  constructor(baseUrl: URL, dispatcher: Pick<Dispatcher, 'dispatch' | 'destroy'>, nowNs: () => number) {
    this.baseUrl = baseUrl;
    this.#dispatcher = dispatcher;
    this.#nowNs = nowNs;
  }

  /** Sends a request now; `listener.done` is called once, later, whatever becomes of it. */
  send<Context>(
    call: Call,
    authorization: string | undefined,
    context: Context,
    listener: ExchangeListener<Context>,
  ): void {
    const exchange = new Exchange(call, context, this.#nowNs, listener);
    const headers: Record<string, string> = { accept: 'application/json' };
    if (authorization !== undefined) headers.authorization = authorization;
    if (call.body !== undefined) headers['content-type'] = 'application/json';
    this.#dispatcher.dispatch(
      { method: call.method, path: this.baseUrl.pathname + call.path, headers, body: call.body ?? null },
      exchange,
    );
  }

  /** Gives up on everything in flight. */
  async destroy(): Promise<void> {
    await this.#dispatcher.destroy(new Stopped('the run was stopped'));
  }
}

/** A pool of connections as the profile wants them. Throws a usage error when a CA file cannot be read. */
export function openPool(baseUrl: URL, profile: Profile): Pool {
  return new Pool(baseUrl.origin, {
    connections: profile.connections,
    pipelining: 1,
    allowH2: false,
    connect: {
      timeout: profile.timeouts.connect,
      rejectUnauthorized: profile.tls.reject_unauthorized,
      ...(profile.tls.ca_file === undefined ? {} : { ca: readCa(profile.tls.ca_file) }),
    },
    headersTimeout: profile.timeouts.headers,
    bodyTimeout: profile.timeouts.body,
    maxResponseSize: largestBodyBytes,
  });
}

/** The certificates in a CA file, PEM. Throws a usage error that names the file. */
export function readCa(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`profile: tls.ca_file: cannot read ${file}`, error);
  }
  try {
    new X509Certificate(text);
  } catch (error) {
    throw usageError(`profile: tls.ca_file: expected certificates in PEM in ${file}`, error);
  }
  return text;
}

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Dispatcher, Pool } from 'undici';
import { usageError } from '../exit.ts';
import type { Call } from './calls.ts';
import { Exchange, type ExchangeListener, largestBodyBytes, Stopped } from './exchange.ts';
import type { Profile } from './profile.ts';

/** How often the client looks for answers that are overdue. */
const glanceMs = 200;

/** Speaks HTTP to one target: explicit time-outs, one request at a time on a connection, nothing retried or followed. */
export class TargetClient {
  readonly baseUrl: URL;
  readonly #dispatcher: Pick<Dispatcher, 'dispatch' | 'destroy'>;
  readonly #nowNs: () => number;
  readonly #underWay = new Set<Exchange<unknown>>();
  readonly #glance: NodeJS.Timeout | undefined;

  /**
   * `timeouts`, in milliseconds: the whole of an answer gets the time for its headers and the time for its body. The
   * pool's own time-outs watch silence, so a target that sends a byte now and then would hold a request for ever.
   */
  constructor(
    baseUrl: URL,
    dispatcher: Pick<Dispatcher, 'dispatch' | 'destroy'>,
    nowNs: () => number,
    timeouts?: Pick<Profile['timeouts'], 'headers' | 'body'>,
  ) {
    this.baseUrl = baseUrl;
    this.#dispatcher = dispatcher;
    this.#nowNs = nowNs;
    if (timeouts !== undefined) {
      this.#glance = setInterval(() => this.#timeOut(timeouts), glanceMs);
      this.#glance.unref();
    }
  }

  /** Sends a request now; `listener.done` is called once, later, whatever becomes of it. */
  send<Context>(
    call: Call,
    authorization: string | undefined,
    context: Context,
    listener: ExchangeListener<Context>,
  ): void {
    const exchange = new Exchange(call, context, this.#nowNs, listener);
    const headers: Record<string, string> = { accept: 'application/json', 'accept-encoding': 'identity' };
    if (authorization !== undefined) headers.authorization = authorization;
    if (call.body !== undefined) headers['content-type'] = 'application/json';
    if (this.#glance !== undefined) this.#underWay.add(exchange as Exchange<unknown>);
    this.#dispatcher.dispatch(
      { method: call.method, path: this.baseUrl.pathname + call.path, headers, body: call.body ?? null },
      exchange,
    );
  }

  #timeOut({ headers, body }: Pick<Profile['timeouts'], 'headers' | 'body'>): void {
    const nowNs = this.#nowNs();
    for (const exchange of this.#underWay) {
      if (exchange.over) this.#underWay.delete(exchange);
      const waitedMs = (nowNs - (exchange.sentNs ?? nowNs)) / 1e6;
      if (waitedMs > (exchange.status === undefined ? headers : headers + body)) exchange.timeOut();
    }
  }

  /** Gives up on everything in flight. */
  async destroy(): Promise<void> {
    clearInterval(this.#glance);
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
      ...tlsOf(profile),
    },
    headersTimeout: profile.timeouts.headers,
    bodyTimeout: profile.timeouts.body,
    maxResponseSize: largestBodyBytes,
  });
}

/** How a target's certificate is checked. Throws a usage error when a CA file cannot be read. */
export function tlsOf({ tls }: Profile): { readonly rejectUnauthorized: boolean; readonly ca?: string } {
  return {
    rejectUnauthorized: tls.reject_unauthorized,
    ...(tls.ca_file === undefined ? {} : { ca: readCa(tls.ca_file) }),
  };
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

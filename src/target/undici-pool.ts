import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { type Connections, tlsOf } from './client.ts';
import { largestBodyBytes } from './exchange.ts';
import { ProtocolError } from './http/protocol-error.ts';
import type { Profile } from './profile.ts';

/** How often it is looked for answers that are overdue. */
const glanceMs = 200;

/**
 * undici's pool, for all that is not the planned load: questions of set-up and settling, probes of studies, imports. What
 * they cost the generator does not count. undici watches for silence; here the whole of an answer has its time too, so that
 * a target which sends a byte now and then holds nobody for ever. Throws a usage error when a CA file cannot be read.
 */
export function openUndici(baseUrl: URL, profile: Profile, localAddress?: string): Connections {
  const { body, connect, headers } = profile.timeouts;
  const pool = new Pool(baseUrl.origin, {
    connections: profile.connections,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: connect, ...tlsOf(profile) },
    // Of the pool, not of its connections: there undici overlooks it.
    ...(localAddress === undefined ? {} : { localAddress }),
    headersTimeout: headers,
    bodyTimeout: body,
    maxResponseSize: largestBodyBytes,
  });
  const underWay = new Set<Timed>();
  const glance = setInterval(() => {
    const nowMs = performance.now();
    for (const timed of underWay) timed.look(nowMs, headers, headers + body);
  }, glanceMs);
  glance.unref();
  return {
    dispatch(options, handler) {
      return pool.dispatch(options, new Timed(handler, underWay));
    },
    async destroy(reason) {
      clearInterval(glance);
      await pool.destroy(reason);
    },
  };
}

/** A handler under way, with the time at which its request was sent. */
class Timed implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #underWay: Set<Timed>;
  #controller: Dispatcher.DispatchController | undefined;
  #sentMs = 0;
  #hasHead = false;

  constructor(handler: Dispatcher.DispatchHandler, underWay: Set<Timed>) {
    this.#handler = handler;
    this.#underWay = underWay;
  }

  look(nowMs: number, headMs: number, wholeMs: number): void {
    if (nowMs - this.#sentMs > (this.#hasHead ? wholeMs : headMs))
      this.#controller?.abort(new TookTooLong('no complete answer in time'));
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#controller = controller;
    this.#sentMs = performance.now();
    this.#underWay.add(this);
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    message?: string,
  ): void {
    if (status >= 200) this.#hasHead = true;
    this.#handler.onResponseStart?.(controller, status, headers, message);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    this.#underWay.delete(this);
    this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#underWay.delete(this);
    this.#handler.onResponseError?.(controller, translated(error));
  }
}

/** undici's errors as an exchange knows them: time is up, or what came back was not HTTP. */
function translated(error: Error): Error {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return new TookTooLong(error.message);
  // What undici's parser finds wrong does not always come with a code.
  const isGarbled =
    error.name === 'HTTPParserError' ||
    code.startsWith('HPE_') ||
    code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ||
    code === 'UND_ERR_HEADERS_OVERFLOW';
  return isGarbled ? new ProtocolError(error.message, code) : error;
}

class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
  readonly code = 'ETIMEDOUT';
}

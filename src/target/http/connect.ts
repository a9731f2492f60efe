import { connect, type OnReadOpts, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { Addresses } from './addresses.ts';
import { isOwnLimit, NameUnresolved, NoSocket } from './errors.ts';

export interface ConnectOptions {
  /** For all of it: to resolve the name, to connect, and to shake hands. */
  readonly timeoutMs: number;
  readonly localAddress?: string;
  readonly tls: { readonly rejectUnauthorized: boolean; readonly ca?: string };
  readonly addresses: Addresses;
}

/** How long it took to open a connection, milliseconds. */
export interface Opening {
  readonly resolveMs: number;
  readonly connectMs: number;
  /** Of TLS; undefined without. */
  readonly handshakeMs: number | undefined;
}

/** A new connection. */
export interface Opened {
  readonly socket: Socket;
  readonly localPort: number | undefined;
  /** The address of the target that it leads to; undefined where the target is given by its address. */
  readonly remoteAddress: string | undefined;
  readonly opening: Opening;
}

/** What a handler is told of the connection that carries its request. */
export interface Carrier {
  readonly localPort: number | undefined;
  readonly remoteAddress: string | undefined;
  /** With the first request of a connection: how long the connection took to open, and how much of that the request waited. */
  readonly opened?: (Opening & { readonly waitedMs: number }) | undefined;
}

const keepAliveProbesMs = 60_000;
/** Where a host has several addresses, the next is tried beside one that has not answered for so long (RFC 8305). */
const headStartMs = 250;

/** Opens connections to one origin. */
export class Connector {
  readonly #origin: URL;
  readonly #options: ConnectOptions;
  #secure: Promise<buildConnector.connector> | undefined;

  constructor(origin: URL, options: ConnectOptions) {
    this.#origin = origin;
    this.#options = options;
  }

  /**
   * Opens one. Rejects with `NameUnresolved`, with `NoSocket` where the reason is this machine's, or with what the target
   * did. `onread`: of a connection without TLS.
   */
  async open(onread?: OnReadOpts): Promise<Opened> {
    const startMs = performance.now();
    const { addresses, timeoutMs } = this.#options;
    const left = (): number => Math.max(1, startMs + timeoutMs - performance.now());
    const { hostname, protocol } = this.#origin;
    const candidates = await within(
      addresses.next(),
      timeoutMs,
      () => new NameUnresolved(`the name ${hostname} was not resolved within ${timeoutMs} ms`),
    );
    const resolvedMs = performance.now();
    const { remoteAddress, socket } = await this.#first(candidates, left(), onread);
    const connectedMs = performance.now();
    const { localPort } = socket;
    const isSecure = protocol === 'https:';
    const carrying = isSecure ? await this.#shakeHands(socket, left()) : socket;
    return {
      socket: carrying,
      localPort,
      remoteAddress: addresses.isNamed ? remoteAddress : undefined,
      opening: {
        resolveMs: resolvedMs - startMs,
        connectMs: connectedMs - resolvedMs,
        handshakeMs: isSecure ? performance.now() - connectedMs : undefined,
      },
    };
  }

  /** Connects to the first of these addresses that answers. */
  #first(
    candidates: readonly string[],
    timeoutMs: number,
    onread: OnReadOpts | undefined,
  ): Promise<{ readonly socket: Socket; readonly remoteAddress: string }> {
    const { addresses, localAddress } = this.#options;
    const { port, protocol } = this.#origin;
    return new Promise((resolve, reject) => {
      const trying = new Map<string, Socket>();
      const errors = new Map<string, Error>();
      let begun = 0;
      let timer: NodeJS.Timeout | undefined;
      const end = (): void => {
        clearTimeout(late);
        clearTimeout(timer);
      };
      const next = (): void => {
        clearTimeout(timer);
        const remoteAddress = candidates[begun++];
        if (remoteAddress === undefined) return;
        if (begun < candidates.length) timer = setTimeout(next, headStartMs);
        const socket = connect({
          host: remoteAddress,
          port: Number(port || (protocol === 'https:' ? 443 : 80)),
          ...(localAddress === undefined ? {} : { localAddress }),
          ...(onread === undefined || protocol === 'https:' ? {} : { onread }),
          noDelay: true,
          keepAlive: true,
          keepAliveInitialDelay: keepAliveProbesMs,
        });
        trying.set(remoteAddress, socket);
        socket.once('connect', () => {
          end();
          for (const [address, other] of trying)
            if (other !== socket) {
              other.destroy();
              addresses.putAside(address, `no connection within ${headStartMs} ms`);
            }
          for (const [address, { message }] of errors) addresses.putAside(address, message);
          resolve({ socket, remoteAddress });
        });
        // Later errors are for the user of the connection.
        socket.on('error', (error) => {
          if (!trying.delete(remoteAddress)) return;
          errors.set(remoteAddress, error);
          if (begun < candidates.length) next();
          else if (trying.size === 0) {
            end();
            reject(refusal([...errors.values()]));
          }
        });
      };
      const late = setTimeout(() => {
        clearTimeout(timer);
        begun = candidates.length;
        for (const socket of trying.values())
          socket.destroy(new Error(`no connection within ${Math.round(timeoutMs)} ms`));
      }, timeoutMs);
      next();
    });
  }

  /** TLS by undici's connector: it resumes sessions. Loaded when needed, since few runs pay for it. */
  async #shakeHands(plain: Socket, timeoutMs: number): Promise<Socket> {
    const { tls } = this.#options;
    const { host, hostname, port, protocol } = this.#origin;
    this.#secure ??= import('undici').then(({ buildConnector: build }) =>
      // Its time-out cannot differ from call to call, so that it is not used.
      build({ ...tls, timeout: 0, allowH2: false }),
    );
    const secure = await this.#secure;
    const shaken = new Promise<Socket>((resolve, reject) => {
      secure(
        { hostname, host, port, protocol, httpSocket: plain },
        (...[error, socket]: [Error, null] | [null, Socket]) =>
          error === null ? resolve(socket) : reject(error),
      );
    });
    try {
      return await within(
        shaken,
        timeoutMs,
        () => new Error(`no TLS handshake within ${Math.round(timeoutMs)} ms`),
      );
    } catch (error) {
      plain.destroy();
      throw error;
    }
  }
}

/** Why there is no connection: the reason is this machine's only if it is so for each address. */
function refusal(errors: readonly Error[]): Error {
  const [first = new Error('no address')] = errors;
  if (errors.every(isOwnLimit)) return new NoSocket(first);
  return errors.length === 1 ? first : new AggregateError(errors);
}

async function within<T>(promised: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([promised, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

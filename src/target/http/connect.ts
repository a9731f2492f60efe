import { lookup as systemLookup } from 'node:dns/promises';
import { connect, isIP, type OnReadOpts, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { isOwnLimit, NameUnresolved, NoSocket } from './errors.ts';

interface Address {
  readonly address: string;
  readonly family: number;
}

/** Finds the addresses of a name, the preferred ones first. */
export type Lookup = (hostname: string) => Promise<readonly Address[]>;

/** A name that moves is followed after so long. */
const keptMs = 30_000;
/** An address that did not answer is tried last for so long. */
const asideMs = 10_000;

interface AddressesOptions {
  /** The one address to use, whatever the name resolves to. */
  readonly only?: string | undefined;
  readonly lookup?: Lookup;
  readonly nowMs?: () => number;
}

/**
 * The addresses of one host, which connections use in turn: behind a name there may be several nodes. Addresses of the
 * other family, and those that did not answer, are tried only where the others fail. All pools of a run share one.
 */
export class Addresses {
  readonly #hostname: string;
  readonly #lookup: Lookup;
  readonly #nowMs: () => number;
  #found: Promise<readonly Address[]> | undefined;
  #foundMs = 0;
  #turn = 0;
  readonly #aside = new Map<string, number>();
  /** Those that connections were to use in turn, and those that failed while another one worked, with the reason. */
  inTurn: readonly string[] = [];
  readonly failed = new Map<string, string>();

  /** The target is not given by its address, so that connections may lead to several. */
  readonly isNamed: boolean;

  constructor(hostname: string, { lookup, nowMs = () => performance.now(), only }: AddressesOptions = {}) {
    this.#hostname = hostname.replace(/^\[(.*)\]$/, '$1');
    this.isNamed = isIP(this.#hostname) === 0;
    const literal = only ?? this.#hostname;
    this.#lookup =
      isIP(literal) > 0
        ? () => Promise.resolve([{ address: literal, family: isIP(literal) }])
        : (lookup ?? ((name) => systemLookup(name, { all: true, order: 'verbatim' })));
    this.#nowMs = nowMs;
  }

  /** The addresses to try for the next connection, in this order. Rejects with `NameUnresolved` or `NoSocket`. */
  async next(): Promise<readonly string[]> {
    const nowMs = this.#nowMs();
    if (this.#found === undefined || nowMs - this.#foundMs > keptMs) {
      this.#foundMs = nowMs;
      this.#found = this.#resolve();
    }
    const all = await this.#found;
    const isAside = ({ address }: Address): boolean => nowMs < (this.#aside.get(address) ?? 0);
    const usable = all.filter((each) => !isAside(each));
    const family = (usable[0] ?? all[0])?.family;
    const first = (usable.length === 0 ? all : usable).filter((each) => each.family === family);
    this.inTurn = first.map(({ address }) => address);
    const at = this.#turn++ % first.length;
    const others = all.filter((each) => !first.includes(each));
    return [...first.slice(at), ...first.slice(0, at), ...others].map(({ address }) => address);
  }

  /** An address gave no connection where another one did. */
  putAside(address: string, why: string): void {
    this.#aside.set(address, this.#nowMs() + asideMs);
    this.failed.set(address, why);
  }

  async #resolve(): Promise<readonly Address[]> {
    try {
      const found = await this.#lookup(this.#hostname);
      // A file of hosts may have a line twice.
      const each = new Map(found.map((one) => [one.address, one]));
      if (each.size > 0) return [...each.values()];
      throw new Error('no address');
    } catch (error) {
      // Only what was found is kept.
      this.#found = undefined;
      const cause = error instanceof Error ? error : new Error(String(error));
      throw isOwnLimit(cause)
        ? new NoSocket(cause)
        : new NameUnresolved(`the name ${this.#hostname} was not resolved: ${cause.message}`, { cause });
    }
  }
}

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
            const [first = new Error('no address'), ...others] = errors.values();
            // The reason is this machine's only if it is so for each address.
            const isOwn = [first, ...others].every(isOwnLimit);
            reject(
              isOwn
                ? new NoSocket(first)
                : others.length === 0
                  ? first
                  : new AggregateError([first, ...others]),
            );
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

import { connect, type Socket } from 'node:net';
import type { buildConnector } from 'undici';

export interface ConnectOptions {
  readonly timeoutMs: number;
  readonly localAddress?: string;
  readonly tls: { readonly rejectUnauthorized: boolean; readonly ca?: string };
}

/** Receives what a connection brings. */
interface Receiver {
  opened(socket: Socket): void;
  /** Bytes: `buffer` up to `length`, which is only lent. */
  received(buffer: Buffer, length: number): void;
  /** There is no connection, and will be none. */
  refused(error: Error): void;
}

/** Opens connections to one origin. */
export type Connect = (receiver: Receiver) => void;

const keepAliveProbesMs = 60_000;
const readBytes = 64 * 1024;

/** Plain connections, which read into one buffer: the bytes are taken in before the next read. */
export function plainConnector(origin: URL, { localAddress, timeoutMs }: ConnectOptions): Connect {
  const buffer = Buffer.allocUnsafe(readBytes);
  return (receiver) => {
    const socket = connect({
      host: origin.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(origin.port || 80),
      ...(localAddress === undefined ? {} : { localAddress }),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveProbesMs,
      onread: {
        buffer,
        callback: (length) => {
          receiver.received(buffer, length);
          return true;
        },
      },
    });
    const refused = (error: Error): void => {
      clearTimeout(late);
      receiver.refused(error);
    };
    const late = setTimeout(
      () => socket.destroy(new Error(`no connection within ${timeoutMs} ms`)),
      timeoutMs,
    );
    socket.once('error', refused);
    socket.once('connect', () => {
      clearTimeout(late);
      socket.off('error', refused);
      receiver.opened(socket);
    });
  };
}

/** Connections with TLS, by undici's connector: it resumes sessions. Loaded when needed, since few runs pay for it. */
export function tlsConnector(origin: URL, { localAddress, timeoutMs, tls }: ConnectOptions): Connect {
  const { host, hostname, port, protocol } = origin;
  let connector: Promise<buildConnector.connector> | undefined;
  const load = async (): Promise<buildConnector.connector> => {
    const { buildConnector } = await import('undici');
    return buildConnector({ ...tls, timeout: timeoutMs, allowH2: false });
  };
  return async (receiver) => {
    connector ??= load();
    (await connector)(
      { hostname, host, port, protocol, localAddress: localAddress ?? null },
      (...[error, socket]: [Error, null] | [null, Socket]) => {
        if (error !== null) receiver.refused(error);
        else {
          socket.on('data', (data) => receiver.received(data, data.length));
          receiver.opened(socket);
        }
      },
    );
  };
}

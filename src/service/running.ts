import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How often, while draining, connections that have become idle are closed. */
const idleSweepMs = 20;
/** How long a drain waits for requests that their senders do not finish. */
const defaultGraceMs = 10_000;

/** A service that listens. */
export interface RunningService {
  /** Ends in `/v1`, without a slash. */
  readonly baseUrl: string;
  /**
   * Stops accepting, answers the requests in flight, closes the database. Requests not answered after `graceMs` are
   * cut off. Always the same promise.
   */
  drain(graceMs?: number): Promise<void>;
}

/** Listens on a port, 0 for any free one. */
export async function startService(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<RunningService> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw error;
  }
  let drained: Promise<void> | undefined;
  return {
    baseUrl: `http://${authority(app.server.address(), host)}/v1`,
    drain: (graceMs = defaultGraceMs) => {
      drained ??= drain(app, graceMs);
      return drained;
    },
  };
}

async function drain(app: FastifyInstance, graceMs: number): Promise<void> {
  // A connection whose last answer is sent during the drain becomes idle after the close; without this sweep it would
  // stay until its keep-alive time is over.
  const sweep = setInterval(() => app.server.closeIdleConnections(), idleSweepMs);
  const cutOff = setTimeout(() => app.server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cutOff);
  }
}

function authority(address: AddressInfo | string | null, host: string): string {
  if (address === null || typeof address === 'string')
    throw new Error('the service does not listen on a port');
  return `${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

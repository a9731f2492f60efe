import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fastify from 'fastify';
import { keyAuthenticator, sessionQuota, storedCatalogs } from './accounts.ts';
import type { Alterations } from './alterations.ts';
import { Database } from './database.ts';
import { answerErrors, answerNoRoute, datedBy, guardApi } from './gate.ts';
import { limiterPerKey } from './limiters.ts';
import { defaultServiceOptions, type ServiceOptions } from './options.ts';
import type { ServiceParts } from './parts.ts';
import { analyticsRoutes, interactionRoutes, maxBodyBytes, sessionRoutes, shadeRoutes } from './routes.ts';
import { sqlAnalytics, storedInteractions, storedSessions } from './sessions.ts';

/** The required settings of a service; the rest has defaults. */
export type ServiceInput = Pick<ServiceOptions, 'databaseFile' | 'plans' | 'keys'> & Partial<ServiceOptions>;

/**
 * The reference service: every endpoint of the interface below `/v1`, and the interaction channel. Opens the database
 * at once and closes it with the server. Throws `ServiceConfigurationError` on settings with which it cannot start.
 */
export function buildService(input: ServiceInput, alterations: Alterations = {}): FastifyInstance {
  const told: ServiceOptions = { ...defaultServiceOptions, ...input };
  const options = alterations.options?.(told) ?? told;
  const database = new Database(options);
  try {
    const ownParts = assembleParts(database, options);
    const parts = alterations.parts?.(ownParts, database, options) ?? ownParts;

    const app = fastify({
      logger: false,
      bodyLimit: maxBodyBytes,
      // While draining, what still arrives on an open connection is served, not shed: nothing here takes long.
      return503OnClosing: false,
      // Names of fields in metadata are the caller's affair; what is parsed is stored as text again, and copied nowhere.
      onProtoPoisoning: 'ignore',
      onConstructorPoisoning: 'ignore',
      rewriteUrl: ({ url = '/' }) => (hasUndecodablePath(url) ? '/v1/-' : url),
      routerOptions: { maxParamLength: 1_024 },
      // A wrong type is an error of the caller, and metadata is no waste.
      ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
    });
    app.removeContentTypeParser('text/plain');
    app.addHook('onClose', () => database.close());
    alterations.server?.(app, options);
    datedBy(app, options.clock);
    answerErrors(app);
    app.register(
      async (api) => {
        guardApi(api, parts, options.rateLimit);
        api.setNotFoundHandler(answerNoRoute);
        sessionRoutes(api, parts.sessions);
        shadeRoutes(api, parts.catalogs);
        analyticsRoutes(api, parts.analytics, options.analytics);
      },
      { prefix: '/v1' },
    );
    app.register(async (channel) => interactionRoutes(channel, parts.interactions), { prefix: '/v1' });
    return app;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The parts as the interface and the project's own conventions want them. */
function assembleParts(database: Database, options: ServiceOptions): ServiceParts {
  return {
    authenticator: keyAuthenticator(database, options),
    rateLimiter: limiterPerKey(options),
    catalogs: storedCatalogs(database),
    sessions: storedSessions(database, sessionQuota(database), options),
    interactions: storedInteractions(database, options),
    analytics: sqlAnalytics(database, options.analytics),
  };
}

/**
 * A path with broken percent-encoding. The router would answer 400 before any hook; redirected to an unknown path, it
 * gets a 404 after the key and the rate limit, like other unknown paths.
 */
function hasUndecodablePath(url: string): boolean {
  if (!url.includes('%')) return false;
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return false;
  } catch {
    return true;
  }
}

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

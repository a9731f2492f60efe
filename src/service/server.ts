import fastify, { type FastifyInstance } from 'fastify';
import { keyAuthenticator, sessionQuota } from './accounts.ts';
import type { Alterations } from './alterations.ts';
import { sqlAnalytics } from './analytics.ts';
import { answerErrors, answerNoRoute } from './answers.ts';
import { analyticsRoutes, sessionRoutes, shadeRoutes } from './api-routes.ts';
import { storedCatalogs } from './catalogs.ts';
import { interactionRoutes } from './channel-route.ts';
import { Database } from './database.ts';
import { datedBy, guardApi } from './gate.ts';
import { storedInteractions } from './interactions.ts';
import { limiterPerKey } from './limiter-per-key.ts';
import { defaultServiceOptions, type ServiceOptions } from './options.ts';
import type { ServiceParts } from './parts.ts';
import { storedSessions } from './sessions.ts';
import { maxBodyBytes } from './validation.ts';

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

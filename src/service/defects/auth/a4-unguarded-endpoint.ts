import type { Defect } from '../defect.ts';
import { firstTenant } from './first-tenant.ts';

const unguarded = 'GET /v1/analytics/sessions';

/** Analytics were added later, outside the guard of the other endpoints. */
export const unguardedEndpoint: Defect = {
  id: 'A4',
  grade: 2,
  title: 'GET /analytics/sessions needs no API key',
  alterations: {
    parts(parts, _database, options) {
      const { authenticator } = parts;
      const tenant = firstTenant(authenticator, options);
      return {
        ...parts,
        authenticator: {
          identify: (apiKey, endpoint) =>
            authenticator.identify(apiKey, endpoint) ?? (endpoint === unguarded ? tenant : undefined),
        },
      };
    },
  },
};

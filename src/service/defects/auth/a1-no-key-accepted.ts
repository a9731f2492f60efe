import type { Defect } from '../defect.ts';
import { firstTenant } from './first-tenant.ts';

/** A key is looked at where there is one, and nobody minds where there is none. */
export const noKeyAccepted: Defect = {
  id: 'A1',
  grade: 1,
  title: 'A request without an API key is served',
  alterations: {
    parts(parts, _database, options) {
      const { authenticator } = parts;
      const tenant = firstTenant(authenticator, options);
      return {
        ...parts,
        authenticator: {
          identify: (apiKey, endpoint) =>
            apiKey === undefined ? tenant : authenticator.identify(apiKey, endpoint),
        },
      };
    },
  },
};

import type { Defect } from '../defect.ts';
import { lookingAtKeys } from './first-tenant.ts';

const unguarded = 'GET /v1/analytics/sessions';

/** Analytics were added later, outside the guard of the other endpoints. */
export const unguardedEndpoint: Defect = {
  id: 'A4',
  grade: 2,
  title: 'GET /analytics/sessions needs no API key',
  alterations: lookingAtKeys(
    (honest, tenant) => (apiKey, endpoint) =>
      honest(apiKey, endpoint) ?? (endpoint === unguarded ? tenant : undefined),
  ),
};

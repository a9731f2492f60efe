import type { Defect } from '../defect.ts';
import { lookingAtKeys } from './first-tenant.ts';

/** A key is checked if there is one; a request without a key passes. */
export const noKeyAccepted: Defect = {
  id: 'A1',
  grade: 1,
  title: 'A request without an API key is served',
  alterations: lookingAtKeys(
    (honest, tenant) => (apiKey, endpoint) => (apiKey === undefined ? tenant : honest(apiKey, endpoint)),
  ),
};

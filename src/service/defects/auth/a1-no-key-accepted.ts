import type { Defect } from '../defect.ts';
import { lookingAtKeys } from './first-tenant.ts';

/** A key is looked at where there is one, and nobody minds where there is none. */
export const noKeyAccepted: Defect = {
  id: 'A1',
  grade: 1,
  title: 'A request without an API key is served',
  alterations: lookingAtKeys(
    (honest, tenant) => (apiKey, endpoint) => (apiKey === undefined ? tenant : honest(apiKey, endpoint)),
  ),
};

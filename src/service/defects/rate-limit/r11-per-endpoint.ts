import type { Defect } from '../defect.ts';
import { bucketed } from './bucketed.ts';

/** As many times the limit as there are endpoints, for a key that uses them all. */
export const limitPerEndpoint: Defect = {
  id: 'R11',
  grade: 2,
  title: 'Each endpoint has a separate limit',
  alterations: {
    parts: (parts) => bucketed(parts, ({ caller, endpoint }) => `${caller.keyLabel} ${endpoint}`),
  },
};

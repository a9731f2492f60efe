import type { Defect } from '../defect.ts';
import { bucketed } from './bucketed.ts';

/** A header that any caller can make up decides on the bucket: a new value gets a new limit. */
export const limitPerForwardedFor: Defect = {
  id: 'R12',
  grade: 2,
  title: 'A new X-Forwarded-For header gets a new limit',
  alterations: {
    parts: (parts) =>
      bucketed(parts, ({ caller, forwardedFor = '' }) => `${caller.keyLabel} for ${forwardedFor}`),
  },
};

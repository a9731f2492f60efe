import type { Defect } from '../defect.ts';
import { bucketed } from './bucketed.ts';

/** All keys that call from one address share a limit, and a key that calls from two has two. */
export const limitPerAddress: Defect = {
  id: 'R9',
  grade: 2,
  title: "The limit is per caller's address, not per key",
  alterations: { parts: (parts) => bucketed(parts, ({ remoteAddress }) => remoteAddress) },
};

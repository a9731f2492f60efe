import type { Defect } from '../defect.ts';
import { bucketed } from './bucketed.ts';

/** All keys that call from one address share a limit, and a key that calls from two has two. */
export const limitPerAddress: Defect = {
  id: 'R9',
  grade: 2,
  title: "The limit is that of the caller's address, not of the key",
  alterations: { parts: (parts) => bucketed(parts, ({ remoteAddress }) => remoteAddress) },
};

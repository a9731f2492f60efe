import { randomUUID } from 'node:crypto';

/** Ids for acts, unique within the run, in the form of a UUID (version 4, variant 1): a random head, and a counter. */
export function actIds(): () => string {
  const head = randomUUID().slice(0, 24);
  let count = 0;
  return () => head + (count++).toString(16).padStart(12, '0');
}

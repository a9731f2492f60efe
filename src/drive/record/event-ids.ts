import { randomUUID } from 'node:crypto';

/**
 * Makes event ids that are unique within the run: UUIDs (version 4, variant 1) with a random head and a counter.
 */
export function eventIds(): () => string {
  const head = randomUUID().slice(0, 24);
  let count = 0;
  return () => head + (count++).toString(16).padStart(12, '0');
}

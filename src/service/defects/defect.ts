import { type Alterations, altered, type Changes } from '../alterations.ts';

/**
 * What it takes to see a defect from outside: 1 one request; 2 a few requests or fields; 3 a history, timing or
 * relations; 4 concurrency, load or statistics.
 */
type Grade = 1 | 2 | 3 | 4;

/** A fault that the service can be started with, to test whether it is detected. */
export interface Defect {
  /** A letter for what is defective, and a number: `R2`. */
  readonly id: string;
  readonly grade: Grade;
  /** A caller's complaint about the service, in a few words. */
  readonly title: string;
  readonly alterations: Alterations;
}

export function plant(id: string, grade: Grade, title: string, changes: Changes): Defect {
  return { id, grade, title, alterations: altered(changes) };
}

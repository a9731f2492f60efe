import type { Alterations } from '../server.ts';

/**
 * What it takes to see a defect from outside: 1 one request; 2 a few requests or fields; 3 a history, timing or
 * relations; 4 concurrency, load or statistics.
 */
export type Grade = 1 | 2 | 3 | 4;

/** A fault that the service can be started with, to find out whether it is found out. */
export interface Defect {
  /** A letter for what is defective, and a number: `R2`. */
  readonly id: string;
  readonly grade: Grade;
  /** A caller's complaint about the service, in a few words. */
  readonly title: string;
  readonly alterations: Alterations;
}

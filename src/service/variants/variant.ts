import { type Alterations, altered, type Changes } from '../alterations.ts';

/** A service that differs from the reference service in what the interface leaves open, and is as right as that. */
export interface Variant {
  /** In lower case, with hyphens. */
  readonly name: string;
  /** What is different, in a few words. */
  readonly title: string;
  readonly alterations: Alterations;
}

export function vary(name: string, title: string, changes: Changes): Variant {
  return { name, title, alterations: altered(changes) };
}

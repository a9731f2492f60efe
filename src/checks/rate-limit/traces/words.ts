import { seconds as span } from '../../../amounts.ts';
import type { PromisedLimit } from '../../../limits/kinds/kind.ts';
import type { Pace } from '../../reasons/words/limits.ts';

export function paceOf({ requests, windowNs }: PromisedLimit): Pace {
  return { requests, windowMs: windowNs / 1e6 };
}

/** `60 s`, `1.5 s`, `250 ms`. */
export function seconds(ns: number): string {
  return span(ns / 1e6);
}

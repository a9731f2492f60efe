import { seconds as span } from '../../amounts.ts';
import type { PromisedLimit } from '../../limits/fit.ts';
import { paceText } from '../reasons/rate-limit/names.ts';

/** `1,000 per 60 s`. */
export function pace({ requests, windowNs }: PromisedLimit): string {
  return paceText({ requests, windowMs: windowNs / 1e6 });
}

/** `60 s`, `1.5 s`, `250 ms`. */
export function seconds(ns: number): string {
  return span(ns / 1e6);
}

import { number, seconds as span } from '../../amounts.ts';
import type { PromisedLimit } from '../../limits/fit.ts';

/** `900 per 60 s`. */
export function per(requests: number, windowNs: number): string {
  return `${number(requests)} per ${seconds(windowNs)}`;
}

/** `1,000 a minute` where the window is a minute, else `100 per 6 s`. */
export function pace(promised: PromisedLimit): string {
  return promised.windowNs === 60e9
    ? `${number(promised.requests)} a minute`
    : per(promised.requests, promised.windowNs);
}

/** `60 s`, `1.5 s`, `250 ms`. */
export function seconds(ns: number): string {
  return span(ns / 1e6);
}

/** For the beginning of a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

import { number, span } from '../amounts.ts';

/** How instants and rates read in every report. The zone is UTC. */

/** A clock for progress: `0:07`, `12:30`, `1:02:03`. */
export function clock(valueMs: number): string {
  const seconds = Math.max(0, Math.round(valueMs / 1_000));
  const two = (n: number): string => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** `2026-05-01 12:00:00 UTC`. */
export function utc(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `2026-05-01 12:00:00.123`, in UTC. */
export function utcMs(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 23).replace('T', ' ');
}

/** `1,000 per minute`, `100 per 6 s`. */
export function perWindow(requests: number, windowMs: number): string {
  return `${number(requests)} per ${windowMs === 60_000 ? 'minute' : span(windowMs)}`;
}

/** An instant of the run to the millisecond: `1:02.345`. */
export function instant(ns: number): string {
  const wholeMs = Math.floor(ns / 1e6);
  return `${clock(wholeMs - (wholeMs % 1_000))}.${String(wholeMs % 1_000).padStart(3, '0')}`;
}

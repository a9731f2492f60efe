/** How numbers, spans of time and instants read in every report. The language is English, the zone UTC. */

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });
const oneDecimal = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const twoDecimals = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** `12,345.678`; at most six decimals. */
export function number(value: number): string {
  return Number.isFinite(value) ? grouped.format(value) : String(value);
}

/** A time that was measured: as many decimals as are worth reading. `0.42`, `7.3`, `1,250`. */
export function milliseconds(valueMs: number): string {
  const magnitude = Math.abs(valueMs);
  if (magnitude >= 100) return grouped.format(Math.round(valueMs));
  return (magnitude >= 10 ? oneDecimal : twoDecimals).format(valueMs);
}

/** A span for the eye: `850 ms`, `12.5 s`, `3 min 20 s`, `2 h 5 min`. */
export function span(valueMs: number): string {
  if (valueMs < 1_000) return `${Math.round(valueMs)} ms`;
  if (valueMs < 60_000) return `${oneDecimal.format(valueMs / 1_000)} s`;
  const seconds = Math.round(valueMs / 1_000);
  if (seconds < 3_600) return joined(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  return joined(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

function joined(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${restUnit}`;
}

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

/** `1,000 per minute`, `100 per 6 s`. */
export function perWindow(requests: number, windowMs: number): string {
  return `${number(requests)} per ${windowMs === 60_000 ? 'minute' : span(windowMs)}`;
}

/** `1 request`, `2 requests`. */
export function plural(n: number, noun: string): string {
  return `${number(n)} ${noun}${n === 1 ? '' : 's'}`;
}

/** An instant of the run to the millisecond: `1:02.345`. */
export function instant(ns: number): string {
  const wholeMs = Math.floor(ns / 1e6);
  return `${clock(wholeMs - (wholeMs % 1_000))}.${String(wholeMs % 1_000).padStart(3, '0')}`;
}

import { listed, number, seconds, verb } from '../../../amounts.ts';
import { requestText } from './requests.ts';

/** Requests that share a limit: of one key, with others, or of all (null), to one endpoint, or to all (null). */
export type StreamName = {
  readonly key: string | null;
  readonly others?: readonly string[];
  readonly endpoint: string | null;
};

/** A number of requests within a window. */
export type Pace = { readonly requests: number; readonly windowMs: number };

/** How large a limiter was found to be; null is unknown. */
export type LimiterSize = {
  readonly limit: number | null;
  readonly windowMs: number | null;
  readonly refillPerS: number | null;
};

/** `the load key`, `all keys together`, `the load key at GET /shades`. */
export function keysText({ endpoint, key, others = [] }: StreamName): string {
  const keys = `the ${listed([key ?? '', ...others])} ${verb(others.length + 1, 'key', 'keys')}`;
  return `${key === null ? 'all keys together' : keys}${endpoint === null ? '' : ` at ${requestText(endpoint)}`}`;
}

/** `1,000 per 60 s`. */
export function paceText({ requests, windowMs }: Pace): string {
  return `${number(requests)} per ${seconds(windowMs)}`;
}

/** `sliding window`, as reports call a sliding log; `limiter` where no kind is promised. */
export function kindText(promised: string | null): string {
  return promised === null
    ? 'limiter'
    : promised.replace('sliding-log', 'sliding window').replaceAll('-', ' ');
}

/** `100 per 6 s, refilled at 16.7 a second`. */
export function sizeText({ limit, refillPerS, windowMs }: LimiterSize): string {
  if (limit === null || windowMs === null) return 'unknown size';
  const refill = refillPerS === null ? '' : `, refilled at ${number(refillPerS)} a second`;
  return `${paceText({ requests: limit, windowMs })}${refill}`;
}

/** Kinds of limiter of one size that explain the answers. */
export type FittedKinds = Pace & { readonly kinds: readonly string[] };

/** What values were compared with, in a sentence. */
export function comparedWith({ kinds, ...pace }: FittedKinds): string {
  const [only] = kinds;
  return kinds.length === 1 && only !== undefined
    ? `Compared with a ${only} of ${paceText(pace)}, which explains every answer.`
    : `Compared with ${number(kinds.length)} kinds of limiter of ${paceText(pace)} that explain every answer.`;
}

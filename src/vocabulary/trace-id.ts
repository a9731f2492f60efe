/*
 * W3C trace context of a run's requests. A trace id is 32 hex digits: 10 of the run, 8 of the request's `seq`, 8 that
 * spread neighbouring numbers over the whole range, since some samplers decide by the id's last digits, and 6 of the run.
 */

/** Hex digits of a trace id that are the run's. */
export const traceRunDigits = 16;
const headDigits = 10;

/** An odd number near 2³² divided by the golden ratio: products by it are spread evenly. */
const spread = 0x9e3779b1;

const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** 8 hex digits of a 32-bit number. */
function hex(n: number): string {
  return `${pairs[n >>> 24]}${pairs[(n >>> 16) & 255]}${pairs[(n >>> 8) & 255]}${pairs[n & 255]}`;
}

/** The 16 digits that are a request's own. */
function ownDigits(seq: number): string {
  return hex(seq) + hex(Math.imul(seq, spread));
}

/** The trace id of a run's request; `run`: the run's 16 digits. */
export function traceId(run: string, seq: number): string {
  return run.slice(0, headDigits) + ownDigits(seq) + run.slice(headDigits);
}

/** Makes `traceparent` headers, one text for each request. The target is told to record the trace. */
export class Traceparents {
  readonly #head: string;
  readonly #tail: string;

  constructor(run: string) {
    this.#head = `00-${run.slice(0, headDigits)}`;
    this.#tail = `${run.slice(headDigits)}-`;
  }

  of(seq: number): string {
    const own = ownDigits(seq);
    return `${this.#head}${own}${this.#tail}${own}-01`;
  }
}

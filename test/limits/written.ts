import {
  admitted,
  ambiguous,
  limited,
  outOfScope,
  type RequestOutcome,
  type Trace,
} from '../../src/limits/trace.ts';
import { traceOf } from './trace-of.ts';

const outcomes: Readonly<Record<string, RequestOutcome>> = {
  '+': admitted,
  '-': limited,
  '?': ambiguous,
  x: outOfScope,
};

/** Seconds as whole nanoseconds. */
export function ns(seconds: number): number {
  return Math.round(seconds * 1e9);
}

/**
 * A trace as text: `3+` is sent at 3 s and admitted, `3-` rejected, `3?` without an answer, `3x` out of scope. `3~3.5+` is
 * answered at 3.5 s; without that, a request is answered `tripS` later. Numbers in the history start at 1.
 */
export function written(requests: string, tripS = 0): Trace {
  return traceOf(
    requests
      .split(' ')
      .filter(Boolean)
      .map((text, at) => {
        const outcome = outcomes[text.slice(-1)];
        if (outcome === undefined) throw new Error(`no outcome in ${text}`);
        const [sent, answered] = text.slice(0, -1).split('~').map(Number);
        if (sent === undefined || Number.isNaN(sent)) throw new Error(`no instant in ${text}`);
        return { seq: at + 1, sentNs: ns(sent), answeredNs: ns(answered ?? sent + tripS), outcome };
      }),
  );
}

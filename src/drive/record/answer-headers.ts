import { errorTypeProblem } from '../../target/answer-problem.ts';
import type { Exchange } from '../../target/exchange.ts';

/** The media type that the interface promises, with any parameters (RFC 9110, 8.3.1). */
const jsonType = /^application\/json[ \t]*(;|$)/i;

/** Any media type of JSON, such as that of problem documents (RFC 9457; RFC 6839, 3.1). */
const anyJsonType = /^application\/(?:[\w.!#$&^-]+\+)?json[ \t]*(;|$)/i;

/** Errors that the interface has the service give. A limit, and other errors, may be a proxy's before it. */
const ownErrors: ReadonlySet<number | undefined> = new Set([401, 402, 404]);

/** Reads `Content-Type` headers, of which the next is mostly the last again. */
export class MediaTypes {
  #good: string | undefined;

  /** What is wrong with the header, if anything. An empty body needs none, and of the interaction channel's nothing is promised. */
  problem({ bytes, call, headers }: Exchange<unknown>): string | undefined {
    const text = headers['content-type'];
    if (bytes === 0 || call.endpoint === 'interact' || (text !== undefined && text === this.#good))
      return undefined;
    if (text === undefined || !jsonType.test(text))
      return `content-type: expected application/json, got ${text === undefined ? 'none' : JSON.stringify(text)}`;
    this.#good = text;
    return undefined;
  }

  /** What is wrong with that of an error: the form of its body is left open, but that it is JSON is not. */
  errorProblem({ bytes, call, headers, status }: Exchange<unknown>): string | undefined {
    const text = headers['content-type'] ?? '';
    if (bytes === 0 || call.endpoint === 'interact' || !ownErrors.has(status) || anyJsonType.test(text))
      return undefined;
    return `${errorTypeProblem} ${status}: expected application/json, got ${text === '' ? 'none' : JSON.stringify(text)}`;
  }
}

/** A date of HTTP (RFC 9110, 5.6.7), which names the zone. `Date.parse` alone finds a year in almost any words. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .+ (?:GMT|UTC)$/;

/** How much of a header that is no date a problem shows. */
const longestDate = 64;

/** Reads `Date` headers, of which the next is mostly the last again. */
export class DateReader {
  #text: string | undefined;
  #ms: number | undefined;

  /** What is wrong with the header. RFC 9110 has a server without a clock leave it out, and allows two older forms. */
  problem(text: string | undefined): string | undefined {
    if (text === undefined || this.read(text) !== undefined || !Number.isNaN(Date.parse(text)))
      return undefined;
    return `date: expected a date, got ${JSON.stringify(text.slice(0, longestDate))}`;
  }

  /** Epoch milliseconds; undefined when it is no date. */
  read(text: string | undefined): number | undefined {
    if (text === this.#text) return this.#ms;
    const ms = text !== undefined && httpDate.test(text) ? Date.parse(text) : Number.NaN;
    this.#text = text;
    this.#ms = Number.isNaN(ms) ? undefined : ms;
    return this.#ms;
  }
}

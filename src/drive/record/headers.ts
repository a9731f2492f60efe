import { problemField, routeField } from '../../history/record.ts';
import { redact } from '../../history/redact.ts';
import { isTranslated } from '../../target/adapt/map.ts';
import type { Exchange } from '../../target/exchange.ts';
import { errorTypeProblem } from '../../target/problems.ts';
import type { Profile } from '../../target/profile.ts';

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

/** All that is said of limits: `name: value`, joined by ` | `. */
export function limitHeadersOf(headers: Exchange<unknown>['headers'], problem?: string): string | undefined {
  let limits: string | undefined;
  for (const name in headers) {
    if (name.startsWith('ratelimit') || name.startsWith('x-ratelimit') || name.startsWith('x-rate-limit')) {
      const header = `${name}: ${String(headers[name])}`;
      limits = limits === undefined ? header : `${limits} | ${header}`;
    }
  }
  return limits === undefined || problem === undefined ? limits : `${limits} | ${problem}`;
}

/** A problem document is small. */
const largestBytes = 16 * 1_024;

/**
 * The problem document (RFC 9457) of a rejection with the fields of the current draft, as another such field: its type, its
 * status, and the policies that it calls violated. Undefined where there is none.
 */
export function limitProblemOf(
  exchange: Pick<Exchange<unknown>, 'bytes' | 'headers' | 'json' | 'status'>,
): string | undefined {
  const { bytes, headers, status = 0 } = exchange;
  const isLimited = headers.ratelimit !== undefined || headers['ratelimit-policy'] !== undefined;
  // A field that came twice is a list, whatever its type says.
  const isProblem = String(headers['content-type']).startsWith('application/problem+json');
  if (status < 400 || !isLimited || !isProblem || bytes > largestBytes) return undefined;
  const body = exchange.json();
  if (typeof body !== 'object' || body === null) return undefined;
  const { type, status: said, 'violated-policies': violated } = body as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string') return undefined;
  const policies = Array.isArray(violated) ? violated.filter((each) => typeof each === 'string') : [];
  const names = [type.slice(type.lastIndexOf('#') + 1), ...policies].map(
    (text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`,
  );
  const [first, ...others] = names;
  const withStatus = Number.isInteger(said) ? `${first};status=${String(said)}` : first;
  return `${problemField}: ${[withStatus, ...others].join(', ')}`;
}

/** More metrics than this no server needs to name. */
const mostMetrics = 12;
/** Names as they are kept: of other characters, or longer, they would be free text. */
const metricName = /^[\w!#$%&'*+.^`|~-]{1,40}$/;

/**
 * The durations of a `Server-Timing` header, read forgivingly: `name=milliseconds`, joined by spaces. Spaces, quotes and
 * the case of `dur` do not matter, and what cannot be read is passed over. Undefined where there is no duration.
 */
export function serverTimingOf(header: unknown): string | undefined {
  if (header === undefined) return undefined;
  const kept: string[] = [];
  for (const entry of split(String(header), ',')) {
    const [name = '', ...parameters] = split(entry, ';').map((part) => part.trim());
    if (!metricName.test(name)) continue;
    const ms = parameters.map(durationOf).find((each) => each !== undefined);
    if (ms !== undefined) kept.push(`${name}=${ms}`);
    if (kept.length === mostMetrics) break;
  }
  return kept.length === 0 ? undefined : kept.join(' ');
}

function durationOf(parameter: string): number | undefined {
  const text = /^dur\s*=\s*"?\s*([\d.]+(?:e[+-]?\d+)?)\s*(?:ms)?\s*"?$/i.exec(parameter)?.[1];
  const ms = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(ms) ? Math.round(ms * 1e3) / 1e3 : undefined;
}

/** Splits at a character that is not within quotes. */
function split(text: string, at: ',' | ';'): string[] {
  return text.match(at === ',' ? /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g : /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
}

/** Bodies that are kept of each endpoint with each status, besides those that checks read. */
const mostBodies = 20;

/** What a run keeps of answers, so that they can be held against a description of the target afterwards. */
export class Described {
  readonly #headers: readonly KeptHeader[];
  readonly #isTranslated: boolean;
  readonly #kept = new Map<string, number>();

  /** `names`: the headers that the description names. */
  constructor(names: readonly string[], profile: Profile) {
    this.#headers = ['content-type', ...names].map((name) => new KeptHeader(name));
    this.#isTranslated = isTranslated(profile);
  }

  /** A JSON object of the headers that the description names, and of the route, where an adapter decides that. */
  headersOf(
    { wireHeaders: headers, wireRoute }: Pick<Exchange<unknown>, 'wireHeaders' | 'wireRoute'>,
    secrets: readonly string[],
  ): string {
    let fields = '';
    if (wireRoute !== undefined)
      fields = JSON.stringify(redact({ [routeField]: wireRoute }, secrets)).slice(1, -1);
    for (const header of this.#headers) {
      const field = header.fieldOf(headers, secrets);
      if (field !== undefined) fields += fields === '' ? field : `,${field}`;
    }
    return `{${fields}}`;
  }

  /** Whether the body is one of the first of its kind. Those of new sessions hold tokens, and are never kept. */
  wants({ call: { endpoint }, status = 0 }: Exchange<unknown>): boolean {
    if (status === 0 || (endpoint === 'create-session' && status < 300)) return false;
    const kind = `${endpoint} ${status}`;
    const kept = this.#kept.get(kind) ?? 0;
    if (kept >= mostBodies) return false;
    this.#kept.set(kind, kept + 1);
    return true;
  }

  /** The body as it came, where the one that checks read is another. */
  bodyOf(exchange: Exchange<unknown>, secrets: readonly string[]): { readonly wire?: unknown } {
    const body = this.#isTranslated ? exchange.wireJson() : undefined;
    return body === undefined ? {} : { wire: redact(body, secrets) };
  }
}

/** One header as a field of JSON. Its value is mostly the last again, or one of few. */
class KeptHeader {
  readonly #name: string;
  #value: string | undefined;
  #field = '';

  constructor(name: string) {
    this.#name = name;
  }

  fieldOf(headers: Exchange<unknown>['headers'], secrets: readonly string[]): string | undefined {
    const given = headers[this.#name];
    if (given === undefined) return undefined;
    const value = typeof given === 'string' ? given : given.join(', ');
    if (value !== this.#value) {
      this.#value = value;
      this.#field = JSON.stringify(redact({ [this.#name]: value }, secrets)).slice(1, -1);
    }
    return this.#field;
  }
}

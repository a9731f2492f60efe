import { routeField } from '../../history/record.ts';
import { redact } from '../../history/redact.ts';
import { isTranslated } from '../../target/adapt/map.ts';
import type { Exchange } from '../../target/exchange.ts';
import type { Profile } from '../../target/profile.ts';

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

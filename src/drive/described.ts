import { redact } from '../history/redact.ts';
import { isTranslated } from '../target/adapt/map.ts';
import type { Exchange } from '../target/exchange.ts';
import type { Profile } from '../target/profile.ts';

/** Bodies that are kept of each endpoint with each status, besides those that checks read. */
const mostBodies = 20;

/** What a run keeps of answers, so that they can be held against a description of the target afterwards. */
export class Described {
  readonly #names: readonly string[];
  readonly #isTranslated: boolean;
  readonly #kept = new Map<string, number>();

  /** `names`: the headers that the description names. */
  constructor(names: readonly string[], profile: Profile) {
    this.#names = ['content-type', ...names];
    this.#isTranslated = isTranslated(profile);
  }

  headersOf(headers: Exchange<unknown>['headers'], secrets: readonly string[]): string {
    const found: Record<string, string> = {};
    for (const name of this.#names) {
      const value = headers[name];
      if (value !== undefined) found[name] = typeof value === 'string' ? value : value.join(', ');
    }
    return JSON.stringify(redact(found, secrets));
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

import type { Random } from '../../random.ts';
import type { Catalog } from '../../scenario/catalog/catalog.ts';
import { type Call, createSession } from '../../target/calls.ts';
import { eachRole, type Role, roles } from '../../vocabulary/roles.ts';

/** Ambiguous sessions beyond this many are not remembered for reading back; their intervals stay wide. */
const mostAmbiguous = 10_000;

/** What one worker has to tell of the sessions of a role. */
interface RoleShare {
  readonly first: string | undefined;
  /** How many there were, and those drawn of them. */
  readonly seen: number;
  readonly drawn: readonly string[];
  readonly ambiguous: readonly string[];
}

export interface SampleShare {
  readonly of: Readonly<Record<Role, RoleShare>>;
  /** By session. Secrets. */
  readonly tokens: ReadonlyMap<string, string>;
}

/**
 * Which sessions to read back after the load: all with an ambiguous event, and a random sample of the others.
 */
export class SessionSample {
  readonly #random: Random;
  readonly #size: number;
  readonly #first: Partial<Record<Role, string | undefined>> = {};
  readonly #drawn = eachRole((): { seen: number; readonly ids: string[] } => ({ seen: 0, ids: [] }));
  readonly #ambiguous = eachRole(() => new Set<string>());
  readonly #certain = eachRole(() => new Set<string>());

  /** Secrets: to be taken out of what the target says about its sessions. Only of sessions that may be read. */
  readonly #tokens = new Map<string, string>();

  constructor(size: number, random: Random) {
    this.#size = size;
    this.#random = random;
  }

  /** A session was opened. Each is drawn with the same chance: reservoir sampling (Vitter's algorithm R). */
  opened(role: Role, sessionId: string, token: string): void {
    this.#first[role] ??= sessionId;
    if (this.#first[role] === sessionId) this.#tokens.set(sessionId, token);
    const drawn = this.#drawn[role];
    const place = drawn.seen < this.#size ? drawn.seen : Math.floor(this.#random() * (drawn.seen + 1));
    if (place < this.#size) {
      const left = drawn.ids[place];
      if (left !== undefined && left !== this.#first[role] && !this.#ambiguous[role].has(left))
        this.#tokens.delete(left);
      drawn.ids[place] = sessionId;
      this.#tokens.set(sessionId, token);
    }
    drawn.seen++;
  }

  /** How many sessions were opened with the role's key. */
  countOf(role: Role): number {
    return this.#drawn[role].seen;
  }

  ambiguous(role: Role, sessionId: string, token: string): void {
    if (this.#ambiguous[role].size >= mostAmbiguous) return;
    this.#ambiguous[role].add(sessionId);
    this.#tokens.set(sessionId, token);
  }

  /** The sample to merge with those of the other workers. */
  handOver(): SampleShare {
    const of = eachRole((role) => ({
      first: this.#first[role],
      seen: this.#drawn[role].seen,
      drawn: this.#drawn[role].ids,
      ambiguous: [...this.#ambiguous[role]],
    }));
    return { of, tokens: this.#tokens };
  }

  /**
   * Merges two uniform samples into a uniform one. Each place takes a remaining session of one sample, chosen in
   * proportion to the number of sessions behind it.
   */
  merge({ of, tokens }: SampleShare): void {
    for (const role of roles) {
      const { ambiguous, drawn, first, seen } = of[role];
      const own = this.#drawn[role];
      const mine = { ids: [...own.ids], seen: own.seen };
      const theirs = { ids: [...drawn], seen };
      own.ids.length = 0;
      own.seen += seen;
      while (own.ids.length < this.#size && mine.ids.length + theirs.ids.length > 0) {
        const isMine = this.#random() * (mine.seen + theirs.seen) < mine.seen;
        const sample = isMine ? mine : theirs;
        own.ids.push(...sample.ids.splice(Math.floor(this.#random() * sample.ids.length), 1));
        sample.seen--;
      }
      const token = (id: string): string => tokens.get(id) ?? '';
      this.#first[role] ??= first;
      for (const id of [...own.ids, ...(first === undefined ? [] : [first])])
        if (tokens.has(id)) this.#tokens.set(id, token(id));
      for (const id of ambiguous) this.ambiguous(role, id, token(id));
    }
  }

  /** Marks a session to be read back, regardless of the sample's size. */
  toBeRead(role: Role, sessionId: string, token: string): void {
    this.#certain[role].add(sessionId);
    this.#tokens.set(sessionId, token);
  }

  /** What must not be remembered of an answer about a session: its token. */
  secretsOf(sessionId: string): readonly string[] {
    const token = this.#tokens.get(sessionId);
    return token === undefined ? [] : [token];
  }

  /** The role's first session, even if the sample is empty. */
  first(role: Role): string | undefined {
    return this.#first[role];
  }

  /** The sessions to read back, each once: required and ambiguous ones first. */
  toRead(role: Role): readonly string[] {
    return [...new Set([...this.#certain[role], ...this.#ambiguous[role], ...this.#drawn[role].ids])];
  }
}

/** Opens a session on a catalog's first product with a usual locale; with the shades of another catalog, if one is named. */
export function plainSession({ id, locale, products }: Catalog, catalogId = id): Call {
  return createSession({ product_id: products[0]?.id ?? '', catalog_id: catalogId, locale });
}

import type { Random } from '../random.ts';
import type { Role } from '../target/profile.ts';

/** Ambiguous sessions beyond this many are not remembered for reading back; their intervals stay wide. */
const mostAmbiguous = 10_000;

/** Which sessions to read back after the load: all those with an ambiguous act, and a random sample of the others. */
export class SessionSample {
  readonly #random: Random;
  readonly #size: number;
  readonly #first: Partial<Record<Role, string>> = {};
  readonly #drawn: Record<Role, { seen: number; readonly ids: string[] }> = {
    load: { seen: 0, ids: [] },
    quota: { seen: 0, ids: [] },
    bystander: { seen: 0, ids: [] },
  };
  readonly #ambiguous: Record<Role, Set<string>> = {
    load: new Set(),
    quota: new Set(),
    bystander: new Set(),
  };

  constructor(size: number, random: Random) {
    this.#size = size;
    this.#random = random;
  }

  /** A session was opened. Each is drawn with the same chance: reservoir sampling (Vitter's algorithm R). */
  opened(role: Role, sessionId: string): void {
    this.#first[role] ??= sessionId;
    const drawn = this.#drawn[role];
    const place = drawn.seen < this.#size ? drawn.seen : Math.floor(this.#random() * (drawn.seen + 1));
    if (place < this.#size) drawn.ids[place] = sessionId;
    drawn.seen++;
  }

  ambiguous(role: Role, sessionId: string): void {
    if (this.#ambiguous[role].size < mostAmbiguous) this.#ambiguous[role].add(sessionId);
  }

  /** The role's first session, whatever the size of the sample. */
  first(role: Role): string | undefined {
    return this.#first[role];
  }

  /** The sessions to read back: ambiguous ones first, none twice. */
  toRead(role: Role): readonly string[] {
    return [...new Set([...this.#ambiguous[role], ...this.#drawn[role].ids])];
  }
}

import type { ApiCall, CallEvent, SentShade } from './call.ts';
import type { Register, Write } from './register.ts';
import { TextLimits } from './text-limits.ts';

/** What a catalog's register holds: a shade; the register of the catalog itself holds none. */
export interface StoredShade extends SentShade {
  /** Its service put it right: what it lacks may be anything. */
  readonly isMended?: true;
  /** It is listed with another finish. */
  readonly isOfOtherFinish?: true;
}
/** What a history's register holds. `session`: whose event it is. */
export type StoredEvent = CallEvent & { readonly session: number };

export interface LearntSession {
  /** The call that opened it. */
  readonly n: number;
  readonly id: string;
  readonly account: string;
  readonly key: string;
  readonly catalog: string;
  readonly product: string;
  readonly locale: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** NaN where the answer does not say. */
  readonly expiresMs: number;
  readonly shadeCount: number | undefined;
  /** The label of its token: that of the first session that had it. */
  readonly token: string | undefined;
}

/** A session that analytics have to count. */
export interface ModelledSession {
  /** The call that opened it, where its events are its own. */
  readonly n?: number | undefined;
  readonly account: string;
  readonly key: string | undefined;
  readonly product: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly isSure: boolean;
}

/** Elements by name. The name is what a list shows; a fault may keep several registers of one name. */
export class RegisterShelf<Value> {
  readonly #registers = new Map<string, { readonly name: string; writes: Register<Value> }>();
  /** What calls write here, in their order: done once something is read, since most replays read little. */
  readonly #later: (() => void)[] = [];
  #done = 0;
  #isWriting = false;
  readonly #learning: { depth: number };
  /** The first of several registers that a fault keeps for one element. */
  readonly #copies = new Map<string, { readonly writes: Register<Value> }>();

  /** `learning`: whether calls are being learnt, in the world that it is a part of. */
  constructor(learning: { depth: number } = { depth: 0 }) {
    this.#learning = learning;
  }

  /** Writes when something is read. */
  later(write: () => void): void {
    this.#later.push(write);
  }

  get registers(): ReadonlyMap<string, { readonly name: string; writes: Register<Value> }> {
    if (this.#done < this.#later.length && !this.#isWriting) {
      this.#isWriting = true;
      this.#learning.depth += 1;
      for (let write = this.#later[this.#done]; write !== undefined; write = this.#later[++this.#done])
        write();
      this.#learning.depth -= 1;
      this.#isWriting = false;
    }
    return this.#registers;
  }

  /** The register of a slot, made where there is none: something is written to it. */
  open(slot: string, name: string): Register<Value> {
    const known = this.#registers.get(slot);
    if (known !== undefined) return known.writes;
    const made: { readonly name: string; readonly writes: Register<Value> } = { name, writes: [] };
    this.#registers.set(slot, made);
    const end = slot.indexOf('\0');
    const own = slot.slice(0, Math.max(0, end));
    if (end >= 0 && !this.#copies.has(own)) this.#copies.set(own, made);
    return made.writes;
  }

  of(slot: string): readonly Write<Value>[] {
    return this.registers.get(slot)?.writes ?? this.#copies.get(slot)?.writes ?? [];
  }
}

/** A catalog: whether it exists, and its shades. */
export class CatalogShelf extends RegisterShelf<StoredShade> {
  readonly existence: Register<true> = [];
  /** Shades without a SKU that the service may have given one. */
  readonly unnamed: Write<never>[] = [];
}

/** A write of a register that what a read showed has replaced. */
export interface KeptWrite {
  readonly register: Write<unknown>[];
  readonly at: number;
  readonly before: Write<unknown> | undefined;
  readonly after: Write<unknown>;
}

/** What was written where, by the calls that were sent so far. */
export class World {
  readonly catalogs = new Map<string, CatalogShelf>();
  readonly histories = new Map<string, RegisterShelf<StoredEvent>>();
  readonly sessions = new Map<number, LearntSession>();
  readonly ids = new Map<string, number>();
  readonly tokens = new Map<string, number>();
  readonly counted: ModelledSession[] = [];
  readonly calls: ApiCall[] = [];
  readonly byNumber = new Map<number, ApiCall>();
  /** The whole record where it is known: an effect that comes late meets what was sent meanwhile. */
  readonly record: readonly ApiCall[];
  /** The calls that are known: the whole record, or what was sent so far. */
  get known(): readonly ApiCall[] {
    return this.record.length > 0 ? this.record : this.calls;
  }

  readonly texts = new TextLimits();

  /** The lifetimes that every session so far may have had, in milliseconds. */
  lifetimeMs: readonly [number, number] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

  /** The lengths at which every top_shades so far may have been cut off. */
  topLength: readonly [number, number] = [0, Number.POSITIVE_INFINITY];

  /** What the answer that was judged last has settled. */
  readonly kept: KeptWrite[] = [];

  readonly #learning = { depth: 0 };

  constructor(record: readonly ApiCall[] = []) {
    this.record = record;
  }

  /** Whether a call is being learnt, not judged. */
  get isLearning(): boolean {
    return this.#learning.depth > 0;
  }

  learning(learn: () => void): void {
    this.#learning.depth += 1;
    learn();
    this.#learning.depth -= 1;
  }

  keep(register: Write<unknown>[], at: number, after: Write<unknown>): void {
    this.kept.push({ register, at, before: register[at], after });
    register[at] = after;
  }

  /** Takes back what the answer that was judged last has settled. */
  undo(): readonly KeptWrite[] {
    const kept = this.kept.splice(0);
    for (const { at, before, register } of kept.toReversed()) if (before !== undefined) register[at] = before;
    return kept;
  }

  catalog(place: string): CatalogShelf {
    return entry(this.catalogs, place, () => new CatalogShelf(this.#learning));
  }

  history(home: string): RegisterShelf<StoredEvent> {
    return entry(this.histories, home, () => new RegisterShelf<StoredEvent>(this.#learning));
  }
}

export function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

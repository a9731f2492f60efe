import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isOwnLimit, NameUnresolved, NoSocket } from './errors.ts';

interface Address {
  readonly address: string;
  readonly family: number;
}

/** Finds the addresses of a name, the preferred ones first. */
export type Lookup = (hostname: string) => Promise<readonly Address[]>;

/** A name that moves is followed after so long. */
const keptMs = 30_000;
/** An address that did not answer is tried last for so long. */
const asideMs = 10_000;

interface AddressesOptions {
  /** The one address to use, whatever the name resolves to. */
  readonly only?: string | undefined;
  readonly lookup?: Lookup;
  readonly nowMs?: () => number;
}

/**
 * The addresses of one host, which connections use in turn: behind a name there may be several nodes. Addresses of the
 * other family, and those that did not answer, are tried only where the others fail. All pools of a run share one.
 */
export class Addresses {
  readonly #hostname: string;
  readonly #lookup: Lookup;
  readonly #nowMs: () => number;
  #found: Promise<readonly Address[]> | undefined;
  #foundMs = 0;
  #turn = 0;
  readonly #aside = new Map<string, number>();
  /** Those that connections were to use in turn, and those that failed while another one worked, with the reason. */
  inTurn: readonly string[] = [];
  readonly failed = new Map<string, string>();

  /** The target is not given by its address, so that connections may lead to several. */
  readonly isNamed: boolean;

  constructor(hostname: string, { lookup, nowMs = () => performance.now(), only }: AddressesOptions = {}) {
    this.#hostname = hostname.replace(/^\[(.*)\]$/, '$1');
    this.isNamed = isIP(this.#hostname) === 0;
    const literal = only ?? this.#hostname;
    this.#lookup =
      isIP(literal) > 0
        ? () => Promise.resolve([{ address: literal, family: isIP(literal) }])
        : (lookup ?? ((name) => systemLookup(name, { all: true, order: 'verbatim' })));
    this.#nowMs = nowMs;
  }

  /** The addresses to try for the next connection, in this order. Rejects with `NameUnresolved` or `NoSocket`. */
  async next(): Promise<readonly string[]> {
    const nowMs = this.#nowMs();
    if (this.#found === undefined || nowMs - this.#foundMs > keptMs) {
      this.#foundMs = nowMs;
      this.#found = this.#resolve();
    }
    const all = await this.#found;
    const isAside = ({ address }: Address): boolean => nowMs < (this.#aside.get(address) ?? 0);
    const usable = all.filter((each) => !isAside(each));
    const family = (usable[0] ?? all[0])?.family;
    const first = (usable.length === 0 ? all : usable).filter((each) => each.family === family);
    this.inTurn = first.map(({ address }) => address);
    const at = this.#turn++ % first.length;
    const others = all.filter((each) => !first.includes(each));
    return [...first.slice(at), ...first.slice(0, at), ...others].map(({ address }) => address);
  }

  /** An address gave no connection where another one did. */
  putAside(address: string, why: string): void {
    this.#aside.set(address, this.#nowMs() + asideMs);
    this.failed.set(address, why);
  }

  async #resolve(): Promise<readonly Address[]> {
    try {
      const found = await this.#lookup(this.#hostname);
      // A file of hosts may have a line twice.
      const each = new Map(found.map((one) => [one.address, one]));
      if (each.size > 0) return [...each.values()];
      throw new Error('no address');
    } catch (error) {
      // Only what was found is kept.
      this.#found = undefined;
      const cause = error instanceof Error ? error : new Error(String(error));
      throw isOwnLimit(cause)
        ? new NoSocket(cause)
        : new NameUnresolved(`the name ${this.#hostname} was not resolved: ${cause.message}`, { cause });
    }
  }
}

/**
 * What the interface leaves open, and how the target decided it. A freedom is found by consistency: its options are
 * those that fit every answer so far. Or the profile promises it; then it has one option from the start.
 *
 * Rule 10: a freedom never excuses a divergence by itself. Once one option is left, every later answer has to agree.
 */

/** The options of each freedom, the usual one first. */
export const freedomOptions = {
  /** Which import of a SKU is shown: the latest, or the first. */
  reimport: ['last', 'first'],
  /** Which of several rows with one SKU in one import is shown. */
  duplicate: ['last', 'first'],
  /** An event with a SKU that is not in the catalog: refuses its batch, is stored, or is dropped from the batch. */
  unknownSku: ['refused', 'taken', 'dropped'],
  /** A shade without a SKU in an import that is accepted. */
  unnamedShade: ['left out', 'given a SKU'],
  /** What a refused import stores of its good shades. */
  refusedImport: ['nothing', 'before the bad', 'all good'],
  /** What a refused batch of events stores of its good events. */
  refusedEvents: ['nothing', 'before the bad', 'all good'],
  /** An event whose id its session has, from another batch: is the same one, or is stored again. */
  repeatedId: ['once', 'each'],
  /** The same id twice in one batch: is one event, or each is stored. */
  idInBatch: ['once', 'each'],
  /** The order of a history. */
  order: ['arrival', 'at', 'newest arrival', 'newest at'],
  /** What shade_count of a session counts: the shades at its creation, or now. */
  shadeCount: ['creation', 'live'],
  /** Which SKUs the events of a session may name: those in its catalog now, or at its creation. */
  skus: ['live', 'creation'],
  /** What `accepted` counts: events that are new, or all of the batch. */
  accepted: ['new', 'all'],
  /** What avg_shades_per_session averages of a session, and over which sessions. */
  shadesPerSession: ['distinct', 'selections'],
  sessionsAveraged: ['all', 'with-shades'],
  /** Which sessions cart_intent_rate counts: with a cart intent, or with one as the last thing in them; and of which. */
  cartIntent: ['ever', 'last'],
  cartOver: ['all', 'with-shades'],
  /** A session's token at another session. */
  otherToken: ['refused', 'taken'],
  /** Events for a session that is over. */
  expired: ['refused', 'taken'],
  /** An API key at the channel of the session tokens. */
  keyOnChannel: ['refused', 'taken'],
} as const;
export type FreedomName = keyof typeof freedomOptions;
export type FreedomOption<Name extends FreedomName = FreedomName> = (typeof freedomOptions)[Name][number];
export const freedomNames = Object.keys(freedomOptions) as FreedomName[];

/** How a service decides each. */
export type FreedomChoices = { readonly [Name in FreedomName]?: FreedomOption<Name> };

/** The options that a target promises: one, or those that are left. */
export type FreedomPromises = {
  readonly [Name in FreedomName]?: FreedomOption<Name> | readonly FreedomOption<Name>[];
};

/** One option of one freedom: what a write or an answer depends on. */
export interface Option {
  readonly freedom: FreedomName;
  readonly option: string;
}

export const option = <Name extends FreedomName>(freedom: Name, value: FreedomOption<Name>): Option => ({
  freedom,
  option: value,
});

/** A freedom that is settled, and the call that showed it; promised ones have none. */
export interface SettledFreedom extends Option {
  readonly call: number | undefined;
}

export class Freedoms {
  readonly #open = new Map<FreedomName, readonly string[]>();
  readonly #shownBy = new Map<FreedomName, number>();

  constructor(promises: FreedomPromises = {}) {
    for (const name of freedomNames) {
      const promised = promises[name];
      const options = typeof promised === 'string' ? [promised] : promised;
      this.#open.set(name, options ?? freedomOptions[name]);
    }
  }

  options(name: FreedomName): readonly string[] {
    return this.#open.get(name) ?? [];
  }

  /** Whether an option still fits every answer. */
  allows<Name extends FreedomName>(name: Name, value: FreedomOption<Name>): boolean {
    return this.options(name).includes(value);
  }

  /** The same, but with one option of one freedom. */
  with({ freedom, option }: Option): Freedoms {
    const copy = new Freedoms();
    for (const [name, options] of this.#open) copy.#open.set(name, name === freedom ? [option] : options);
    return copy;
  }

  /** Whether all of some options still fit. */
  allowAll(given: readonly Option[] | undefined): boolean {
    return (
      given === undefined || given.every(({ freedom, option }) => this.options(freedom).includes(option))
    );
  }

  areSettled(given: readonly Option[] | undefined): boolean {
    return given === undefined || given.every(({ freedom }) => this.isSettled(freedom));
  }

  isSettled(name: FreedomName): boolean {
    return this.options(name).length === 1;
  }

  /** Whether the target has decided so. */
  is<Name extends FreedomName>(name: Name, value: FreedomOption<Name>): boolean {
    return this.isSettled(name) && this.allows(name, value);
  }

  /** Only `fitting` options explain the answer of a call. False, and nothing changes, where none of them is left. */
  narrow(name: FreedomName, fitting: readonly string[], call: number): boolean {
    const open = this.options(name);
    const left = open.filter((each) => fitting.includes(each));
    if (left.length === 0) return false;
    if (left.length < open.length) {
      this.#open.set(name, left);
      this.#shownBy.set(name, call);
    }
    return true;
  }

  settled(): SettledFreedom[] {
    return freedomNames
      .filter((name) => this.isSettled(name))
      .map((name) => ({
        freedom: name,
        option: this.options(name)[0] ?? '',
        call: this.#shownBy.get(name),
      }));
  }
}

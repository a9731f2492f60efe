/**
 * What the interface leaves open, and how the target decided it. A freedom is found by consistency: its options are
 * those that fit every answer so far. Or the profile promises it; then it has one option from the start.
 *
 * Rule 10: a freedom never excuses a divergence by itself. Once one option is left, every later answer has to agree.
 */

const rejected = { refused: 'it is rejected', taken: 'it is accepted' } as const;
const accepted = { taken: 'it is accepted', refused: 'it is rejected' } as const;
const unknownSku = {
  refused: 'its batch is rejected',
  taken: 'it is stored',
  dropped: 'it alone is left out',
} as const;
const sameOrNot = { once: 'the same event', each: 'another event' } as const;

/** What is open, as a question, and each answer that a target may give, the usual one first. */
const questions = {
  reimport: ['Which import of a SKU is shown?', { last: 'the latest', first: 'the first' }],
  knownSku: ['What becomes of an import with a SKU that its catalog has?', accepted],
  duplicate: [
    'Which of several shades with one SKU in one import is shown?',
    { last: 'the last', first: 'the first' },
  ],
  skuTwice: ['What becomes of an import with a SKU twice?', accepted],
  otherFinish: [
    'What becomes of an import with a finish that is not promised?',
    { taken: 'it is listed', changed: 'it is listed with another finish', refused: 'it is rejected' },
  ],
  foreignCatalog: [
    'What is an import into a catalog whose id another account has?',
    { apart: 'a separate catalog', refused: 'it is rejected' },
  ],
  unknownSku: ['What becomes of a selection with a SKU outside the catalog?', unknownSku],
  // A service may look up the SKUs of selections alone.
  unknownCartSku: ['What becomes of a cart intent with a SKU outside the catalog?', unknownSku],
  unnamedShade: [
    'What is a shade without a SKU in an import that is accepted?',
    { 'left out': 'left out', 'given a SKU': 'listed under a SKU that it is given' },
  ],
  refusedImport: [
    'What does a rejected import store?',
    {
      nothing: 'nothing',
      'before the bad': 'what comes before the bad shade',
      'all good': 'all good shades',
    },
  ],
  refusedEvents: [
    'What does a rejected batch of events store?',
    {
      nothing: 'nothing',
      'before the bad': 'what comes before the bad event',
      'all good': 'all good events',
    },
  ],
  repeatedId: ['What is an event whose id its session has?', sameOrNot],
  idInBatch: ['What is an event whose id is twice in its batch?', sameOrNot],
  knownId: ['What becomes of a batch of events with an id that its session has, or twice?', accepted],
  order: [
    'In which order is a history?',
    {
      arrival: 'by arrival',
      at: 'by `at`',
      'newest arrival': 'by arrival, the newest first',
      'newest at': 'by `at`, the newest first',
    },
  ],
  shadeCount: [
    'Which shades does `shade_count` of a session count?',
    { creation: 'those at its creation', live: 'those of now' },
  ],
  expiry: ['Does the use of a session move its `expires_at`?', { fixed: 'no', moved: 'yes' }],
  skus: [
    'Which SKUs may the events of a session name?',
    { live: 'those of its catalog now', creation: 'those at its creation' },
  ],
  accepted: ['What does `accepted` count?', { new: 'new events', all: 'all events of the batch' }],
  shadesPerSession: [
    'What does `avg_shades_per_session` count of a session?',
    { distinct: 'its different shades', selections: 'its selections' },
  ],
  sessionsAveraged: [
    'Over which sessions is `avg_shades_per_session` averaged?',
    { all: 'all', 'with-shades': 'those with a shade' },
  ],
  cartIntent: [
    'Which sessions does `cart_intent_rate` count?',
    { ever: 'those with a cart intent', last: 'those that end with a cart intent' },
  ],
  cartOver: [
    'Of which sessions is `cart_intent_rate` a fraction?',
    { all: 'of all', 'with-shades': 'of those with a shade' },
  ],
  unknownProduct: [
    'What do analytics of a product without sessions show?',
    { zero: 'zeros', refused: '404' },
  ],
  otherToken: ['What becomes of the token of another session?', rejected],
  expired: ['What becomes of an event for a session that is over?', rejected],
  keyOnChannel: ['What becomes of an API key on the channel of the tokens?', rejected],
} as const;
export type FreedomName = keyof typeof questions;
export type FreedomOption<Name extends FreedomName = FreedomName> = {
  [Each in FreedomName]: keyof (typeof questions)[Each][1] & string;
}[Name];
export const freedomNames = Object.keys(questions) as FreedomName[];

const allOptions: ReadonlyMap<FreedomName, readonly string[]> = new Map(
  freedomNames.map((name) => [name, Object.keys(questions[name][1])]),
);

/** The options of a freedom. */
export const optionsOf = <Name extends FreedomName>(name: Name): readonly FreedomOption<Name>[] =>
  (allOptions.get(name) ?? []) as readonly FreedomOption<Name>[];

/** A freedom as a question, and the answer that an option is. */
export function freedomWords({ freedom, option }: Option): readonly [question: string, answer: string] {
  const [question, answers]: readonly [string, Readonly<Record<string, string>>] = questions[freedom];
  return [question, answers[option] ?? option];
}

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
  #open: ReadonlyMap<FreedomName, readonly string[]>;
  #shownBy: ReadonlyMap<FreedomName, number>;

  constructor(promises: FreedomPromises | Freedoms = {}) {
    const isCopy = promises instanceof Freedoms;
    this.#open = isCopy
      ? promises.#open
      : new Map(
          freedomNames.map((name) => {
            const promised: string | readonly string[] | undefined = promises[name];
            return [name, typeof promised === 'string' ? [promised] : (promised ?? optionsOf(name))];
          }),
        );
    this.#shownBy = isCopy ? promises.#shownBy : new Map();
  }

  options(name: FreedomName): readonly string[] {
    return this.#open.get(name) ?? [];
  }

  /** Whether an option still fits every answer. */
  allows<Name extends FreedomName>(name: Name, value: FreedomOption<Name>): boolean {
    return this.options(name).includes(value);
  }

  /** The same, but of some freedoms with one option alone. */
  with(...options: readonly Option[]): Freedoms {
    const copy = new Freedoms(this);
    const open = new Map(this.#open);
    for (const { freedom, option } of options) open.set(freedom, [option]);
    copy.#open = open;
    return copy;
  }

  /** Goes back to what was open when a copy was made. */
  restore(copy: Freedoms): void {
    this.#open = copy.#open;
    this.#shownBy = copy.#shownBy;
  }

  /** Whether every option that others leave is open here, too. */
  hasAllOf(others: Freedoms): boolean {
    return (
      this.#open === others.#open ||
      freedomNames.every((name) => others.options(name).every((each) => this.options(name).includes(each)))
    );
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
      this.#open = new Map(this.#open).set(name, left);
      this.#shownBy = new Map(this.#shownBy).set(name, call);
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

import type { AnswerSaid } from './answer.ts';
import type { CallEvent, SentShade } from './call.ts';
import { differingEvent, differingShade } from './compare.ts';
import type { Expected } from './expected.ts';
import type { Item } from './stages.ts';
import type { StoredEvent, StoredShade } from './world.ts';

/**
 * How much a model leaves open, in bits: what it would take to say which of the answers that it allows were given. A row that
 * allows nearly anything costs much, so it is named only where no row predicts the answers.
 *
 * Elements that depend on the same calls are one choice if they agree, and one each if they do not.
 */
export class OpenBits {
  #bits = 0;
  /** Choices between two outcomes: how often, and how often the one that is not usual. */
  readonly #choices = new Map<string, { of: number; other: number }>();

  add({ analytics, events, numbers, outcomes, shades }: Expected, said: AnswerSaid, others = 0): void {
    this.#bits += Math.log2(1 + others);
    if (outcomes.length > 1) this.#choose(`outcome ${outcomes.join()}`, said.outcome !== outcomes[0]);
    if (shades !== undefined && said.shades !== undefined)
      this.#list<StoredShade, SentShade>(
        shades.items,
        Map.groupBy(said.shades, ({ sku }) => sku),
        differingShade,
      );
    if (events !== undefined && said.events !== undefined)
      this.#list<StoredEvent, CallEvent>(
        events.items,
        Map.groupBy(said.events, ({ id }) => id),
        differingEvent,
      );
    // How many events show is one choice: they come in their order.
    const counts = [...(analytics?.shades.values() ?? [])];
    this.#bits += Math.log2(1 + counts.reduce((sum, [least, most]) => sum + most - least, 0));
    // What a mean may be is about as open as the sum of which it is one.
    for (const { ways } of analytics?.means ?? [])
      this.#bits += Math.log2(1 + Math.min(...ways.map(({ range: [least, most] }) => most - least)));
    for (const [least, most] of Object.values(numbers)) {
      const width = most - least;
      // Instants are wide by nature.
      if (width > 0 && width < 1e6) this.#bits += Math.log2(1 + width);
    }
  }

  #list<Value, Seen>(
    items: readonly Item<Value>[],
    seen: ReadonlyMap<string | undefined, readonly Seen[]>,
    differing: (value: Value, each: Seen) => readonly string[],
  ): void {
    const isShown = (value: Value | undefined, name: string): boolean => {
      const shown = seen.get(name) ?? [];
      return value === undefined
        ? shown.length === 0
        : shown.some((each) => differing(value, each).length === 0);
    };
    const groups = new Map<string, number[]>();
    for (const { may, name } of items) {
      if (may.length < 2 || may.every(({ value }) => value === undefined)) continue;
      const key = may.map(({ call }) => call).join();
      const places = groups.get(key) ?? [];
      groups.set(key, places);
      places.push(may.findIndex(({ value }) => isShown(value, name)));
    }
    for (const [key, places] of groups) {
      const ways = key.split(',').length;
      if (new Set(places).size > 1) this.#bits += bitsOfChoices(places, ways);
      else if (ways > 2) this.#bits += Math.log2(ways);
      else this.#choose('element', places[0] === 0);
    }
  }

  #choose(kind: string, isOther: boolean): void {
    const count = this.#choices.get(kind) ?? { of: 0, other: 0 };
    this.#choices.set(kind, count);
    count.of += 1;
    if (isOther) count.other += 1;
  }

  get total(): number {
    let bits = this.#bits;
    for (const { of, other } of this.#choices.values())
      bits += of * entropy(other / of) + (other === 0 ? 0 : Math.log2(of + 1));
    return bits;
  }
}

/** What each of some neighbours chose: one by one, or where the choice changes along them: a batch may be cut. */
function bitsOfChoices(places: readonly number[], ways: number): number {
  const changes = places.filter((place, at) => at > 0 && place !== places[at - 1]).length;
  return Math.min(
    places.length * Math.log2(ways),
    Math.log2(ways) + changes * Math.log2(places.length * ways),
  );
}

/** The bits of a choice of which a share is the one. */
const entropy = (share: number): number =>
  share <= 0 || share >= 1 ? 0 : -share * Math.log2(share) - (1 - share) * Math.log2(1 - share);

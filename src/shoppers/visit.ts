import type { Random } from '../random.ts';
import { elementAt } from './element.ts';
import type { JourneyStep, ShopperEvent } from './journey.ts';
import type { Picker, Urn } from './popularity.ts';
import type { Line } from './shelf.ts';

/** Selections of `tried` different shades, popular ones likelier; `reselect`: the odds of a return to an earlier one. */
export function tryShades(
  line: Line,
  { reselect, tried }: { readonly tried: number; readonly reselect: number },
  urn: Urn,
  random: Random,
): ShopperEvent[] {
  urn.refill(line.weights);
  const events: ShopperEvent[] = [];
  const seen: ShopperEvent[] = [];
  while (seen.length < tried) {
    const event: ShopperEvent = { type: 'shade_selected', sku: elementAt(line.skus, urn.take(random())) };
    let current = seen.push(event) - 1;
    events.push(event);
    while (random() < reselect) {
      if (seen.length > 1) {
        // Any shade but the one on the face. A shopper who has seen only one can but select that again.
        const other = Math.floor(random() * (seen.length - 1));
        current = other < current ? other : other + 1;
      }
      events.push(elementAt(seen, current));
    }
  }
  return events;
}

/** Cart intent for the shade on the face or any that was selected; with probability `again` another one follows. */
export function cartEvents(
  selections: readonly ShopperEvent[],
  again: number,
  random: Random,
): ShopperEvent[] {
  const last = selections.length - 1;
  const anySelection = (): number => Math.floor(random() * selections.length);
  const chosen = [random() < 0.6 ? last : anySelection()];
  if (random() < again) chosen.push(anySelection());
  return chosen.map((index) => ({ type: 'cart_intent', sku: elementAt(selections, index).sku }));
}

/**
 * Requests that carry these events, one to three each, like an SDK that batches. A request leaves at its last event,
 * so all its think times come before it.
 */
export function interactSteps(
  events: readonly ShopperEvent[],
  think: (u: number) => number,
  sizes: Picker,
  random: Random,
): JourneyStep[] {
  const steps: JourneyStep[] = [];
  let from = 0;
  while (from < events.length) {
    const batch = events.slice(from, from + 1 + sizes.pick(random()));
    let afterMs = 0;
    for (let event = 0; event < batch.length; event++) afterMs += think(random());
    steps.push({ kind: 'interact', afterMs: Math.round(afterMs), events: batch });
    from += batch.length;
  }
  return steps;
}

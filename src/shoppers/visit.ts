import type { Random } from '../random.ts';
import { elementAt } from './element.ts';
import type { Act, JourneyStep } from './journey.ts';
import type { Picker, Urn } from './popularity.ts';
import type { Line } from './shelf.ts';

/** Selections of `tried` different shades, popular ones likelier, with returns to earlier ones in between. */
export function tryShades(line: Line, tried: number, reselect: number, urn: Urn, random: Random): Act[] {
  urn.refill(line.weights);
  const acts: Act[] = [];
  const seen: Act[] = [];
  while (seen.length < tried) {
    const act: Act = { type: 'shade_selected', sku: elementAt(line.skus, urn.take(random())) };
    let current = seen.push(act) - 1;
    acts.push(act);
    while (random() < reselect) {
      if (seen.length > 1) {
        // Any shade but the one on the face. A shopper who has seen only one can but select that again.
        const other = Math.floor(random() * (seen.length - 1));
        current = other < current ? other : other + 1;
      }
      acts.push(elementAt(seen, current));
    }
  }
  return acts;
}

/** Cart intent for the shade on the face or any that was selected; with probability `again` another one follows. */
export function cartActs(selections: readonly Act[], again: number, random: Random): Act[] {
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
  acts: readonly Act[],
  think: (u: number) => number,
  sizes: Picker,
  random: Random,
): JourneyStep[] {
  const steps: JourneyStep[] = [];
  let from = 0;
  while (from < acts.length) {
    const batch = acts.slice(from, from + 1 + sizes.pick(random()));
    let afterMs = 0;
    for (let act = 0; act < batch.length; act++) afterMs += think(random());
    steps.push({ kind: 'interact', afterMs: Math.round(afterMs), acts: batch });
    from += batch.length;
  }
  return steps;
}

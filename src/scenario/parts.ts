import type { CheckGroup } from '../vocabulary/check-ids.ts';
import type { Phase } from './load.ts';
import type { Study } from './study.ts';

/**
 * A part of a scenario that answers one question, and can be left out if there is no room for it. Parts are ordered
 * by weight and run in this order, with studies after all load.
 */
export interface Part {
  readonly name: string;
  /** What is not known when it is left out. */
  readonly question: string;
  /** The groups of checks that it serves. */
  readonly checks: readonly CheckGroup[];
  readonly load: readonly Phase[];
  readonly study: readonly Study[];
  /** The shortest budget that its studies are worth beginning with, milliseconds; theirs, when not given. */
  readonly least?: number | undefined;
}

/** The sum over some parts. */
export interface Spending {
  readonly ms: number;
  readonly requests: number;
}

/** What there is for a whole run. */
export interface Room {
  readonly ms: number;
  readonly requests: number;
}

interface Fitted {
  readonly taken: readonly Part[];
  /** With what each would have added, to those of more weight that were taken. */
  readonly leftOut: readonly { readonly part: Part; readonly needs: Spending }[];
}

/**
 * Takes each part, in order, that still fits beside those taken, with less time for its studies if needed. So a light
 * part may be taken where a heavier one was not.
 */
export function fitParts(
  parts: readonly Part[],
  room: Room,
  spendingOf: (parts: readonly Part[]) => Spending,
): Fitted {
  const taken: Part[] = [];
  const leftOut: Fitted['leftOut'][number][] = [];
  const fits = ({ ms, requests }: Spending): boolean => ms <= room.ms && requests <= room.requests;
  let spent: Spending = { ms: 0, requests: 0 };
  for (const part of parts) {
    const whole = spendingOf([...taken, part]);
    const shorter = part.least === undefined ? undefined : shortened(part, whole.ms - room.ms, part.least);
    const found = [part, ...(shorter === undefined ? [] : [shorter])]
      .map((each) => ({ part: each, spending: spendingOf([...taken, each]) }))
      .find(({ spending }) => fits(spending));
    if (found === undefined) {
      leftOut.push({ part, needs: { ms: whole.ms - spent.ms, requests: whole.requests - spent.requests } });
    } else {
      taken.push(found.part);
      spent = found.spending;
    }
  }
  return { taken, leftOut };
}

/** The part with `byMs` less time for its studies; undefined if one of them would get less than `leastMs`. */
function shortened(part: Part, byMs: number, leastMs: number): Part | undefined {
  if (byMs <= 0) return undefined;
  const timed = part.study.filter((each) => 'budgetMs' in each);
  const study = part.study.map((each) =>
    'budgetMs' in each ? { ...each, budgetMs: Math.floor(each.budgetMs - byMs / timed.length) } : each,
  );
  const isEnough = study.every((each) => !('budgetMs' in each) || each.budgetMs >= leastMs);
  return timed.length > 0 && isEnough ? { ...part, study } : undefined;
}

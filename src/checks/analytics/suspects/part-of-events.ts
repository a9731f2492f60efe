import { fits, type Suspect } from '../../causes/cause.ts';
import { hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import {
  byFeature,
  type Claim,
  type CountBound,
  cutOf,
  type Measured,
  type NumberOf,
} from './counted-part.ts';
import type { KnownAnswer, KnownEvent, KnownSession } from './known-answers.ts';

/** A selection, and the session that it is of. */
interface KnownSelection {
  readonly session: KnownSession;
  readonly event: KnownEvent;
  /** Its place among the events of its session, and among the selections of the run. */
  readonly place: number;
  readonly ordinal: number;
}

/** With fewer shades a bound that fits may be chance. */
const leastShades = 5;
/** A bound nearer to the creation, or to the start of the run, than this may be chance, too. */
const leastMs = 1_000;

const selectionFeatures: readonly NumberOf<KnownSelection>[] = [
  ['place', ({ place }) => place],
  ['place-in-batch', ({ event }) => event.placeInBatch],
  ['place-from-end', ({ event }) => event.batch - event.placeInBatch + 1],
  ['batch', ({ event }) => event.batch],
  ['ordinal', ({ ordinal }) => ordinal],
];

/** By what selections may be counted or not: those below a bound, with the cause that this shows. */
const orders: readonly (readonly [Measured<KnownSelection>, (cut: CountBound) => Suspect])[] = [
  [
    ({ event, session }) => [event.sentMs - session.answeredMs, event.answeredMs - session.sentMs],
    ({ over, under }) => fits('late-events-ignored', { leastMs: Math.max(0, over), mostMs: under }),
  ],
  [
    ({ event }) => [event.sentMs, event.answeredMs],
    ({ over, under }) => fits('events-counted-until', { leastMs: over, mostMs: under }),
  ],
  [
    ({ event }) => [-event.answeredMs, -event.sentMs],
    ({ over, under }) => fits('events-counted-since', { leastMs: -under, mostMs: -over }),
  ],
];

/**
 * Selections of which only a part counts: those soon after the creation of their session, or before or after some instant.
 * One bound explains every count.
 */
export function partOfEvents(table: AnalyticsTable, known: readonly KnownAnswer[]): SuspectHypothesis[] {
  // Sessions that do not count at all take their events with them.
  if (wrongRows(table, 'total_sessions').length > 0) return [];
  const wrong = wrongRows(table, 'top_shades');
  if (!wrong.every((row) => known.some((each) => each.hasEvents && each.row === row))) return [];
  const groups = known.flatMap(({ hasEvents, row, sessions }): readonly Claim<KnownSelection>[][] => {
    if (!hasEvents || row.topShades.verdict !== 'fail') return [];
    const all = sessions.flatMap(selectionsOf);
    const bySku = Map.groupBy(all, ({ event }) => event.sku);
    const { returned } = row.topShades;
    return [
      (returned ?? []).map(({ selections, sku }) => ({ items: bySku.get(sku) ?? [], counted: selections })),
    ];
  });
  const claims = groups.flat();
  const short = claims.filter(({ counted, items }) => items.length > counted).length;
  if (short < leastShades) return [];
  for (const [feature, suspectOf] of orders) {
    const cut = cutOf(claims, feature);
    if (cut !== undefined && Math.abs(cut.under) >= leastMs)
      return hypotheses(table, ['top_shades'], (seqs) => ({ ...suspectOf(cut), seqs }));
  }
  const [longest = []] = groups.toSorted((a, b) => b.length - a.length);
  const [found] = byFeature('selection', claims, longest, selectionFeatures);
  return found === undefined ? [] : hypotheses(table, ['top_shades'], (seqs) => ({ ...found.suspect, seqs }));
}

function selectionsOf(session: KnownSession): KnownSelection[] {
  let place = 0;
  return session.events.flatMap((event) => {
    if (!event.isAccepted) return [];
    place += 1;
    return event.isCart ? [] : [{ session, event, place, ordinal: event.ordinal }];
  });
}

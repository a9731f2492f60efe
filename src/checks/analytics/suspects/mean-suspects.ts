import type { History } from '../../../history/history.ts';
import { averageMeasures, type MeanField, meanFields, rateMeasures } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { within } from '../compare/fit.ts';
import { cellNames, hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import type { Allowed } from '../conventions/conventions.ts';
import {
  type Addend,
  addends,
  type Group,
  type KnownMean,
  knownOf,
  sessionGroups,
  sum,
} from './session-groups.ts';

/** Quotients that no convention allows, by the field in whose place they may stand. */
const quotients: Readonly<Record<MeanField, readonly (readonly [Addend, Addend])[]>> = {
  avg_shades_per_session: [
    ['events', 'sessions'],
    ['shades', 'sessions-with-events'],
    ['selections', 'sessions-with-events'],
  ],
  cart_intent_rate: [
    ['cart-intents', 'events'],
    ['cart-intents', 'sessions'],
    ['cart-intents', 'selections'],
    ['sessions-with-cart-intent', 'events'],
    ['sessions-with-cart-intent', 'selections'],
    ['sessions-with-cart-intent', 'sessions-with-events'],
  ],
};

/** A cause, and the value that it gives a field in an answer. */
interface OtherMean {
  readonly suspect: Suspect;
  readonly of: (known: KnownMean) => Bounds;
}

/** Numbers of shades to which those of a session may be cut. */
const capsTried = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20];

/** What a wrong average or rate is instead, where every value of the field, the right ones too, is just that. */
export async function meanHypotheses(history: History, table: AnalyticsTable): Promise<SuspectHypothesis[]> {
  const wrong = meanFields.filter((field) => wrongRows(table, field).length > 0);
  if (wrong.length === 0 || table.search === undefined) return [];
  const { chosen } = table.search;
  const all = await sessionGroups(history);
  const { decimals } = history.profile.analytics;
  const found = wrong.flatMap((field) => {
    const known = table.rows.flatMap((row) => knownOf(chosen, row, field, all));
    if (!known.some(({ row }) => row[cellNames[field]].verdict === 'fail')) return [];
    const other = otherMeans(field, table.allowed).find(({ of }) =>
      known.every((each) => within(each.value, of(each), decimals)),
    );
    return other === undefined ? [] : [{ field, suspect: other.suspect }];
  });
  const fields = found.flatMap(({ field, suspect }) => (isOfActive(suspect) ? [field] : []));
  return found.flatMap(({ field, suspect }) =>
    hypotheses(table, [field], (seqs) => ({
      ...(isOfActive(suspect) ? fits('inactive-sessions-left-out', { fields, without: 'event' }) : suspect),
      seqs,
    })),
  );
}

/** The mean is right but for the sessions that nothing happened in. */
function isOfActive({ cause }: Suspect): boolean {
  return (
    cause.code === 'mean-of-other' &&
    cause.params.by === 'sessions-with-events' &&
    cause.params.of !== 'events'
  );
}

/** Each with what it gives, the plainest first. */
function otherMeans(field: MeanField, { average, rate }: Allowed): OtherMean[] {
  const ofRate = field === 'cart_intent_rate';
  const measures = ofRate ? rateMeasures.filter(rate) : averageMeasures.filter(average);
  const pairs = measures.flatMap((measure): (readonly [Addend, Addend])[] => {
    const of = measure.startsWith('distinct')
      ? 'shades'
      : measure.startsWith('selections')
        ? 'selections'
        : 'sessions-with-cart-intent';
    // What is the last event of a session is not in its counts.
    return measure.startsWith('cart-last')
      ? []
      : [[of, measure.endsWith('/all') ? 'sessions' : 'sessions-with-shades']];
  });
  return [
    ...pairs.map(([of, by]): OtherMean => {
      const byProduct = ({ groups, row }: KnownMean): Bounds =>
        row.query.productId === null ? meanOfMeans(groups, of, by) : quotient(groups, addends[of], by);
      return { suspect: fits('mean-of-means', { field }), of: byProduct };
    }),
    ...quotients[field].map(
      ([of, by]): OtherMean => ({
        suspect: fits('mean-of-other', { field, of, by }),
        of: ({ groups }) => quotient(groups, addends[of], by),
      }),
    ),
    // Where the counts are those of the product, and its mean is not.
    ...pairs.map(
      ([of, by]): OtherMean => ({
        suspect: fits('product-filter-ignored', { fields: [field] }),
        of: ({ account }) => quotient(account, addends[of], by),
      }),
    ),
    ...(ofRate ? [] : pairs.flatMap(([of, by]) => [...shadesOtherwise(by), medianOf(of)])),
  ];
}

/** The value of the session in the middle, or of any between the two. */
function medianOf(of: Addend): OtherMean {
  return {
    suspect: fits('median-for-mean', {}),
    of: ({ groups }) => {
      const half = groups.reduce((total, { sessions }) => total + sessions, 0) / 2;
      let below = 0;
      const middle = groups
        .map((group) => ({ value: addends[of](group), sessions: group.sessions }))
        .toSorted((a, b) => a.value - b.value)
        .filter(({ sessions }) => {
          const before = below;
          below += sessions;
          return before <= half && below >= half;
        });
      return { min: middle[0]?.value ?? 0, max: middle.at(-1)?.value ?? 0 };
    },
  };
}

/** Different shades of all sessions together, and those of each session up to some number. */
function shadesOtherwise(by: Addend): OtherMean[] {
  const field = 'avg_shades_per_session';
  return [
    {
      suspect: fits('mean-of-other', { field, of: 'shades-of-all-sessions', by }),
      of: ({ groups, row }) => {
        const shades = row.topShades.expected ?? [];
        const sessions = sum(groups, addends[by]);
        const least = shades.filter(({ min }) => min > 0).length;
        return { min: least / sessions.max, max: shades.length / Math.max(1, sessions.min) };
      },
    },
    ...capsTried.map(
      (most): OtherMean => ({
        suspect: fits('shades-capped', { most }),
        of: ({ groups }) => quotient(groups, ({ shades }) => Math.min(shades, most), by),
      }),
    ),
  ];
}

function quotient(groups: readonly Group[], part: (group: Group) => number, by: Addend): Bounds {
  const [of, over] = [sum(groups, part), sum(groups, addends[by])];
  return { min: over.max === 0 ? 0 : of.min / over.max, max: of.max / Math.max(1, over.min) };
}

function meanOfMeans(groups: readonly Group[], of: Addend, by: Addend): Bounds {
  const products = [...Map.groupBy(groups, ({ product_id }) => product_id).values()];
  const means = products.map((each) => quotient(each, addends[of], by));
  const mean = (end: keyof Bounds): number =>
    means.reduce((total, each) => total + each[end], 0) / products.length;
  return { min: mean('min'), max: mean('max') };
}

import type { History } from '../../../history/history.ts';
import type { ProfileInput } from '../../../target/profile.ts';
import {
  type AnswerField,
  answerFields,
  type ConventionName,
  type Rounding,
} from '../../../vocabulary/analytics.ts';
import { roundingText } from '../../reasons/analytics/words.ts';
import { type Frame, frameConventions, measureConventions } from '../conventions/conventions.ts';
import { isDateTime } from '../conventions/zones.ts';
import type { Expectation } from '../expect/expectation.ts';
import type { Questions, Returned } from '../record/questions.ts';
import { decimalsOf, type Preconditions } from './fit.ts';
import { type Choice, fitsBy, type Search } from './search.ts';

/** What the answers show about the conventions of GET /analytics/sessions that the interface does not. */

/** One convention. Values as the profile has them, where it has that convention (`analytics.…`). */
export interface Inferred {
  readonly name: ConventionName;
  /** What the profile says; `discover` where it leaves it open, null where it has no such field. */
  readonly profile: string | null;
  /** Values that fit every answer, those of the chosen set first. One: it is known. Under no fit: the nearest set's. */
  readonly values: readonly string[];
}

/** A value that does not fit the nearest set of conventions. */
interface Break {
  readonly query: string;
  readonly field: AnswerField;
  readonly seq: number;
}

export interface InferredConventions {
  /**
   * - `fits`: at least one set that the profile allows fits every answer;
   * - `contradicts`: one fits every answer, but the profile says otherwise;
   * - `none`: none fits every answer.
   */
  readonly kind: 'fits' | 'contradicts' | 'none';
  readonly conventions: readonly Inferred[];
  /** The decimals that means are rounded to, to nearest; null where that is not known. */
  readonly decimals: number | null;
  /** Values that do not fit `conventions`; empty unless `none`. */
  readonly breaks: readonly Break[];
}

/** What the search found, as data. */
export function inferConventions(
  history: History,
  questions: Questions,
  search: Search,
  allowed: (frame: Frame) => boolean,
): InferredConventions {
  const fits = search.fitting.length > 0;
  const told = fits ? search.fitting : [search.nearest];
  const first = told[0] ?? search.nearest;
  const judged = judgedBy(first, questions);
  const roundings = roundingsOf(judged, first);
  const conventions = listed(history, questions, told, {
    allowed: fits ? allowed : () => true,
    judged,
    roundings,
  });
  const [rounding] = roundings;
  return {
    kind: fits ? 'fits' : search.nearest.misfits === 0 ? 'contradicts' : 'none',
    conventions,
    decimals: roundings.length === 1 && rounding?.how === 'nearest' ? rounding.decimals : null,
    breaks: fits ? [] : breaksOf(search.nearest, questions),
  };
}

function listed(
  history: History,
  questions: Questions,
  choices: readonly Choice[],
  {
    allowed,
    judged,
    roundings,
  }: {
    readonly allowed: (frame: Frame) => boolean;
    readonly judged: readonly JudgedAnswer[];
    readonly roundings: readonly Rounding[];
  },
): Inferred[] {
  const { profile } = history;
  const { analytics } = profile;
  const [first] = choices;
  if (first === undefined) return [];
  const frames = choices.flatMap(({ evaluation }) => evaluation.of.members.filter(allowed));
  const sets = choices.map((choice) => ({ ...choice, frame: choice.evaluation.frame }));
  const { most: topLength } = first.evaluation.topLengths;
  const formats = questions.queries.map(({ endDate }) => (isDateTime(endDate) ? 'date-time' : 'date'));
  const ofFrames = frameConventions.map(({ name, promised, read }) => ({
    ...{ name, profile: promised(profile), values: [...new Set(frames.map(read))] },
  }));
  const ofMeasures = measureConventions.map(({ name, promised, read }) => ({
    ...{ name, profile: promised(profile), values: [...new Set(sets.map(read))] },
  }));
  return [
    { name: 'date_format', profile: analytics.date_format, values: [...new Set(formats)] },
    ...ofFrames.filter(({ name }) => name !== 'account'),
    ...ofMeasures,
    {
      name: 'top_shades',
      profile: String(analytics.top_shades),
      values: topLength === undefined ? [] : [String(topLength)],
    },
    { name: 'tie_order', profile: null, values: tieOrdersOf(judged, topLength) },
    { name: 'rounding', profile: null, values: roundings.map(roundingText) },
    ...ofFrames.filter(({ name }) => name === 'account'),
  ];
}

/** Every answer beside what it has to be under the first choice. */
function judgedBy({ evaluation }: Choice, { judged }: Questions): JudgedAnswer[] {
  const { circumstances, expectations } = evaluation.of;
  return judged.flatMap(({ returned }, index) => {
    const expectation = expectations[index];
    const around = circumstances[index];
    return expectation === undefined || around === undefined ? [] : [{ returned, expectation, around }];
  });
}

function breaksOf(choice: Choice, questions: Questions): Break[] {
  const fits = fitsBy(choice);
  return questions.judged.flatMap(({ seq, query }, index) =>
    answerFields.flatMap((field) =>
      fits[field][index] === 'misfits' ? [{ query: questions.queries[query]?.label ?? '', field, seq }] : [],
    ),
  );
}

/** The conventions that are known, as fields of a profile: what a run found out, for the next one to hold the target to. */
export function profileFields(inferred: InferredConventions): NonNullable<ProfileInput['analytics']> {
  if (inferred.kind === 'none') return {};
  const known = (name: ConventionName): string | undefined => {
    const values = inferred.conventions.find((convention) => convention.name === name)?.values ?? [];
    return values.length === 1 ? values[0] : undefined;
  };
  const one = <T extends string>(name: ConventionName, of: readonly T[]): T | undefined =>
    of.find((value) => value === known(name));
  const length = Number(known('top_shades'));
  return {
    date_format: one('date_format', ['date', 'date-time']),
    end_date: one('end_date', ['inclusive', 'exclusive']),
    time_zone: known('time_zone'),
    session_day: one('session_day', ['creation', 'last-interaction', 'each-interaction']),
    shades_per_session: one('shades_per_session', ['distinct', 'selections']),
    sessions_averaged: one('sessions_averaged', ['all', 'with-shades']),
    cart_intent: one('cart_intent', ['ever', 'last']),
    top_shades: Number.isInteger(length) && length > 0 ? length : undefined,
    decimals: inferred.decimals ?? undefined,
  };
}

/** Conventions that show in the answers themselves, once it is known what they are about: rounding, and the order of ties. */

/** One judged answer with what it has to be. */
export interface JudgedAnswer {
  readonly returned: Returned;
  readonly expectation: Expectation;
  readonly around: Preconditions;
}

/** The roundings that fit every mean that came back, simplest first; empty where none does. */
export function roundingsOf(judged: readonly JudgedAnswer[], { average, rate }: Choice): Rounding[] {
  const seen = judged.flatMap(({ returned, expectation }) =>
    [
      { value: returned.avgShadesPerSession, bounds: expectation.means[average] },
      { value: returned.cartIntentRate, bounds: expectation.means[rate] },
    ].flatMap(({ value, bounds }) => (value === null || bounds === null ? [] : [{ value, bounds }])),
  );
  if (seen.length === 0) return [];
  const decimals = Math.max(...seen.map(({ value }) => decimalsOf(value)));
  const unit = 10 ** -decimals;
  const fits = (below: number, above: number): boolean =>
    seen.every(({ value, bounds }) => {
      const slack = Math.max(1e-12, Math.abs(value) * 2 ** -48);
      return value >= bounds.min - below - slack && value <= bounds.max + above + slack;
    });
  return [
    ...(decimals < 12 && fits(unit / 2, unit / 2) ? [{ decimals, how: 'nearest' } as const] : []),
    ...(decimals < 12 && fits(unit, 0) ? [{ decimals, how: 'cut' } as const] : []),
    ...(fits(0, 0) ? [{ decimals: null, how: 'nearest' } as const] : []),
  ];
}

const tieOrders = ['sku', 'sku-descending', 'other'] as const;

/** The orders of equally selected shades that fit every list; more than one where no tie shows which. */
export function tieOrdersOf(
  judged: readonly JudgedAnswer[],
  length: number | undefined,
): (typeof tieOrders)[number][] {
  let ascending = true;
  let descending = true;
  const compare = (before: string, after: string): void => {
    if (before < after) descending = false;
    else ascending = false;
  };
  for (const { returned, expectation, around } of judged) {
    const list = returned.topShades ?? [];
    list.forEach((shade, place) => {
      const next = list[place + 1];
      if (next !== undefined && next.selections === shade.selections && next.sku !== shade.sku)
        compare(shade.sku, next.sku);
    });
    const last = list.at(-1);
    if (last === undefined || list.length !== length || around.population.kind === 'open' || !around.timely)
      continue;
    if (around.population.prior.sessions > 0) continue;
    // Where a tie is cut off by the end of the list, those listed come before those that are not.
    const listed = new Set(list.map(({ sku }) => sku));
    const cutOff = expectation.shades.filter(
      ({ sku, min, max }) => min === last.selections && max === last.selections && !listed.has(sku),
    );
    for (const shade of list)
      if (shade.selections === last.selections) for (const { sku } of cutOff) compare(shade.sku, sku);
  }
  const fitting = [
    ...(ascending ? (['sku'] as const) : []),
    ...(descending ? (['sku-descending'] as const) : []),
  ];
  return fitting.length > 0 ? fitting : ['other'];
}

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
import type { QueryAnswer, Questions } from '../record/questions.ts';
import { decimalsOf } from './fit.ts';
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
  { profile }: Pick<History, 'profile'>,
  { judged, queries }: Questions,
  { fitting, nearest }: Search,
  allowed: (frame: Frame) => boolean,
): InferredConventions {
  const fits = fitting.length > 0;
  const told = fits ? fitting : [nearest];
  const [first = nearest] = told;
  const roundings = roundingsOf(judged, first);
  const [rounding] = roundings;
  const frames = told.flatMap(({ evaluation }) =>
    evaluation.of.members.filter((one) => !fits || allowed(one)),
  );
  const sets = told.map((choice) => ({ ...choice, frame: choice.evaluation.frame }));
  const { most: topLength } = first.evaluation.topLengths;
  const formats = queries.map(({ endDate }) => (isDateTime(endDate) ? 'date-time' : 'date'));
  const ofFrames = frameConventions.map(({ name, promised, read }) => ({
    ...{ name, profile: promised(profile), values: [...new Set(frames.map(read))] },
  }));
  const ofMeasures = measureConventions.map(({ name, promised, read }) => ({
    ...{ name, profile: promised(profile), values: [...new Set(sets.map(read))] },
  }));
  const misfitting = fitsBy(nearest);
  return {
    kind: fits ? 'fits' : nearest.misfits === 0 ? 'contradicts' : 'none',
    conventions: [
      { name: 'date_format', profile: profile.analytics.date_format, values: [...new Set(formats)] },
      ...ofFrames.filter(({ name }) => name !== 'account'),
      ...ofMeasures,
      {
        name: 'top_shades',
        profile: String(profile.analytics.top_shades),
        values: topLength === undefined ? [] : [String(topLength)],
      },
      { name: 'rounding', profile: null, values: roundings.map(roundingText) },
      ...ofFrames.filter(({ name }) => name === 'account'),
    ],
    decimals: roundings.length === 1 && rounding?.how === 'nearest' ? rounding.decimals : null,
    breaks: fits
      ? []
      : judged.flatMap(({ query, seq }, index) =>
          answerFields.flatMap((field) =>
            misfitting[field][index] === 'misfits'
              ? [{ query: queries[query]?.label ?? '', field, seq }]
              : [],
          ),
        ),
  };
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

/** The roundings that fit every mean that came back, simplest first; empty where none does. */
function roundingsOf(judged: readonly QueryAnswer[], { average, evaluation, rate }: Choice): Rounding[] {
  const seen = judged.flatMap(({ returned }, index) =>
    (
      [
        [returned.avgShadesPerSession, average],
        [returned.cartIntentRate, rate],
      ] as const
    ).flatMap(([value, measure]) => {
      const bounds = evaluation.of.expectations[index]?.means[measure] ?? null;
      return value === null || bounds === null ? [] : [{ value, bounds }];
    }),
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

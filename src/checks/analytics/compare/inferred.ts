import type { History } from '../../../history/history.ts';
import type { ProfileInput } from '../../../target/profile.ts';
import type { AnswerField, ConventionName, Rounding } from '../../../vocabulary/analytics.ts';
import { accountsText, roundingText, scopeInWords } from '../../reasons/analytics/words.ts';
import type { Frame } from '../conventions/conventions.ts';
import { isDateTime } from '../conventions/period.ts';
import type { Questions } from '../record/questions.ts';
import { type JudgedAnswer, roundingsOf, tieOrdersOf } from './roundings.ts';
import type { Choice, Search } from './search.ts';

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
  const profile = history.profile.analytics;
  const [first] = choices;
  if (first === undefined) return [];
  const frames = choices.flatMap(({ evaluation }) => evaluation.of.members.filter(allowed));
  const each = (of: (choice: Choice) => string): string[] => [...new Set(choices.map(of))];
  const ofFrames = (of: (frame: Frame) => string): string[] => [...new Set(frames.map(of))];
  const { most: topLength } = first.evaluation.topLengths;
  const formats = questions.queries.map(({ endDate }) => (isDateTime(endDate) ? 'date-time' : 'date'));
  return [
    { name: 'date_format', profile: profile.date_format, values: [...new Set(formats)] },
    {
      name: 'end_date',
      profile: profile.end_date,
      values: ofFrames(({ end }) => (end === 'inclusive-day' ? 'inclusive' : end)),
    },
    { name: 'time_zone', profile: profile.time_zone, values: ofFrames(({ zone }) => zone.name) },
    { name: 'session_day', profile: profile.session_day, values: ofFrames(({ day }) => day) },
    {
      name: 'shades_per_session',
      profile: profile.shades_per_session,
      values: each(({ average }) => average.split('/')[0] ?? ''),
    },
    {
      name: 'sessions_averaged',
      profile: profile.sessions_averaged,
      values: each(({ average }) => average.split('/')[1] ?? ''),
    },
    { name: 'cart_intent_over', profile: null, values: each(({ rate }) => rate.split('/')[1] ?? '') },
    {
      name: 'cart_intent',
      profile: profile.cart_intent,
      values: each(({ rate }) => (rate.startsWith('cart-last') ? 'last' : 'ever')),
    },
    {
      name: 'top_shades',
      profile: String(profile.top_shades),
      values: topLength === undefined ? [] : [String(topLength)],
    },
    { name: 'tie_order', profile: null, values: tieOrdersOf(judged, topLength) },
    { name: 'rounding', profile: null, values: roundings.map(roundingText) },
    {
      name: 'account',
      profile: scopeInWords[history.profile.data_scope],
      values: ofFrames(({ account }) => accountsText(account.groups)),
    },
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

function breaksOf({ evaluation, average, rate }: Choice, questions: Questions): Break[] {
  const fields = [
    { field: 'total_sessions', fits: evaluation.totals },
    { field: 'avg_shades_per_session', fits: evaluation.averages.get(average) ?? [] },
    { field: 'cart_intent_rate', fits: evaluation.rates.get(rate) ?? [] },
    { field: 'top_shades', fits: evaluation.tops },
  ] as const;
  return questions.judged.flatMap(({ seq, query }, index) =>
    fields.flatMap(({ field, fits }) =>
      fits[index] === 'misfits' ? [{ query: questions.queries[query]?.label ?? '', field, seq }] : [],
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

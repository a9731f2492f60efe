import { listed } from '../../../amounts.ts';
import type { History } from '../../../history/history.ts';
import {
  type AnswerField,
  answerFields,
  averageMeasures,
  type Measure,
  rateMeasures,
} from '../../../vocabulary/analytics.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { zoneText } from '../../reasons/analytics/words.ts';
import type { Fit } from '../compare/fit.ts';
import { cellNames, hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { Choice, Evaluation } from '../compare/search.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import { areTogether } from '../conventions/accounts.ts';
import type { Frame } from '../conventions/conventions.ts';
import { zoneSpans } from '../conventions/deviations.ts';
import { unlikePromised } from './told.ts';

/** Wrong values that are right by other conventions than those promised, in every answer. */
export function conventionHypotheses(history: History, table: AnalyticsTable): SuspectHypothesis[] {
  if (table.search === undefined) return [];
  return [
    ...frameHypotheses(history, table),
    ...measureHypotheses(history, table),
    ...bounced(history, table),
  ];
}

/** What a frame can have otherwise than the chosen one. */
const dimensions = ['end', 'zone', 'day', 'account'] as const;
type Dimension = (typeof dimensions)[number];

function differing(frame: Frame, from: Frame): Dimension[] {
  return [
    frame.end === from.end ? [] : (['end'] as const),
    frame.zone.name === from.zone.name ? [] : (['zone'] as const),
    frame.day === from.day ? [] : (['day'] as const),
    frame.account.id === from.account.id ? [] : (['account'] as const),
  ].flat();
}

/** Frames that the profile or another check rules out, by what they have otherwise: the least that explains a field. */
function frameHypotheses(history: History, table: AnalyticsTable): SuspectHypothesis[] {
  const { search, allowed } = table;
  if (search === undefined) return [];
  const { chosen } = search;
  const from = chosen.evaluation.frame;
  const isAnyCounted = table.rows.some(({ totalSessions: { returned } }) => (returned ?? 0) > 0);
  const others = search.evaluations.flatMap((evaluation) => {
    const { members, vague } = evaluation.of;
    if (vague || evaluation === chosen.evaluation || members.some((member) => allowed.frame(member)))
      return [];
    const areTotalsRight = isAnyCounted && !evaluation.totals.includes('misfits');
    const fields = answerFields.filter(
      (field) =>
        wrongRows(table, field).length > 0 &&
        !fitsOf(evaluation, chosen, field).includes('misfits') &&
        (areTotalsRight || isTelling(table, field)),
    );
    return fields.length === 0 ? [] : members.map((frame) => ({ frame, fields, by: differing(frame, from) }));
  });
  const least = Math.min(...others.map(({ by }) => by.length));
  const nearest = others.filter(({ by }) => by.length === least);
  return dimensions.flatMap((dimension): SuspectHypothesis[] => {
    const own = nearest.filter(({ by }) => by.includes(dimension));
    const fields = answerFields.filter((field) => own.some((each) => each.fields.includes(field)));
    if (fields.length === 0) return [];
    const frames = own.map(({ frame }) => frame);
    const seqs = fields.flatMap((field) => wrongRows(table, field)).map(({ seq }) => seq);
    const wrong = { history, table, from, seqs: [...new Set(seqs)] };
    return suspectsOf(wrong, dimension, frames).map((suspect) => ({
      suspect,
      fields,
    }));
  });
}

/**
 * Whether wrong values are more than zeros and empty lists, which any frame explains that counts nothing. A frame says which
 * sessions count, so it has to give the right totals, too, unless another field has figures that show it.
 */
function isTelling(table: AnalyticsTable, field: AnswerField): boolean {
  return wrongRows(table, field).some((row) => {
    const returned = field === 'top_shades' ? row.topShades.returned?.length : row[cellNames[field]].returned;
    return (returned ?? 0) !== 0;
  });
}

function fitsOf(evaluation: Evaluation, { average, rate }: Choice, field: AnswerField): readonly Fit[] {
  switch (field) {
    case 'total_sessions':
      return evaluation.totals;
    case 'avg_shades_per_session':
      return evaluation.averages.get(average) ?? [];
    case 'cart_intent_rate':
      return evaluation.rates.get(rate) ?? [];
    case 'top_shades':
      return evaluation.tops;
  }
}

/** Answers that are wrong in the chosen frame. */
interface WrongInFrame {
  readonly history: History;
  readonly table: AnalyticsTable;
  readonly from: Frame;
  readonly seqs: readonly number[];
}

/** What the frames that fit better suggest, by the dimension in which they differ. */
function suspectsOf(wrong: WrongInFrame, dimension: Dimension, frames: readonly Frame[]): Suspect[] {
  const { from, history, seqs } = wrong;
  const [frame] = frames;
  if (frame === undefined) return [];
  switch (dimension) {
    case 'end': {
      const found = frame.end === 'exclusive' ? 'exclusive' : 'inclusive';
      return [
        unlikePromised(history, { convention: 'end_date', found, seqs }, () =>
          fits(`end-date-${found}`, {}, seqs),
        ),
      ];
    }
    case 'zone': {
      const found = listed(zoneSpans([...new Set(frames.map(({ zone }) => zone))]).map(zoneText));
      return [
        unlikePromised(history, { convention: 'time_zone', found, seqs }, () =>
          fits('day-boundary-shifted', { promised: from.zone.label, found: `days of ${found} fit` }, seqs),
        ),
      ];
    }
    case 'day':
      return [...new Set(frames.map(({ day }) => day))].map((day) =>
        unlikePromised(history, { convention: 'session_day', found: day, seqs }, (promised) =>
          fits('convention-differs', { convention: 'analytics.session_day', found: day, promised }, seqs),
        ),
      );
    case 'account':
      return accountSuspects(wrong, frame);
  }
}

/** Accounts that analytics pool, or keys of one account that they count apart. */
function accountSuspects(
  { from, history: { profile }, seqs, table: { keys, known } }: WrongInFrame,
  { account }: Frame,
): Suspect[] {
  const pairs = keys.flatMap((one, place) =>
    keys.slice(place + 1).map((other): readonly [Role, Role] => [one, other]),
  );
  const changed = pairs.filter((pair) => areTogether(account, pair) !== areTogether(from.account, pair));
  const of = (some: readonly (readonly Role[])[]): Role[] =>
    roles.filter((role) => some.flat().includes(role));
  const pooled = of(changed.filter((pair) => areTogether(account, pair)));
  const apart = of(changed.filter((pair) => !areTogether(account, pair)));
  const byProfile = known.some(
    ({ by, pair }) => by === 'promise' && changed.some((each) => each.join() === pair.join()),
  );
  const { data_scope: told } = profile;
  return [
    ...(pooled.length === 0 ? [] : [fits('analytics-pool-accounts', { accounts: pooled }, seqs)]),
    ...(apart.length === 0 ? [] : [fits('analytics-count-by-key', { keys: apart }, seqs)]),
    ...(apart.length > 0 && byProfile && told === 'shared'
      ? [fits('profile-false', { field: 'data_scope', told, found: 'per-key' }, seqs)]
      : []),
  ];
}

/** Averages and rates that are means of something else, or over other sessions. */
function measureHypotheses(history: History, table: AnalyticsTable): SuspectHypothesis[] {
  const { search } = table;
  if (search === undefined) return [];
  const { average, evaluation, rate } = search.chosen;
  const averages = nearestMeasures(average, averageMeasures, evaluation.averages);
  const rates = nearestMeasures(rate, rateMeasures, evaluation.rates);
  const hypothesis = (
    field: AnswerField,
    convention: 'shades_per_session' | 'cart_intent',
    found: string,
  ): SuspectHypothesis[] => {
    return hypotheses(table, [field], (seqs) =>
      unlikePromised(history, { convention, found, seqs }, (promised) =>
        fits('convention-differs', { convention: `analytics.${convention}`, found, promised }, seqs),
      ),
    );
  };
  const otherWhat = (found: readonly Measure[], chosen: Measure): Measure | undefined =>
    found.find((measure) => whatOf(measure) !== whatOf(chosen));
  const shades = otherWhat(averages, average);
  const cart = otherWhat(rates, rate);
  return [
    ...(shades === undefined
      ? []
      : hypothesis('avg_shades_per_session', 'shades_per_session', whatOf(shades))),
    ...(cart === undefined
      ? []
      : hypothesis('cart_intent_rate', 'cart_intent', whatOf(cart) === 'cart-last' ? 'last' : 'ever')),
  ];
}

/** Sessions in which nothing was selected: left out of means or of totals, or counted where they should not be. */
function bounced(history: History, table: AnalyticsTable): SuspectHypothesis[] {
  const { search, rows } = table;
  if (search === undefined) return [];
  const { average, evaluation, rate } = search.chosen;
  const averages = nearestMeasures(average, averageMeasures, evaluation.averages);
  const rates = nearestMeasures(rate, rateMeasures, evaluation.rates);
  const leftOut = rows.every(({ totalSessions: { returned } }, index) => {
    const bounds = evaluation.of.expectations[index]?.sessionsWithShades;
    return returned === null || bounds === undefined || (returned >= bounds.min && returned <= bounds.max);
  });
  return (['with-shades', 'all'] as const).flatMap((over): SuspectHypothesis[] => {
    const isOver = (found: readonly Measure[], chosen: Measure): boolean =>
      overOf(chosen) !== over && found.some((measure) => overOf(measure) === over);
    const fields = [
      leftOut && over === 'with-shades' ? (['total_sessions'] as const) : [],
      isOver(averages, average) ? (['avg_shades_per_session'] as const) : [],
      isOver(rates, rate) ? (['cart_intent_rate'] as const) : [],
    ].flat();
    const convention = 'analytics.sessions_averaged';
    return hypotheses(table, fields, (seqs, wrong) => {
      const broken = (promised: string): Suspect =>
        over === 'with-shades'
          ? fits('inactive-sessions-left-out', { fields: wrong }, seqs)
          : fits('convention-differs', { convention, found: over, promised }, seqs);
      // The profile speaks of averages, and never of totals.
      return wrong.includes('total_sessions')
        ? broken(over)
        : unlikePromised(history, { convention: 'sessions_averaged', found: over, seqs }, broken);
    });
  });
}

/** The measures that fit every answer, those nearest to the chosen one. */
function nearestMeasures<M extends Measure>(
  chosen: M,
  all: readonly M[],
  fitsBy: ReadonlyMap<M, readonly Fit[]>,
): M[] {
  const distance = (measure: M): number =>
    Number(whatOf(measure) !== whatOf(chosen)) + Number(overOf(measure) !== overOf(chosen));
  const fitting = all.filter((measure) => {
    const each = fitsBy.get(measure) ?? [];
    return measure !== chosen && each.includes('fits') && !each.includes('misfits');
  });
  const least = Math.min(...fitting.map(distance));
  return fitting.filter((measure) => distance(measure) === least);
}

/** What a measure is the mean of. */
function whatOf(measure: Measure): string {
  return measure.split('/')[0] ?? '';
}

function overOf(measure: Measure): string {
  return measure.split('/')[1] ?? '';
}

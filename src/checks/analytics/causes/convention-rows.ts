import { listed } from '../../../amounts.ts';
import {
  type AverageMeasure,
  answerFields,
  type ConventionName,
  type MeanField,
  type Measure,
  measureKinds,
} from '../../../vocabulary/analytics.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { zoneText } from '../../reasons/analytics/words.ts';
import { type Fit, within } from '../compare/fit.ts';
import { fitsBy } from '../compare/search.ts';
import { type Frame, frameConventions } from '../conventions/conventions.ts';
import { areTogether } from '../conventions/whose-data.ts';
import { zoneSpans } from '../conventions/zones.ts';
import { type AnswerEvidence, type Convention, explanationsBy, type Row, unlikePromised } from './row.ts';

/** Wrong values that are right by other conventions than those promised, in every answer or by turns. */
export function conventionRows(evidence: AnswerEvidence): Row[] {
  return [...frameRows(evidence), ...measureRows(evidence), ...bounced(evidence), ...byTurns(evidence)];
}

/** Frames that the profile or another check rules out, by what they have otherwise: the least that explains a field. */
function frameRows(evidence: AnswerEvidence): Row[] {
  const { allowed, rows, search } = evidence.table;
  if (search === undefined) return [];
  const { chosen } = search;
  const from = chosen.evaluation.frame;
  const isAnyCounted = rows.some(({ totalSessions: { returned } }) => (returned ?? 0) > 0);
  const found = search.evaluations.flatMap((evaluation) => {
    const { members, vague } = evaluation.of;
    if (vague || evaluation === chosen.evaluation || members.some(allowed.frame)) return [];
    const fitting = fitsBy({ ...chosen, evaluation });
    const row: Row = {
      suspect: () => fits('dates-ignored', { period: '', sessions: 0 }),
      fields: answerFields,
      price: 1,
      fit: ({ place }, field) => fitting[field][place] ?? 'unknown',
      // A frame says which sessions count: where its totals are right, zeros beside them are no accident.
      isShownByZeros: isAnyCounted && !evaluation.totals.includes('misfits'),
    };
    return explanationsBy([row], evidence).flatMap(({ fields }) =>
      members.map((frame) => ({
        frame,
        row: { ...row, fields },
        by: frameConventions.filter(({ read }) => read(frame) !== read(from)),
      })),
    );
  });
  const least = Math.min(...found.map(({ by }) => by.length));
  return frameConventions.flatMap((convention) => {
    const own = found.filter(({ by }) => by.length === least && by.includes(convention));
    const frames = own.map(({ frame }) => frame);
    const fields = answerFields.filter((field) => own.some(({ row }) => row.fields.includes(field)));
    return suspectsOf(evidence, convention.name, from, frames).map(
      (suspect): Row => ({
        ...{ suspect: () => suspect, fields, price: 1, isShownByZeros: true },
        fit: (answer, field) =>
          own.find(({ row }) => row.fields.includes(field))?.row.fit(answer, field) ?? 'unknown',
      }),
    );
  });
}

/** What the frames that fit better suggest, by the convention in which they differ. */
function suspectsOf(
  evidence: AnswerEvidence,
  convention: ConventionName,
  from: Frame,
  frames: readonly Frame[],
): Suspect[] {
  const { history } = evidence;
  const [frame] = frames;
  if (frame === undefined) return [];
  switch (convention) {
    case 'end_date': {
      const found = frame.end === 'exclusive' ? 'exclusive' : 'inclusive';
      return [unlikePromised(history, convention, found, () => fits(`end-date-${found}`, {}))];
    }
    case 'time_zone': {
      const found = listed(zoneSpans([...new Set(frames.map(({ zone }) => zone))]).map(zoneText));
      return [
        unlikePromised(history, convention, found, () =>
          fits('day-boundary-shifted', { promised: from.zone.label, found: `days of ${found} fit` }),
        ),
      ];
    }
    case 'session_day':
      return [...new Set(frames.map(({ day }) => day))].map((day) => differs(evidence, convention, day));
    default:
      return accountSuspects(evidence, from, frame);
  }
}

function differs({ history }: AnswerEvidence, convention: Convention, found: string): Suspect {
  return unlikePromised(history, convention, found, (promised) =>
    fits('convention-differs', { convention: `analytics.${convention}`, found, promised }),
  );
}

/** Accounts that analytics pool, or keys of one account that they count apart. */
function accountSuspects(
  { history: { profile }, table: { keys, known } }: AnswerEvidence,
  from: Frame,
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
    ...(pooled.length === 0 ? [] : [fits('analytics-pool-accounts', { accounts: pooled })]),
    ...(apart.length === 0 ? [] : [fits('analytics-count-by-key', { keys: apart })]),
    ...(apart.length > 0 && byProfile && told === 'shared'
      ? [fits('profile-false', { field: 'data_scope', told, found: 'per-key' })]
      : []),
  ];
}

/** Averages and rates that are means of something else. */
function measureRows(evidence: AnswerEvidence): Row[] {
  const { search } = evidence.table;
  if (search === undefined) return [];
  const { average, evaluation, rate } = search.chosen;
  const rowsOf = <M extends Measure>(
    field: MeanField,
    convention: 'shades_per_session' | 'cart_intent',
    chosen: M,
    byMeasure: ReadonlyMap<M, readonly Fit[]>,
  ): Row[] =>
    [...byMeasure].flatMap(([measure, fit]): Row[] => {
      const { of, over } = measureKinds[measure];
      const found = of === 'cart-last' ? 'last' : of === 'cart' ? 'ever' : of;
      return of === measureKinds[chosen].of
        ? []
        : [
            {
              suspect: () => differs(evidence, convention, found),
              fields: [field],
              price: over === measureKinds[chosen].over ? 1 : 1.5,
              fit: ({ place }) => fit[place] ?? 'unknown',
            },
          ];
    });
  return [
    ...rowsOf('avg_shades_per_session', 'shades_per_session', average, evaluation.averages),
    ...rowsOf('cart_intent_rate', 'cart_intent', rate, evaluation.rates),
  ];
}

/** Averages that are each one of several means, and all of them no single one. */
function byTurns({ answers, table: { search } }: AnswerEvidence): Row[] {
  if (search === undefined) return [];
  const { averages } = search.chosen.evaluation;
  const fittingAt = (place: number): AverageMeasure[] =>
    [...averages].flatMap(([measure, own]) => (own[place] === 'misfits' ? [] : [measure]));
  const telling = answers
    .toSorted((a, b) => a.place - b.place)
    .map(({ place }) => fittingAt(place))
    .filter(({ length }) => length > 0 && length < averages.size);
  const between = [...new Set(telling.flatMap(([first]) => first ?? []))];
  const field = 'avg_shades_per_session';
  return between.length < 2
    ? []
    : [
        {
          suspect: () => fits('convention-varies', { field, between }),
          fields: [field],
          // Each answer may be another: it says less than any single rule.
          price: 8,
          fit: ({ place }) => (fittingAt(place).length === 0 ? 'misfits' : 'fits'),
        },
      ];
}

/** Sessions in which nothing was selected: left out of means or of totals, or counted where they should not be. */
function bounced({ history, table: { search } }: AnswerEvidence): Row[] {
  if (search === undefined) return [];
  const { average, evaluation, rate } = search.chosen;
  return (['with-shades', 'all'] as const).flatMap((over): Row[] => {
    const otherwise = <M extends Measure>(byMeasure: ReadonlyMap<M, readonly Fit[]>, chosen: M) =>
      [...byMeasure].find(
        ([measure]) =>
          measureKinds[measure].of === measureKinds[chosen].of && measureKinds[measure].over === over,
      )?.[1];
    const averages = otherwise(evaluation.averages, average);
    const rates = otherwise(evaluation.rates, rate);
    const isOther = { average: measureKinds[average].over !== over, rate: measureKinds[rate].over !== over };
    const convention = 'sessions_averaged';
    return [
      {
        fields: [
          over === 'with-shades' ? (['total_sessions'] as const) : [],
          isOther.average ? (['avg_shades_per_session'] as const) : [],
          isOther.rate ? (['cart_intent_rate'] as const) : [],
        ].flat(),
        price: 1,
        suspect: ({ fields }) => {
          const broken = (promised: string): Suspect =>
            over === 'with-shades'
              ? fits('inactive-sessions-left-out', { fields })
              : fits('convention-differs', { convention: `analytics.${convention}`, found: over, promised });
          // The profile speaks of averages, and never of totals.
          return fields.includes('total_sessions')
            ? broken(over)
            : unlikePromised(history, convention, over, broken);
        },
        fit: ({ place, row }, field) => {
          if (field !== 'total_sessions')
            return (field === 'cart_intent_rate' ? rates : averages)?.[place] ?? 'unknown';
          const bounds = evaluation.of.expectations[place]?.sessionsWithShades;
          const { returned } = row.totalSessions;
          if (returned === null || bounds === undefined) return 'unknown';
          return within(returned, bounds, 9) ? 'fits' : 'misfits';
        },
      },
    ];
  });
}

import { listed } from '../../../amounts.ts';
import {
  type AverageMeasure,
  answerFields,
  type Measure,
  type RateMeasure,
} from '../../../vocabulary/analytics.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { zoneText } from '../../reasons/analytics/words.ts';
import { type Fit, within } from '../compare/fit.ts';
import type { Frame } from '../conventions/conventions.ts';
import { zoneSpans } from '../conventions/deviations.ts';
import { areTogether } from '../conventions/whose-data.ts';
import { type AnswerEvidence, explanationsBy, type Row, unlikePromised } from './row.ts';
import { overOf, whatOf } from './stages.ts';

/** Wrong values that are right by other conventions than those promised, in every answer. */
export function conventionRows(evidence: AnswerEvidence): Row[] {
  return [...frameRows(evidence), ...measureRows(evidence), ...bounced(evidence)];
}

/** What a frame can have otherwise than the chosen one. */
const dimensions = {
  end: ({ end }: Frame) => end,
  zone: ({ zone }: Frame) => zone.name,
  day: ({ day }: Frame) => day,
  account: ({ account }: Frame) => account.id,
} as const;
type Dimension = keyof typeof dimensions;
const dimensionNames = Object.keys(dimensions) as Dimension[];

const differing = (frame: Frame, from: Frame): Dimension[] =>
  dimensionNames.filter((name) => dimensions[name](frame) !== dimensions[name](from));

/** Frames that the profile or another check rules out, by what they have otherwise: the least that explains a field. */
function frameRows(evidence: AnswerEvidence): Row[] {
  const { allowed, rows, search } = evidence.table;
  if (search === undefined) return [];
  const { average, evaluation: chosen, rate } = search.chosen;
  const isAnyCounted = rows.some(({ totalSessions: { returned } }) => (returned ?? 0) > 0);
  const found = search.evaluations.flatMap((evaluation) => {
    const { members, vague } = evaluation.of;
    if (vague || evaluation === chosen || members.some((member) => allowed.frame(member))) return [];
    const row: Row = {
      suspect: () => fits('dates-ignored', { period: '', sessions: 0 }),
      fields: answerFields,
      price: 1,
      fit: ({ place }, field) =>
        ({
          total_sessions: evaluation.totals,
          avg_shades_per_session: evaluation.averages.get(average) ?? [],
          cart_intent_rate: evaluation.rates.get(rate) ?? [],
          top_shades: evaluation.tops,
        })[field][place] ?? 'unknown',
      // A frame says which sessions count: where its totals are right, zeros beside them are no accident.
      isShownByZeros: isAnyCounted && !evaluation.totals.includes('misfits'),
    };
    return explanationsBy([row], evidence).flatMap(({ fields }) =>
      members.map((frame) => ({ frame, row: { ...row, fields }, by: differing(frame, chosen.frame) })),
    );
  });
  const least = Math.min(...found.map(({ by }) => by.length));
  return dimensionNames.flatMap((dimension) => {
    const own = found.filter(({ by }) => by.length === least && by.includes(dimension));
    const [first] = own;
    const fields = answerFields.filter((field) => own.some(({ row }) => row.fields.includes(field)));
    if (first === undefined) return [];
    return suspectsOf(
      evidence,
      dimension,
      chosen.frame,
      own.map(({ frame }) => frame),
    ).map(
      (suspect): Row => ({
        ...first.row,
        suspect: () => suspect,
        fields,
        isShownByZeros: true,
        fit: (answer, field) =>
          own.find(({ row }) => row.fields.includes(field))?.row.fit(answer, field) ?? 'unknown',
      }),
    );
  });
}

/** What the frames that fit better suggest, by the dimension in which they differ. */
function suspectsOf(
  evidence: AnswerEvidence,
  dimension: Dimension,
  from: Frame,
  frames: readonly Frame[],
): Suspect[] {
  const { history } = evidence;
  const [frame] = frames;
  if (frame === undefined) return [];
  switch (dimension) {
    case 'end': {
      const found = frame.end === 'exclusive' ? 'exclusive' : 'inclusive';
      return [unlikePromised(history, 'end_date', found, () => fits(`end-date-${found}`, {}))];
    }
    case 'zone': {
      const found = listed(zoneSpans([...new Set(frames.map(({ zone }) => zone))]).map(zoneText));
      return [
        unlikePromised(history, 'time_zone', found, () =>
          fits('day-boundary-shifted', { promised: from.zone.label, found: `days of ${found} fit` }),
        ),
      ];
    }
    case 'day':
      return [...new Set(frames.map(({ day }) => day))].map((day) =>
        unlikePromised(history, 'session_day', day, (promised) =>
          fits('convention-differs', { convention: 'analytics.session_day', found: day, promised }),
        ),
      );
    case 'account':
      return accountSuspects(evidence, from, frame);
  }
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
function measureRows({ history, table: { search } }: AnswerEvidence): Row[] {
  if (search === undefined) return [];
  const { average, evaluation, rate } = search.chosen;
  const rowsOf = <M extends Measure>(
    field: 'avg_shades_per_session' | 'cart_intent_rate',
    chosen: M,
    fitsBy: ReadonlyMap<M, readonly Fit[]>,
  ): Row[] =>
    [...fitsBy].flatMap(([measure, fit]): Row[] => {
      const what = whatOf(measure);
      if (what === whatOf(chosen)) return [];
      const convention = field === 'cart_intent_rate' ? 'cart_intent' : 'shades_per_session';
      const found = convention === 'shades_per_session' ? what : what === 'cart-last' ? 'last' : 'ever';
      return [
        {
          suspect: () =>
            unlikePromised(history, convention, found, (promised) =>
              fits('convention-differs', { convention: `analytics.${convention}`, found, promised }),
            ),
          fields: [field],
          price: overOf(measure) === overOf(chosen) ? 1 : 1.5,
          fit: ({ place }) => fit[place] ?? 'unknown',
        },
      ];
    });
  return [
    ...rowsOf('avg_shades_per_session', average, evaluation.averages),
    ...rowsOf('cart_intent_rate', rate, evaluation.rates),
  ];
}

/** Sessions in which nothing was selected: left out of means or of totals, or counted where they should not be. */
function bounced({ history, table: { search } }: AnswerEvidence): Row[] {
  if (search === undefined) return [];
  const { average, evaluation, rate } = search.chosen;
  return (['with-shades', 'all'] as const).flatMap((over): Row[] => {
    const averages = evaluation.averages.get(`${whatOf(average)}/${over}` as AverageMeasure);
    const rates = evaluation.rates.get(`${whatOf(rate)}/${over}` as RateMeasure);
    const isOther = { average: overOf(average) !== over, rate: overOf(rate) !== over };
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

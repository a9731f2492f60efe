import type { History } from '../../../history/history.ts';
import {
  type AverageMeasure,
  averageMeasures,
  type Measure,
  rateMeasures,
} from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import type { TopShade } from '../../../wire.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Allowed, Frame } from '../conventions/conventions.ts';
import { leastOtherwise, otherwise, unlikeNearest } from '../conventions/deviations.ts';
import { knownReasons } from '../conventions/whose-data.ts';
import type { Expectation } from '../expect/expectation.ts';
import type { Query, Questions } from '../record/questions.ts';
import { type Alternative, exceedsProduct, explainMean, explainTotal } from './explain.ts';
import { fitTopShades, type Preconditions, within } from './fit.ts';
import type { Search } from './search.ts';

/** Faults of a list that are told one by one. */
const mostFaults = 3;

/** One answer that does not fit, with all that may explain it. */
interface Misfit {
  readonly history: History;
  readonly questions: Questions;
  readonly search: Search;
  readonly allowed: Allowed;
  /** Place among the judged answers. */
  readonly index: number;
  readonly query: Query;
  readonly expectation: Expectation | undefined;
  readonly around: Preconditions;
}

export function explainSessions(misfit: Misfit, value: number): Reason[] {
  const { expectation } = misfit;
  if (expectation === undefined) return [unexplained(value)];
  return explainTotal(value, expectation.totalSessions, expectation, [
    ...otherFrames(
      misfit,
      ({ totalSessions }) => totalSessions,
      ({ min, max }) => value >= min && value <= max,
    ),
    ...allProducts(misfit, ({ totalSessions }) => totalSessions),
  ]);
}

export function explainAverage(misfit: Misfit, value: number): Reason[] {
  const { search, allowed } = misfit;
  const measure = search.chosen.average;
  const others: AverageMeasure[] = averageMeasures.filter((other) => other !== measure);
  return explainMeasure(misfit, value, measure, [
    ...others.map((other) => ({ measure: other, due: dueMeasure(measure, allowed.average(other)) })),
    { measure: 'copies/all', due: reason('interaction-id-once') },
    { measure: 'copies/with-shades', due: reason('interaction-id-once') },
  ]);
}

export function explainRate(misfit: Misfit, value: number): Reason[] {
  const { search, allowed } = misfit;
  const measure = search.chosen.rate;
  return explainMeasure(
    misfit,
    value,
    measure,
    rateMeasures
      .filter((other) => other !== measure)
      .map((other) => ({ measure: other, due: dueMeasure(measure, allowed.rate(other)) })),
  );
}

/** By what a value is to be another measure than the one that it equals. */
function dueMeasure(measure: Measure, isOtherAllowed: boolean): Reason {
  return reason('answer-due-measure', { by: isOtherAllowed ? 'answers' : 'profile', measure });
}

function unexplained(returned: number): Reason {
  return reason('answer-unexplained', { query: null, returned });
}

function explainMeasure(
  misfit: Misfit,
  value: number,
  measure: Measure,
  others: readonly { readonly measure: Measure; readonly due: Reason }[],
): Reason[] {
  const { expectation, history } = misfit;
  const expected = expectation?.means[measure] ?? null;
  if (expectation === undefined || expected === null) return [unexplained(value)];
  const { decimals } = history.profile.analytics;
  const alternatives: Alternative[] = [
    ...others.map((other) => ({
      is: [reason('answer-is-measure', { measure: other.measure })],
      bounds: expectation.means[other.measure],
      due: [other.due],
    })),
    ...otherFrames(
      misfit,
      ({ means }) => means[measure],
      (bounds) => within(value, bounds, decimals),
    ),
    ...allProducts(misfit, ({ means }) => means[measure]),
  ];
  return explainMean(value, expected, alternatives, decimals);
}

/** The same number in the other frames of conventions that give the value, put together. */
function otherFrames(
  { search, allowed, index }: Misfit,
  of: (expectation: Expectation) => Alternative['bounds'],
  gives: (bounds: Bounds) => boolean,
): Alternative[] {
  const chosen = search.chosen.evaluation.frame;
  const giving = search.evaluations.flatMap(({ frame, of: { vague, members, expectations } }) => {
    const expectation = expectations[index];
    const bounds = expectation === undefined || vague || frame === chosen ? null : of(expectation);
    return bounds !== null && gives(bounds) ? [{ members, bounds }] : [];
  });
  const [first] = giving;
  if (first === undefined) return [];
  const members = giving.flatMap((each) => each.members);
  return [
    {
      is: [fitsOtherwise(members, chosen)],
      bounds: first.bounds,
      due: dueConventions(members, chosen, allowed),
    },
  ];
}

function fitsOtherwise(members: readonly Frame[], chosen: Frame): Reason {
  return reason('answer-fits-otherwise', {
    deviations: leastOtherwise(members.map((member) => otherwise(member, chosen))),
  });
}

/** By what an answer is to be as in the chosen frame and not as in those. */
function dueConventions(members: readonly Frame[], chosen: Frame, allowed: Allowed): Reason[] {
  const deviations = unlikeNearest(chosen, members);
  if (members.some((member) => allowed.frame(member)))
    return [reason('answer-due-conventions', { by: 'answers', deviations })];
  const [against = []] = members
    .map(({ account }) => allowed.against(account))
    .toSorted((a, b) => a.length - b.length);
  return against.length === 0
    ? [reason('answer-due-conventions', { by: 'profile', deviations })]
    : knownReasons(against);
}

/** What the same key's unfiltered answer says, for a filtered one. */
function allProducts(misfit: Misfit, of: (expectation: Expectation) => Alternative['bounds']): Alternative[] {
  const expectation = unfiltered(misfit);
  return expectation === undefined
    ? []
    : [
        {
          is: [reason('answer-is-for-all-products')],
          bounds: of(expectation),
          due: exceeds(misfit) ? [reason('product-not-applied')] : [],
        },
      ];
}

function exceeds({ search, questions, index }: Misfit): boolean {
  const answer = questions.judged[index];
  return answer !== undefined && exceedsProduct(search, index, answer.returned);
}

function unfiltered({ query, questions, search }: Misfit): Expectation | undefined {
  if (query.productId === null) return undefined;
  const place = questions.judged.findIndex((answer) => {
    const other = questions.queries[answer.query];
    return (
      other !== undefined &&
      other.productId === null &&
      other.credential === query.credential &&
      other.startDate === query.startDate &&
      other.endDate === query.endDate
    );
  });
  return search.chosen.evaluation.of.expectations[place];
}

export function explainTop(misfit: Misfit, list: readonly TopShade[]): Reason[] {
  const { expectation, search, around, allowed } = misfit;
  if (expectation === undefined) return [];
  const lengths = search.chosen.evaluation.topLengths;
  const { faults } = fitTopShades(list, expectation, lengths, around);
  const whole = unfiltered(misfit);
  const isWhole =
    whole !== undefined &&
    list.length > 0 &&
    exceeds(misfit) &&
    fitTopShades(list, whole, lengths, around).fit === 'fits';
  if (isWhole) return [reason('top-of-all-products', { query: null }), ...faults.slice(0, 2)];
  const chosen = search.chosen.evaluation.frame;
  const others = search.evaluations
    .filter(({ frame, of, tops }) => frame !== chosen && !of.vague && tops[misfit.index] === 'fits')
    .flatMap(({ of }) => of.members);
  const isAllowed = others.some((other) => allowed.frame(other));
  return [
    ...faults.slice(0, mostFaults),
    ...(faults.length > mostFaults
      ? [reason('top-more-faults', { faults: faults.length - mostFaults })]
      : []),
    ...(others.length === 0 ? [] : [fitsOtherwise(others, chosen)]),
    ...(others.length === 0 || isAllowed ? [] : dueConventions(others, chosen, allowed)),
  ];
}

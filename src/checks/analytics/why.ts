import { number } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import {
  type Allowed,
  type AverageMeasure,
  averageMeasures,
  type Frame,
  type Measure,
  measureWords,
  rateMeasures,
} from './conventions.ts';
import { exceedsProduct } from './exceeding.ts';
import type { Bounds, Expectation } from './expectation.ts';
import { type Alternative, explainMean, explainTotal } from './explain.ts';
import { type Circumstances, fitTopShades, within } from './fit.ts';
import { leastOtherwise, otherwise, profileWords } from './frame-words.ts';
import type { Query, Questions, ReturnedShade } from './questions.ts';
import type { Search } from './search.ts';
import { knownWords } from './whose-data.ts';

/** One answer that does not fit, with all that may explain it. */
export interface Misfit {
  readonly history: History;
  readonly questions: Questions;
  readonly search: Search;
  readonly allowed: Allowed;
  /** Place among the judged answers. */
  readonly index: number;
  readonly query: Query;
  readonly expectation: Expectation | undefined;
  readonly around: Circumstances;
}

export function explainSessions(misfit: Misfit, value: number): string {
  const { expectation } = misfit;
  if (expectation === undefined) return `returned ${number(value)}`;
  return explainTotal(value, expectation.totalSessions, expectation, [
    ...otherFrames(
      misfit,
      'the total',
      ({ totalSessions }) => totalSessions,
      ({ min, max }) => value >= min && value <= max,
    ),
    ...allProducts(misfit, ({ totalSessions }) => totalSessions),
  ]);
}

export function explainAverage(misfit: Misfit, value: number): string {
  const { search, allowed } = misfit;
  const measure = search.chosen.average;
  const others: AverageMeasure[] = averageMeasures.filter((other) => other !== measure);
  const instead = (other: AverageMeasure): string =>
    `${allowed.average(other) ? 'the other answers fit' : 'the profile says'} ${measureWords(measure)}`;
  return explainMeasure(misfit, value, measure, [
    ...others.map((other) => ({ measure: other, instead: instead(other) })),
    { measure: 'copies/all', instead: 'an interaction id counts once' },
    { measure: 'copies/with-shades', instead: 'an interaction id counts once' },
  ]);
}

export function explainRate(misfit: Misfit, value: number): string {
  const { search, allowed } = misfit;
  const measure = search.chosen.rate;
  return explainMeasure(
    misfit,
    value,
    measure,
    rateMeasures
      .filter((other) => other !== measure)
      .map((other) => ({
        measure: other,
        instead: `${allowed.rate(other) ? 'the other answers fit' : 'the profile says'} ${measureWords(measure)}`,
      })),
  );
}

function explainMeasure(
  misfit: Misfit,
  value: number,
  measure: Measure,
  others: readonly { readonly measure: Measure; readonly instead: string }[],
): string {
  const { expectation, history } = misfit;
  const expected = expectation?.means[measure] ?? null;
  if (expectation === undefined || expected === null) return `returned ${number(value)}`;
  const { decimals } = history.profile.analytics;
  const alternatives: Alternative[] = [
    ...others.map((other) => ({
      words: measureWords(other.measure),
      bounds: expectation.means[other.measure],
      instead: other.instead,
    })),
    ...otherFrames(
      misfit,
      'the value',
      ({ means }) => means[measure],
      (bounds) => within(value, bounds, decimals),
    ),
    ...allProducts(misfit, ({ means }) => means[measure]),
  ];
  return explainMean(value, expected, alternatives, decimals);
}

/** The same number in the other frames of conventions that give `value`, told together. */
function otherFrames(
  { search, allowed, index }: Misfit,
  what: string,
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
      words: `${what} with ${leastOtherwise(members.map((member) => otherwise(member, chosen)))}`,
      bounds: first.bounds,
      instead: insteadText(members, chosen, allowed),
    },
  ];
}

/** Why it is to be as in the chosen frame and not as in those. */
function insteadText(members: readonly Frame[], chosen: Frame, allowed: Allowed): string {
  const words = profileWords(chosen, members);
  if (members.some((member) => allowed.frame(member))) return `the other answers fit ${words}`;
  const [against = []] = members
    .map(({ account }) => allowed.against(account))
    .toSorted((a, b) => a.length - b.length);
  return against.length === 0 ? `the profile says ${words}` : knownWords(against);
}

/** What the same key's unfiltered answer says, for a filtered one. */
function allProducts(misfit: Misfit, of: (expectation: Expectation) => Alternative['bounds']): Alternative[] {
  const expectation = unfiltered(misfit);
  return expectation === undefined
    ? []
    : [
        {
          words: 'the number for all products',
          bounds: of(expectation),
          instead: exceeds(misfit)
            ? 'product_id was not applied: for this product it is'
            : 'for this product it is',
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

export function explainTop(misfit: Misfit, list: readonly ReturnedShade[]): string {
  const { expectation, search, around, allowed } = misfit;
  if (expectation === undefined) return '';
  const { faults } = fitTopShades(list, expectation, search.chosen.evaluation.topLengths, around);
  const whole = unfiltered(misfit);
  if (whole !== undefined && list.length > 0 && exceeds(misfit)) {
    const lengths = search.chosen.evaluation.topLengths;
    if (fitTopShades(list, whole, lengths, around).fit === 'fits')
      return `the list is that of all products, product_id was not applied to it: ${faults.slice(0, 2).join('; ')}`;
  }
  const chosen = search.chosen.evaluation.frame;
  const others = search.evaluations
    .filter(({ frame, of, tops }) => frame !== chosen && !of.vague && tops[misfit.index] === 'fits')
    .flatMap(({ of }) => of.members);
  const hint =
    others.length === 0
      ? ''
      : ` (right with ${leastOtherwise(others.map((other) => otherwise(other, chosen)))}${others.some((other) => allowed.frame(other)) ? '' : `; ${insteadText(others, chosen, allowed)}`})`;
  const more = faults.length > 3 ? `; and ${number(faults.length - 3)} more` : '';
  return `${faults.slice(0, 3).join('; ')}${more}${hint}`;
}

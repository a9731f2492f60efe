import type { Profile } from '../../../target/profile.ts';
import {
  type AnswerField,
  type AverageMeasure,
  averageMeasures,
  type MeanField,
  measureKinds,
  type RateMeasure,
  rateMeasures,
} from '../../../vocabulary/analytics.ts';
import type { Allowed, Frame } from '../conventions/conventions.ts';
import type { Expectation } from '../expect/expectation.ts';
import type { FrameClass } from '../expect/frames.ts';
import type { QueryAnswer } from '../record/questions.ts';
import {
  decimalsDue,
  type ExpectedMean,
  type Fit,
  fitMean,
  fitTopShades,
  fitTotal,
  type Preconditions,
  type TopLengths,
  topLengthsOf,
} from './fit.ts';

/** Everything that one frame of conventions says about every answer, in the order of the answers. */
export interface FrameCase {
  readonly frame: Frame;
  /** The frames that say the same about this run. */
  readonly members: readonly Frame[];
  /** See `Candidate`. */
  readonly vague: boolean;
  readonly expectations: readonly (Expectation | undefined)[];
  readonly circumstances: readonly Preconditions[];
}

/** How the answers fit in one frame. */
export interface Evaluation {
  readonly frame: Frame;
  readonly of: FrameCase;
  readonly totals: readonly Fit[];
  readonly averages: ReadonlyMap<AverageMeasure, readonly Fit[]>;
  readonly rates: ReadonlyMap<RateMeasure, readonly Fit[]>;
  readonly tops: readonly Fit[];
  /** The largest length of top_shades held against the answers. */
  readonly topLengths: TopLengths;
  /** To how many decimals means have to be right. */
  readonly decimals: Readonly<Record<MeanField, number>>;
}

/** The conventions that fit best, and all that fit. */
export interface Search {
  /** What the answers are judged by: the nearest that the profile allows, or of several that which fewest causes explain. */
  readonly chosen: Choice;
  /** What else the profile allows, where nothing that it allows fits every answer: one choice for each frame, the nearest first. */
  readonly rivals: readonly Choice[];
  /** Whether another choice explains the wrong answers as well, by other causes: then no cause is certain. */
  readonly isUnsettled: boolean;
  /** All allowed choices without any misfit. */
  readonly fitting: readonly Choice[];
  /** The nearest of all that say something, allowed or not. */
  readonly nearest: Choice;
  readonly evaluations: readonly Evaluation[];
}

export interface Choice {
  readonly evaluation: Evaluation;
  readonly average: AverageMeasure;
  readonly rate: RateMeasure;
  readonly misfits: number;
  readonly fits: number;
  /** Fields with a value that does not fit: each needs a cause. */
  readonly wrongFields: number;
}

/** A class of frames before it is evaluated. */
export interface CandidateFrame extends FrameClass {
  /** A lower bound of how many values do not fit it. */
  readonly misfits: number;
  /** So much is uncertain under it, since it cuts right through the run, that fitting it says little. */
  readonly vague: boolean;
}

/** Choices whose causes are worth looking for, where none fits. */
const mostRivals = 6;

/**
 * Holds every combination of conventions against all answers jointly. `candidates` in order of preference; those that
 * cannot be nearer than one that was evaluated already are left out, and those that the profile rules out where what it
 * allows fits every value of every answer, so that nothing is left to explain by another.
 */
export async function searchConventions(
  candidates: readonly CandidateFrame[],
  caseOf: (candidate: CandidateFrame) => Promise<FrameCase>,
  answers: readonly QueryAnswer[],
  { allowed, profile }: { readonly allowed: Allowed; readonly profile: Profile['analytics'] },
): Promise<Search | undefined> {
  const permits = ({ members }: FrameClass): boolean => members.some((frame) => allowed.frame(frame));
  const permittedOf = (choices: readonly Choice[]): Choice[] =>
    choices.filter(
      ({ evaluation, average, rate }) =>
        permits(evaluation.of) && allowed.average(average) && allowed.rate(rate),
    );
  const known = new Map<CandidateFrame, Evaluation>();
  const evaluated = async (candidate: CandidateFrame): Promise<Evaluation> => {
    const evaluation = known.get(candidate) ?? evaluate(await caseOf(candidate), answers, allowed, profile);
    known.set(candidate, evaluation);
    return evaluation;
  };
  const usual = candidates.find(permits);
  const consider = async (some: readonly CandidateFrame[]): Promise<Choice[]> => {
    const choices: Choice[] = [];
    for (const candidate of some) {
      const near = (others: readonly Choice[]): boolean =>
        candidate.misfits <= (best(others)?.misfits ?? Number.POSITIVE_INFINITY);
      // Of answers that are wrong, the usual conventions may explain fewer than others, and still be the right ones.
      const isUsual = candidate === usual && best(permittedOf(choices))?.wrongFields !== 0;
      if (!near(choices) && !(permits(candidate) && near(permittedOf(choices))) && !isUsual) continue;
      const evaluation = await evaluated(candidate);
      for (const average of averageMeasures)
        for (const rate of rateMeasures) choices.push(choice(evaluation, average, rate));
    }
    return choices;
  };
  const nearestFirst = candidates.toSorted((a, b) => a.misfits - b.misfits);
  const promised = await consider(nearestFirst.filter(permits));
  const kept = best(permittedOf(promised));
  const explained = kept !== undefined && !kept.evaluation.of.vague && kept.fits === 4 * answers.length;
  const choices = explained ? promised : await consider(nearestFirst);
  const permitted = permittedOf(choices);
  const evaluations = [...new Set(choices.map(({ evaluation }) => evaluation))];
  const chosen = best(permitted);
  const nearest = best(choices.filter(({ evaluation }) => !evaluation.of.vague)) ?? best(choices);
  if (chosen === undefined || nearest === undefined) return undefined;
  const fitting = permitted.filter((one) => one.misfits === 0);
  const byFrame = [...Map.groupBy(permitted, ({ evaluation }) => evaluation).values()];
  const rivals = fitting.length > 0 ? [] : byFrame.flatMap((own) => best(own) ?? []).toSorted(nearer);
  const isRival = (one: Choice, place: number): boolean =>
    place < mostRivals || (usual !== undefined && one.evaluation === known.get(usual));
  return {
    chosen,
    nearest,
    fitting,
    evaluations,
    rivals: rivals.filter(isRival),
    isUnsettled: false,
  };
}

export function evaluate(
  of: FrameCase,
  answers: readonly QueryAnswer[],
  allowed: Allowed,
  profile: Profile['analytics'],
): Evaluation {
  const topLengths = topLengthsOf(
    allowed.topLength,
    answers.map((answer) => answer.returned.topShades),
  );
  const fits = (
    judge: (answer: QueryAnswer, expectation: Expectation, around: Preconditions) => Fit,
  ): Fit[] =>
    answers.map((answer, index) => {
      const expectation = of.expectations[index];
      const around = of.circumstances[index];
      return expectation === undefined || around === undefined
        ? 'unknown'
        : judge(answer, expectation, around);
    });
  const due = (values: readonly (number | null)[], isAllowed: readonly boolean[]): number =>
    decimalsDue(values, profile.decimals, isAllowed.filter((each) => each).length > 1);
  const decimals = {
    avg_shades_per_session: due(
      answers.map(({ returned }) => returned.avgShadesPerSession),
      averageMeasures.map(allowed.average),
    ),
    cart_intent_rate: due(
      answers.map(({ returned }) => returned.cartIntentRate),
      rateMeasures.map(allowed.rate),
    ),
  };
  const meansBy = <M extends AverageMeasure | RateMeasure>(
    measures: readonly M[],
    field: MeanField,
    name: 'avgShadesPerSession' | 'cartIntentRate',
  ): Map<M, Fit[]> =>
    new Map(
      measures.map((measure) => [
        measure,
        fits(({ returned }, expected, around) =>
          fitMean(returned[name], expectedMean(measure, expected), decimals[field], around),
        ),
      ]),
    );
  return {
    decimals,
    frame: of.frame,
    of,
    topLengths,
    totals: fits(({ returned }, { totalSessions }, around) =>
      fitTotal(returned.totalSessions, totalSessions, around),
    ),
    averages: meansBy(averageMeasures, 'avg_shades_per_session', 'avgShadesPerSession'),
    rates: meansBy(rateMeasures, 'cart_intent_rate', 'cartIntentRate'),
    tops: fits(
      ({ returned }, expectation, around) =>
        fitTopShades(returned.topShades, expectation, topLengths, around).fit,
    ),
  };
}

/** What `fitMean` expects of a measure. */
function expectedMean(measure: AverageMeasure | RateMeasure, expected: Expectation): ExpectedMean {
  const over = measureKinds[measure].over === 'all' ? expected.totalSessions : expected.sessionsWithShades;
  return {
    bounds: expected.means[measure],
    what: rateMeasures.some((rate) => rate === measure) ? 'rate' : 'average',
    sessions: over.min,
  };
}

/** How the values of each field fit by a choice. */
export function fitsBy({
  average,
  evaluation,
  rate,
}: Pick<Choice, 'average' | 'evaluation' | 'rate'>): Readonly<Record<AnswerField, readonly Fit[]>> {
  return {
    total_sessions: evaluation.totals,
    avg_shades_per_session: evaluation.averages.get(average) ?? [],
    cart_intent_rate: evaluation.rates.get(rate) ?? [],
    top_shades: evaluation.tops,
  };
}

function choice(evaluation: Evaluation, average: AverageMeasure, rate: RateMeasure): Choice {
  const fields = Object.values(fitsBy({ evaluation, average, rate }));
  const all = fields.flat();
  return {
    ...{ evaluation, average, rate },
    misfits: all.filter((fit) => fit === 'misfits').length,
    fits: all.filter((fit) => fit === 'fits').length,
    wrongFields: fields.filter((fits) => fits.includes('misfits')).length,
  };
}

/**
 * Fewest fields with a misfit, then fewest misfits, then most fits, then the order of preference. Where a cause makes some fields
 * wrong, conventions are told by the others: values that are wrong anyway may fit what is expected of other sessions.
 */
const nearer = (a: Choice, b: Choice): number =>
  a.wrongFields - b.wrongFields || a.misfits - b.misfits || b.fits - a.fits;

function best(choices: readonly Choice[]): Choice | undefined {
  let found: Choice | undefined;
  for (const one of choices) if (found === undefined || nearer(one, found) < 0) found = one;
  return found;
}

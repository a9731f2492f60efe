import type { Survivor } from './inference.ts';

/** A survivor with the number of its free parameters. */
export type Contender = Survivor & { readonly degreesOfFreedom: number };

/** What a contender is charged for. */
type Penalty = Pick<Contender, 'mismatches' | 'degreesOfFreedom'>;

/**
 * The log-likelihood that one wrong answer costs a model. Arrivals are guessed, so even the truth gets some wrong, in
 * clusters; each counts for less than if they were independent.
 */
const perMismatch = 0.5;
/**
 * The cost of a free parameter, as a log-likelihood (half the logarithm of some thousand observations, as BIC).
 */
const perParameter = 4;

/** Answers that guessed arrivals alone may turn around: this many, and this part of all. */
const turned = { count: 10, part: 0.15 };

/**
 * On one counter or two, guessed arrivals turn this part around: the more, the more other requests are under way during one. In
 * simulated studies of 24 kinds the truth got at most 1.0 % wrong with 0.2 others, and 2.9 % with 3.8. A bucket in thousandths
 * got up to 4.7 % wrong, since its rate is found as a round one. With 17 others it was up to 18.6 %, but on starved machines
 * wrong kinds got 10 %: with more than `most` none is named.
 */
const turnedBy = { least: 0.04, other: 0.01, most: 0.1 };

/** Whether a model that gets this many answers wrong when it runs free may still be the truth. */
export function isPlausible(mismatches: number, requests: number): boolean {
  return mismatches <= turned.count + turned.part * requests;
}

/** Who gets no more wrong than this, and this part of all requests, may well be the truth. */
const few = { count: 5, part: 0.01 };

export function isNear(mismatches: number, requests: number): boolean {
  return mismatches <= few.count + few.part * requests;
}

/** Free parameters charged for an unknown kind. */
const degreesOfTheUnknown = 5;

/** This many concurrent requests swap answers one by one; more of them, together. */
const usualCrowd = 2;

/**
 * Ranks contenders by log-likelihood less a penalty per free parameter, and gives each a probability. An unknown kind
 * is among them; it gets as much wrong as guessed arrivals may. `crowd`: how many other requests were sent during
 * one; a doubt then shows in that many answers.
 */
export function withConfidence(
  contenders: readonly Contender[],
  requests: number,
  crowd: number,
): Survivor[] {
  const perWrong = perMismatch / Math.max(1, crowd / usualCrowd);
  const scoreOf = ({ degreesOfFreedom, mismatches }: Penalty): number =>
    -perWrong * mismatches - perParameter * degreesOfFreedom;
  const likeliest = contenders.toSorted((a, b) => scoreOf(b) - scoreOf(a))[0];
  // In a crowd a wrong answer counts for little: then the number of parameters would decide alone for a kind that gets many
  // wrong. It is charged to none of those that get next to nothing wrong, and not to the unknown.
  // What several nodes, a queue or work under way leave open is not for arrivals alone to explain.
  const part =
    likeliest?.settled === undefined && likeliest?.beside === undefined
      ? turned.part
      : Math.min(turnedBy.most, turnedBy.least + turnedBy.other * crowd);
  const mostTurned = turned.count + part * requests;
  const isDoubtful =
    likeliest !== undefined &&
    !isNear(likeliest.mismatches, requests) &&
    (part >= turnedBy.most || likeliest.mismatches > mostTurned);
  const chargedFor = (degrees: number): number =>
    isDoubtful ? Math.min(degrees, likeliest.degreesOfFreedom) : degrees;
  const scored = contenders.map(({ degreesOfFreedom, ...survivor }) => {
    const { mismatches } = survivor;
    const degrees = isNear(mismatches, requests) ? chargedFor(degreesOfFreedom) : degreesOfFreedom;
    return { survivor, score: scoreOf({ mismatches, degreesOfFreedom: degrees }) };
  });
  const best = Math.max(...scored.map(({ score }) => score));
  const unknown = scoreOf({
    mismatches: mostTurned,
    degreesOfFreedom: chargedFor(degreesOfTheUnknown),
  });
  const highest = Math.max(unknown, best);
  const total = scored.reduce(
    (sum, { score }) => sum + Math.exp(score - highest),
    Math.exp(unknown - highest),
  );
  return scored
    .toSorted((a, b) => b.score - a.score)
    .map(({ survivor, score }) => ({ ...survivor, confidence: Math.exp(score - highest) / total }));
}

import type { Survivor } from './inference.ts';

/** A survivor with the number of its free parameters. */
export type Contender = Survivor & { readonly degreesOfFreedom: number };

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
  const scored = contenders.map(({ degreesOfFreedom, ...survivor }) => ({
    survivor,
    score: -perWrong * survivor.mismatches - perParameter * degreesOfFreedom,
  }));
  const best = Math.max(...scored.map(({ score }) => score));
  // In a crowd a wrong answer counts for little: then the parameters of the unknown would decide alone for a kind that gets many
  // wrong.
  const likeliest = contenders[scored.findIndex(({ score }) => score === best)];
  const isDoubtful = likeliest !== undefined && !isNear(likeliest.mismatches, requests);
  const degrees = isDoubtful
    ? Math.min(degreesOfTheUnknown, likeliest.degreesOfFreedom)
    : degreesOfTheUnknown;
  const unknown = -perWrong * (turned.count + turned.part * requests) - perParameter * degrees;
  const highest = Math.max(unknown, best);
  const total = scored.reduce(
    (sum, { score }) => sum + Math.exp(score - highest),
    Math.exp(unknown - highest),
  );
  return scored
    .toSorted((a, b) => b.score - a.score)
    .map(({ survivor, score }) => ({ ...survivor, confidence: Math.exp(score - highest) / total }));
}

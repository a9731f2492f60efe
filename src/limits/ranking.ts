import type { Survivor } from './inference.ts';

/** A survivor with the number of its free parameters. */
export type Contender = Survivor & { readonly freedoms: number };

/**
 * How much an answer that a model gets wrong speaks against it, as a log-likelihood: arrivals are guessed, so that the
 * truth gets some wrong too, in clusters, and each counts for less than it would if they were independent.
 */
const perMismatch = 0.5;
/** What a free parameter costs, as a log-likelihood (half the logarithm of some thousand observations, as BIC). */
const perFreedom = 4;

/** Answers that guessed arrivals alone may turn around: this many, and this part of all. */
const turned = { count: 10, part: 0.15 };

/** Whether a model that gets so many answers wrong when it decides for itself may be the truth all the same. */
export function isPlausible(mismatches: number, requests: number): boolean {
  return mismatches <= turned.count + turned.part * requests;
}

/** Free parameters that a kind nobody has thought of is charged for. */
const freedomsOfTheUnknown = 5;

/** So many requests under way at a time turn around answers one by one; more of them, together. */
const usualCrowd = 2;

/**
 * Ranks contenders by log-likelihood less a penalty per free parameter, and says how likely each is: among them, and a
 * kind that is none of them, which gets as much wrong as guessed arrivals may. `crowd`: how many other requests were sent
 * while one was under way; one doubt then shows in as many answers.
 */
export function withConfidence(
  contenders: readonly Contender[],
  requests: number,
  crowd: number,
): Survivor[] {
  const perWrong = perMismatch / Math.max(1, crowd / usualCrowd);
  const scored = contenders.map(({ freedoms, ...survivor }) => ({
    survivor,
    score: -perWrong * survivor.mismatches - perFreedom * freedoms,
  }));
  const unknown = -perWrong * (turned.count + turned.part * requests) - perFreedom * freedomsOfTheUnknown;
  const best = Math.max(unknown, ...scored.map(({ score }) => score));
  const total = scored.reduce((sum, { score }) => sum + Math.exp(score - best), Math.exp(unknown - best));
  return scored
    .toSorted((a, b) => b.score - a.score)
    .map(({ survivor, score }) => ({ ...survivor, confidence: Math.exp(score - best) / total }));
}

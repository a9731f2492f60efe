import { counted, listed, number, seconds } from '../../../../amounts.ts';
import { wording } from '../../wording.ts';
import { type FittedKinds, fittedExample } from '../fitted.ts';
import { type Pace, paceText } from '../names.ts';

/** Who says it: a dialect, and the name of the policy where it has one. */
export interface SpeakingDialect {
  readonly dialect: string;
  readonly policy: string;
}

/** A fault of the headers that one dialect has for one policy, with the number of answers that show it. */
export interface Faulty extends SpeakingDialect {
  readonly answers: number;
}

/** `draft-6 headers`, `draft-10 headers (policy “burst”)`. */
export function headersOf({ dialect, policy }: SpeakingDialect): string {
  return `${dialect} headers${policy === '' ? '' : ` (policy “${policy}”)`}`;
}

/** `a limit of 180`, `180 per 60 s`. */
export function statedText({ limit, windowMs }: Stated): string {
  return windowMs === null ? `a limit of ${number(limit)}` : paceText({ requests: limit, windowMs });
}

/** A limit that headers state; null where they state no window. */
export interface Stated {
  readonly limit: number;
  readonly windowMs: number | null;
}

const faulty: Faulty = { dialect: 'draft-6', policy: '', answers: 12 };
const inAnswers = ({ answers }: Faulty): string => `(${counted(answers, 'answer')})`;

/** What is wrong with rate-limit headers. With `fitted`: the reason of the comparison, which follows, names the limiter. */
export const headerFaultReasons = {
  'headers-limit-wrong': wording<Faulty & Pace & { readonly stated: readonly Stated[] }>(
    { ...faulty, stated: [{ limit: 90, windowMs: 6_000 }], requests: 100, windowMs: 6_000 },
    ({ stated, ...fault }) =>
      `Expected ${paceText(fault)} in the ${headersOf(fault)}, got ${listed(stated.map(statedText), 2)} ${inAnswers(fault)}.`,
  ),
  'headers-remaining-above-limit': wording<Faulty>(
    faulty,
    (fault) => `In the ${headersOf(fault)}, more remains than the limit that they state ${inAnswers(fault)}.`,
  ),
  'headers-used-and-remaining': wording<Faulty>(
    faulty,
    (fault) =>
      `In the ${headersOf(fault)}, \`used\` and \`remaining\` do not add up to the limit ${inAnswers(fault)}.`,
  ),
  'headers-rejected-with-remaining': wording<Faulty>(
    faulty,
    (fault) =>
      `Requests get 429, but the ${headersOf(fault)} of that answer say that requests remain ${inAnswers(fault)}.`,
  ),
  'headers-rejected-next': wording<Faulty>(
    faulty,
    (fault) =>
      `Requests get 429 right after ${headersOf(fault)} that say that requests remain ${inAnswers(fault)}. Fewer requests than that were sent in between.`,
  ),
  'headers-remaining-constant': wording<Faulty & { readonly remaining: number }>(
    { ...faulty, remaining: 99 },
    ({ remaining, ...fault }) =>
      `In the ${headersOf(fault)}, \`remaining\` stays at ${number(remaining)} while requests are admitted ${inAnswers(fault)}.`,
  ),
  'headers-remaining-rises': wording<Faulty>(
    faulty,
    (fault) =>
      `In the ${headersOf(fault)}, \`remaining\` rises or stays the same while requests are admitted ${inAnswers(fault)}. No limiter recovers that fast.`,
  ),
  'headers-remaining-too-high': wording<Faulty & { readonly fitted: FittedKinds }>(
    { ...faulty, fitted: fittedExample },
    (fault) =>
      `In the ${headersOf(fault)}, \`remaining\` is more than the limiter had left ${inAnswers(fault)}.`,
  ),
  'headers-remaining-too-low': wording<Faulty & { readonly fitted: FittedKinds }>(
    { ...faulty, fitted: fittedExample },
    (fault) =>
      `In the ${headersOf(fault)}, \`remaining\` is less than the limiter had left ${inAnswers(fault)}.`,
  ),
  'headers-reset-unit': wording<Faulty>(
    faulty,
    (fault) =>
      `In the ${headersOf(fault)}, the reset is a point in time; the draft says seconds from now ${inAnswers(fault)}.`,
  ),
  'headers-reset-negative': wording<Faulty>(
    faulty,
    (fault) => `In the ${headersOf(fault)}, the reset is negative ${inAnswers(fault)}.`,
  ),
  'headers-reset-past': wording<Faulty>(
    faulty,
    (fault) =>
      `In the ${headersOf(fault)}, the reset is a time that had already passed before the request ${inAnswers(fault)}.`,
  ),
  'headers-reset-too-far': wording<
    Faulty & { readonly aheadMs: number; readonly mostMs: number; readonly looksLikeMs: boolean }
  >(
    { ...faulty, aheadMs: 30_000, mostMs: 12_000, looksLikeMs: true },
    ({ aheadMs, looksLikeMs, mostMs, ...fault }) =>
      `Expected a reset within two windows (${seconds(mostMs)}) in the ${headersOf(fault)}, got ${seconds(aheadMs)} ${inAnswers(fault)}.${looksLikeMs ? ' It looks like milliseconds.' : ''}`,
  ),
  'headers-reset-moves-away': wording<Faulty>(
    faulty,
    (fault) =>
      `In the ${headersOf(fault)}, the reset moves later before it is reached ${inAnswers(fault)}. That happens more often than windows start.`,
  ),
  'headers-reset-too-late': wording<Faulty & { readonly fitted: FittedKinds }>(
    { ...faulty, fitted: fittedExample },
    (fault) =>
      `In the ${headersOf(fault)}, the reset is later than any reset of the limiter ${inAnswers(fault)}.`,
  ),
  'headers-reset-too-early': wording<Faulty & { readonly fitted: FittedKinds }>(
    { ...faulty, fitted: fittedExample },
    (fault) =>
      `In the ${headersOf(fault)}, the reset is earlier than any reset of the limiter ${inAnswers(fault)}.`,
  ),
} as const;

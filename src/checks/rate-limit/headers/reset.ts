import { countBelow } from '../../../limits/sorted.ts';
import type { Span } from '../../../limits/span.ts';
import { seconds } from '../words.ts';
import type { Dialect } from './dialects.ts';
import { type Fault, type Finding, faultIfRepeated, repeatedly } from './finding.ts';
import { instantOf } from './instant.ts';
import { mostWithin, type Rise } from './rises.ts';
import { type HeaderContext, lagNs, limitOf, type Series, type ToldAnswer, windowNsOf } from './series.ts';

/** Whole seconds, rounded either way. */
const roundingNs = 1e9;
/** A claim this close to a place's coming free is as near as whole seconds can tell. */
const nearNs = 2e9;
/** From this part of a window on a reset may mean: as long as nothing else is asked, which each request puts off. */
const wholePart = 0.75;

/** An answer with the instant that its reset names. */
interface Claim {
  readonly answer: ToldAnswer;
  readonly span: Span;
}

/**
 * Whether the resets can be true. What a reset is the reset of, nobody has specified (the end of a window, the next free
 * place, a full bucket), so only what none of them could say is false: instants long gone, ones beyond two windows, and
 * ones that keep moving away before they come.
 */
export function judgeReset(series: Series, context: HeaderContext): Finding {
  const claims = series.answers.flatMap((answer): Claim[] => {
    const { reset } = answer.said;
    return reset === undefined ? [] : [{ answer, span: instantOf(reset, answer, context.clock) }];
  });
  return {
    compared: claims.length,
    faults: [
      ...wrongUnit(claims),
      ...gone(claims, context),
      ...tooFar(claims, series, context),
      ...movesAway(claims, series, context),
    ],
    remarks: [...new Set([...isInstantInDraft(claims), ...isWholeWindow(claims, series, context)])],
  };
}

function gone(claims: readonly Claim[], context: HeaderContext): Fault[] {
  const negative = claims.filter(
    ({ answer: { said } }) => said.reset !== undefined && 'inMs' in said.reset && said.reset.inMs < 0,
  );
  const past = claims.filter(({ answer, span }) => {
    const { reset, remaining, limit } = answer.said;
    // A limiter that has nothing to reset may leave the last instant standing.
    const isUntouched = remaining !== undefined && limit !== undefined && remaining >= limit - 1;
    if (reset === undefined || 'inMs' in reset || isUntouched) return false;
    return span.hiNs + 2 * roundingNs + lagNs(context) < answer.sentNs;
  });
  return [
    ...faultIfRepeated(seqsOf(negative), 'the reset is negative'),
    ...faultIfRepeated(seqsOf(past), 'the reset names an instant that is long gone'),
  ];
}

/** Only while places remain: a refusal may lock a key out for longer. */
function tooFar(claims: readonly Claim[], series: Series, context: HeaderContext): Fault[] {
  const windowNs = windowNsOf(series, context);
  if (windowNs === undefined) return [];
  const far = claims.filter(
    ({ answer, span }) =>
      !answer.limited &&
      (answer.leastRemaining ?? 1) > 0 &&
      span.loNs - answer.answeredNs > 2 * windowNs + 2 * roundingNs,
  );
  const [first] = far;
  if (first === undefined) return [];
  const aheadNs = first.span.loNs - first.answer.answeredNs;
  const isWait = first.answer.said.reset !== undefined && 'inMs' in first.answer.said.reset;
  const isMilliseconds = isWait && aheadNs / 1e3 <= 2 * windowNs + 2 * roundingNs;
  const unit = isMilliseconds ? '; it looks like milliseconds' : '';
  return faultIfRepeated(
    seqsOf(far),
    `the reset is further ahead than two windows last, by as much as ${seconds(aheadNs)} where they last ${seconds(2 * windowNs)}${unit}`,
  );
}

/** Resets that are put off, again and again within one window, before they have come. Refusals may put them off. */
function movesAway(claims: readonly Claim[], series: Series, context: HeaderContext): Fault[] {
  const windowNs = windowNsOf(series, context);
  if (windowNs === undefined) return [];
  const limit = limitOf(series, context);
  const moves: Rise[] = [];
  let anchor: Claim | undefined;
  for (const claim of claims) {
    const { answer, span } = claim;
    if (answer.limited || isPutOffByEach(claim, series.isFixedWindow, limit, windowNs)) {
      anchor = undefined;
    } else if (anchor === undefined || answer.answeredNs >= anchor.span.loNs - roundingNs) {
      anchor = claim;
    } else if (anchor.answer.answeredNs < answer.sentNs) {
      const by = span.loNs - anchor.span.hiNs - 2 * roundingNs;
      if (by > roundingNs) {
        const point = (each: Claim) => ({ ...each.answer, from: each.span.hiNs, to: each.span.loNs });
        moves.push({ first: point(anchor), last: point(claim), by });
        anchor = claim;
      } else if (span.hiNs < anchor.span.hiNs) anchor = claim;
    }
  }
  if (mostWithin(moves, 0.9 * windowNs) <= repeatedly) return [];
  const seqs = moves.flatMap(({ first, last }) => [first.seq, last.seq]);
  return [
    {
      what: 'the reset moves away before it comes, again and again, and more often than windows begin',
      seqs: [...new Set(seqs)],
    },
  ];
}

/** What each request may put off: the time until a bucket is full again, or until all that was counted is forgotten. */
function isPutOffByEach(
  { answer, span }: Claim,
  isFixedWindow: boolean,
  limit: number,
  windowNs: number,
): boolean {
  const leastNs = span.loNs - answer.answeredNs - nearNs;
  const mostNs = span.hiNs - answer.sentNs + nearNs;
  if (leastNs <= 0) return true;
  if (isFixedWindow) return false;
  const untilFullNs = ((limit - (answer.said.remaining ?? limit)) * windowNs) / limit;
  return mostNs >= wholePart * windowNs || (leastNs <= untilFullNs && untilFullNs <= mostNs);
}

function inDraft(claims: readonly Claim[], dialects: readonly Dialect[]): Claim[] {
  return claims.filter(
    ({ answer: { said } }) =>
      dialects.includes(said.dialect) && said.reset !== undefined && 'atEpochMs' in said.reset,
  );
}

/** The one-line forms exist in the drafts alone, where they mean seconds. */
function wrongUnit(claims: readonly Claim[]): Fault[] {
  return faultIfRepeated(
    seqsOf(inDraft(claims, ['draft-7', 'draft-10'])),
    'the reset is an instant, where the draft says seconds from now',
  );
}

/** GitLab, for one, writes instants under the name that the drafts gave to seconds. */
function isInstantInDraft(claims: readonly Claim[]): string[] {
  return inDraft(claims, ['draft-6']).length > 0
    ? ['the reset is an instant, where the drafts say seconds from now']
    : [];
}

/** Also to those who asked a while ago already, to whom less than a window is left by most reckonings. */
function isWholeWindow(claims: readonly Claim[], series: Series, context: HeaderContext): string[] {
  const windowNs = windowNsOf(series, context);
  if (windowNs === undefined) return [];
  const sentNs = Float64Array.from(claims, ({ answer }) => answer.sentNs);
  const again = claims.filter(
    ({ answer }) =>
      countBelow(sentNs, answer.sentNs - nearNs) > countBelow(sentNs, answer.sentNs - windowNs + nearNs),
  );
  const isWhole = ({ answer, span }: Claim): boolean =>
    Math.abs(span.hiNs - answer.answeredNs - windowNs) < roundingNs;
  return again.length >= repeatedly && again.every(isWhole)
    ? ['the reset is a whole window away, whenever it is asked']
    : [];
}

function seqsOf(claims: readonly Claim[]): number[] {
  return claims.map(({ answer }) => answer.seq);
}

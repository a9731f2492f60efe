import { countBelow, countUpTo, valuesAt } from '../../../limits/arrays.ts';
import { faultIfRepeated, type HeaderFault, type HeaderFinding, type Wrong } from './finding.ts';
import { impossiblyFreed, takenBeside } from './freed.ts';
import { type HeaderContext, lagNs, limitOf, type Series, saidOf, seqsTold, type Told } from './series.ts';
import { heldRemainingFaults, holdRemaining } from './values-held.ts';

/** A count may differ by this part of the limit, or by two requests. */
const slackPart = 0.05;
const leastSlack = 2;
/** Another user may have spent what remained, but hardly within this part of a window and repeatedly. */
const freshPart = 1 / 10;

/** Whether `remaining` agrees with what was admitted and rejected, under any limiter. */
export function judgeRemaining(series: Series, context: HeaderContext): HeaderFinding {
  const { told } = series;
  const compared = told.sayings.reduce((sum, { said }) => sum + (said.remaining === undefined ? 0 : 1), 0);
  if (compared === 0) return { compared: 0, faults: [], remarks: [] };
  const held = holdRemaining(series, context);
  return {
    compared,
    held,
    faults: [
      ...beyondLimit(told),
      ...notTheRest(told),
      ...rejectedWithRemaining(series, context),
      ...rejectedNext(series, context),
      ...neverSpent(series, context),
      ...heldRemainingFaults(held, series),
    ],
    remarks: told.sayings.some(({ said }) => (said.remaining ?? 0) < 0)
      ? [{ code: 'headers-remaining-negative', params: {} }]
      : [],
    unexplained: Math.ceil(takenBeside(series, context).reduce((sum, { by }) => sum + by, 0)),
  };
}

function beyondLimit(told: Told): HeaderFault[] {
  const seqs = seqsTold(told, (i) => {
    const { remaining, limit } = saidOf(told, i);
    return remaining !== undefined && limit !== undefined && remaining > limit;
  });
  return faultIfRepeated(seqs, { code: 'headers-remaining-above-limit', params: {} });
}

function notTheRest(told: Told): HeaderFault[] {
  const seqs = seqsTold(told, (i) => {
    const { remaining, limit, used } = saidOf(told, i);
    if (remaining === undefined || limit === undefined || used === undefined) return false;
    return Math.abs(Math.max(0, limit - used) - Math.max(0, remaining)) > 1;
  });
  return faultIfRepeated(seqs, { code: 'headers-used-and-remaining', params: {} });
}

function slackOf(series: Series, context: HeaderContext): number {
  return Math.max(leastSlack, slackPart * limitOf(series, context));
}

function rejectedWithRemaining(series: Series, context: HeaderContext): HeaderFault[] {
  const { told } = series;
  const slack = slackOf(series, context);
  const seqs = seqsTold(
    told,
    (i) =>
      told.limited[i] === 1 &&
      saidOf(told, i).remaining !== undefined &&
      (told.sayings[i]?.leastRemaining ?? 0) > slack,
  );
  return faultIfRepeated(seqs, { code: 'headers-rejected-with-remaining', params: {} });
}

/** Answers that promise places which the very next request, and whatever else can have come between, cannot have used up. */
function rejectedNext(series: Series, context: HeaderContext): HeaderFault[] {
  const { possible, rejected, sent, told } = series;
  if (rejected.length === 0) return [];
  const answeredNs = valuesAt(told.answeredNs, told.byAnswer);
  const slack = slackOf(series, context);
  const freshNs = context.promised.windowNs * freshPart;
  const broken = new Map<number, number>();
  for (const row of rejected) {
    const rejectedSentNs = sent.sentNs[row] as number;
    const before = told.byAnswer[countBelow(answeredNs, rejectedSentNs) - 1];
    if (before === undefined) continue;
    const leastRemaining = told.sayings[before]?.leastRemaining;
    if (leastRemaining === undefined || rejectedSentNs - (told.answeredNs[before] as number) > freshNs)
      continue;
    const arrived = countUpTo(possible.sentNs, sent.answeredNs[row] as number);
    const countedBefore = countBelow(possible.answeredNs, (told.sentNs[before] as number) - lagNs(context));
    // Neither of the two took a place from the other.
    const between = (arrived - countedBefore) * context.mostCounted - 2;
    if (leastRemaining - between > slack) broken.set(before, sent.seq[row] as number);
  }
  return faultIfRepeated([...broken.values()], { code: 'headers-rejected-next', params: {} });
}

/** `remaining` stands still or grows where it should fall. */
function neverSpent(series: Series, context: HeaderContext): HeaderFault[] {
  const rises = impossiblyFreed(series, context);
  if (rises.length === 0) return [];
  const { told } = series;
  const seqs = new Set(rises.flatMap(({ first, last }) => [first.seq, last.seq]));
  const remaining = new Set(
    told.sayings.filter((_, i) => seqs.has(told.seq[i] as number)).map(({ said }) => said.remaining),
  );
  const [only] = remaining;
  const what: Wrong =
    remaining.size === 1 && only !== undefined
      ? { code: 'headers-remaining-constant', params: { remaining: only } }
      : { code: 'headers-remaining-rises', params: {} };
  return [{ what, seqs: [...seqs] }];
}

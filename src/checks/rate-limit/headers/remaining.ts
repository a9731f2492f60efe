import { countBelow, countUpTo } from '../../../limits/sorted.ts';
import { count } from '../words.ts';
import { type Fault, type Finding, faultIfRepeated } from './finding.ts';
import { impossiblyFreed, takenBeside } from './freed.ts';
import { type HeaderContext, lagNs, limitOf, type Series, type ToldAnswer } from './series.ts';

/** So much may be missing from a count without its being wrong: this part of the limit, or a couple of requests. */
const slackPart = 0.05;
const leastSlack = 2;
/** Somebody else may have spent what remained; within this part of a window and again and again, hardly. */
const freshPart = 1 / 10;

/** Whether what is said to remain agrees with what was admitted and refused, under any limiter whatever. */
export function judgeRemaining(series: Series, context: HeaderContext): Finding {
  const told = series.answers.filter(({ said }) => said.remaining !== undefined);
  if (told.length === 0) return { compared: 0, faults: [], remarks: [] };
  return {
    compared: told.length,
    faults: [
      ...beyondLimit(told),
      ...notTheRest(told),
      ...refusedAllTheSame(told, series, context),
      ...refusedNext(series, context),
      ...neverSpent(series, context),
    ],
    remarks: told.some(({ said }) => (said.remaining ?? 0) < 0) ? ['it goes below zero'] : [],
    unexplained: Math.ceil(takenBeside(series, context).reduce((sum, { by }) => sum + by, 0)),
  };
}

function beyondLimit(told: readonly ToldAnswer[]): Fault[] {
  const seqs = told.filter(({ said: { remaining = 0, limit } }) => limit !== undefined && remaining > limit);
  return faultIfRepeated(seqsOf(seqs), 'more is said to remain than the limit it states');
}

function notTheRest(told: readonly ToldAnswer[]): Fault[] {
  const wrong = told.filter(({ said: { limit, remaining = 0, used } }) => {
    if (limit === undefined || used === undefined) return false;
    return Math.abs(Math.max(0, limit - used) - Math.max(0, remaining)) > 1;
  });
  return faultIfRepeated(seqsOf(wrong), 'what is used and what remains do not make up the limit');
}

function slackOf(series: Series, context: HeaderContext): number {
  return Math.max(leastSlack, slackPart * limitOf(series, context));
}

function refusedAllTheSame(told: readonly ToldAnswer[], series: Series, context: HeaderContext): Fault[] {
  const slack = slackOf(series, context);
  const refused = told.filter(({ limited, leastRemaining = 0 }) => limited && leastRemaining > slack);
  return faultIfRepeated(seqsOf(refused), 'requests are refused by answers that say that more remain');
}

/** Answers that promise places which the very next request, and whatever else can have come between, cannot have used up. */
function refusedNext(series: Series, context: HeaderContext): Fault[] {
  const { answers, own, possible } = series;
  const byAnswer = answers.toSorted((a, b) => a.answeredNs - b.answeredNs);
  const answeredNs = Float64Array.from(byAnswer, (each) => each.answeredNs);
  const slack = slackOf(series, context);
  const freshNs = context.promised.windowNs * freshPart;
  const broken = new Map<number, number>();
  for (const refused of own) {
    if (refused.status !== 429) continue;
    const told = byAnswer[countBelow(answeredNs, refused.sent_ns) - 1];
    if (told?.leastRemaining === undefined || refused.sent_ns - told.answeredNs > freshNs) continue;
    const arrived = countUpTo(possible.sentNs, refused.answered_ns);
    const countedBefore = countBelow(possible.answeredNs, told.sentNs - lagNs(context));
    // Neither of the two took a place from the other.
    const between = arrived - countedBefore - 2;
    if (told.leastRemaining - between > slack) broken.set(told.seq, refused.seq);
  }
  return faultIfRepeated(
    [...broken.values()],
    'requests are refused right after an answer that says that more remain than can have been used since',
  );
}

/** `remaining` stands still or grows where it should fall. */
function neverSpent(series: Series, context: HeaderContext): Fault[] {
  const rises = impossiblyFreed(series, context);
  if (rises.length === 0) return [];
  const seqs = rises.flatMap(({ first, last }) => [first.seq, last.seq]);
  const remaining = new Set(
    series.answers.filter(({ seq }) => seqs.includes(seq)).map(({ said }) => said.remaining),
  );
  const [only] = remaining;
  const what =
    remaining.size === 1 && only !== undefined
      ? `it stays at ${count(only)} while requests are admitted`
      : 'it grows, or does not fall by what is admitted, faster than any limiter frees places';
  return [{ what, seqs: [...new Set(seqs)] }];
}

function seqsOf(answers: readonly ToldAnswer[]): number[] {
  return answers.map(({ seq }) => seq);
}

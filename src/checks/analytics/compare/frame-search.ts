import type { Tables } from '../../../history/tables.ts';
import type { Profile } from '../../../target/profile.ts';
import type { Role } from '../../../vocabulary/roles.ts';
import { latestShown } from '../../core/moved-clock.ts';
import type { Allowed, Frame } from '../conventions/conventions.ts';
import { cutsOf, includesCuts } from '../expect/cells.ts';
import { countAll, expectationOf, totalIn } from '../expect/expectation.ts';
import { candidateFrames, frameClasses } from '../expect/frames.ts';
import { type AnswerPopulation, populationOf } from '../expect/population.ts';
import type { ClockOffset, Instants } from '../record/clock.ts';
import type { Facts } from '../record/facts.ts';
import type { QueryAnswer, Questions } from '../record/questions.ts';
import type { Acts } from './answer-row.ts';
import { fitTotal, type Preconditions } from './fit.ts';
import { type CandidateFrame, type FrameCase, type Search, searchConventions } from './search.ts';

/** What a search for conventions goes by. */
interface FrameSearch {
  readonly tables: Tables;
  readonly questions: Questions;
  /** Those that opened sessions or asked. */
  readonly keys: readonly Role[];
  readonly facts: Facts;
  readonly instants: Instants;
  /** When the last session or event was answered or given up on, ns since the run's zero. */
  readonly lastActNs: number;
  readonly acts: Acts;
  readonly clock: ClockOffset;
  readonly allowed: Allowed;
  readonly profile: Profile['analytics'];
}

/** The share of the sessions counted that may be uncertain under one frame more than under another. */
const vagueShare = 0.05;

/**
 * Expects every answer under each frame of conventions that may be the nearest, and finds the conventions that fit.
 */
export async function searchFrames(input: FrameSearch): Promise<Search | undefined> {
  const { tables, questions, keys, facts, instants, lastActNs, acts, clock, allowed, profile } = input;
  const { queries, judged } = questions;
  const promised = profile.time_zone === 'discover' ? undefined : profile.time_zone;
  const frames = candidateFrames(queries, keys, allowed, promised, tables.history.run.zero_epoch_ms);
  const cuts = cutsOf(queries, frames);
  const { sessions, shadesBy } = await countAll(tables, facts, cuts, instants);
  const latestTargetMs = (runNs: number): number => latestShown(clock.clock, runNs) + clock.highMs;
  const populations = (frame: Frame): AnswerPopulation[] =>
    queries.map((query) => populationOf({ query, frame, latestTargetMs }, questions, profile));
  const freshNs = lastActNs + profile.freshness * 1e6;
  const around = (answer: QueryAnswer, population: AnswerPopulation): Preconditions => ({
    timely: answer.sentNs >= freshNs,
    population,
    noForeign: false,
    foreignAtMost: Number.POSITIVE_INFINITY,
    acts: acts.kind,
  });
  const drafts = frameClasses(queries, frames, sessions).map((each) => {
    // What the class is called by, and what its expectations of what was there before go by.
    const frame = each.members.find((member) => allowed.frame(member)) ?? each.frame;
    const all = populations(frame);
    const totals = queries.map((query) => totalIn(frame, query, sessions));
    const misfits = judged.filter((answer) => {
      const population = all[answer.query];
      const own = totals[answer.query];
      if (population === undefined || own === undefined) return false;
      const { sessions: before } = population.prior;
      const whole = { min: own.min + before, max: own.max + before };
      return fitTotal(answer.returned.totalSessions, whole, around(answer, population)) === 'misfits';
    });
    const width = totals.reduce((sum, one) => sum + (one === undefined ? 0 : one.max - one.min), 0);
    const most = totals.reduce((sum, one) => sum + (one?.max ?? 0), 0);
    return { frame, members: each.members, misfits: misfits.length, width, most };
  });
  const sharpest = Math.min(...drafts.map(({ width }) => width));
  const candidates = drafts.map(
    ({ width, most, ...each }): CandidateFrame => ({ ...each, vague: width > sharpest + vagueShare * most }),
  );
  const totalsSeen = totalsByQuery(questions);
  // The nearest are evaluated whatever comes, and mostly no others are.
  let shades = await shadesBy(cutsOf(queries, nearestFrames(candidates, allowed)));
  const caseOf = async ({ frame, members, vague }: CandidateFrame): Promise<FrameCase> => {
    const all = populations(frame);
    if (!includesCuts(shades.cuts, cutsOf(queries, [frame]))) shades = await shadesBy(cuts);
    const expected = queries.map((query, index) =>
      expectationOf(frame, { query, prior: place(all, index).prior }, sessions, shades),
    );
    return {
      frame,
      members,
      vague,
      expectations: judged.map((answer) => expected[answer.query]),
      circumstances: judged.map((answer) => {
        const population = place(all, answer.query);
        const own = expected[answer.query]?.totalSessions.min ?? 0;
        // In sessions of before, others may go on.
        const hasPrior = population.prior.sessions > 0;
        return {
          ...around(answer, population),
          // Foreign sessions only ever add: a total at its lower bound has none in it.
          noForeign: !hasPrior && answer.returned.totalSessions === expected[answer.query]?.totalSessions.min,
          foreignAtMost: hasPrior
            ? Number.POSITIVE_INFINITY
            : foreignIn(totalsSeen.get(answer.query) ?? [], own),
        };
      }),
    };
  };
  return searchConventions(candidates, caseOf, judged, { allowed, profile });
}

/** Frames of the candidates with the fewest misfits, and of those with the fewest that the profile allows. */
function nearestFrames(candidates: readonly CandidateFrame[], allowed: Allowed): Frame[] {
  const nearest = (some: readonly CandidateFrame[]): Frame[] => {
    const least = Math.min(...some.map(({ misfits }) => misfits));
    return some.filter(({ misfits }) => misfits === least).map(({ frame }) => frame);
  };
  const permitted = candidates.filter(({ members }) => members.some((frame) => allowed.frame(frame)));
  return [...nearest(candidates), ...nearest(permitted)];
}

/** total_sessions of every answer to each query, in the order asked. */
function totalsByQuery({ judged, early }: Questions): Map<number, (number | null)[]> {
  const totals = new Map<number, (number | null)[]>();
  for (const { query, returned } of [...early, ...judged]) {
    const seen = totals.get(query) ?? [];
    totals.set(query, seen);
    seen.push(returned.totalSessions);
  }
  return totals;
}

/**
 * The most sessions of others that any answer to a query can have in it: what its totals show over the run's own. Since
 * the fields of one answer need not be of one instant, as many more again as came between two of its answers.
 */
function foreignIn(totals: readonly (number | null)[], own: number): number {
  let most = 0;
  let growth = 0;
  totals.forEach((total, index) => {
    if (total === null) most = Number.POSITIVE_INFINITY;
    else most = Math.max(most, total - own);
    const before = totals[index - 1];
    if (total !== null && before !== undefined && before !== null) growth = Math.max(growth, total - before);
  });
  return most + growth + 1;
}

function place<T>(all: readonly T[], index: number): T {
  const one = all[index];
  if (one === undefined) throw new Error(`nothing at ${index}`);
  return one;
}

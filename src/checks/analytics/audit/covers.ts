import type { Profile } from '../../../target/profile.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { dayMs } from '../../../vocabulary/quantities.ts';
import { type AskedPart, anyNumber, type Cover, compareSum, none, sessions } from '../compare/sums.ts';
import { isSame } from '../results/stability.ts';
import type { AskedQuestion, Audit } from './questions.ts';

/** A question, with others whose sessions it counts, each once, and as many others at least and at most. */
export interface AskedCover {
  readonly whole: AskedQuestion;
  readonly parts: readonly AskedQuestion[];
  readonly rest: Bounds;
}

/**
 * The answers of a cover; undefined unless all of them were right at one instant. Sessions are only ever added, and analytics may
 * lag by `freshness`. So an answer shows the account as it was at one instant in `[sent − freshness, answered]`, and what the
 * first round shows is no later, what the last round shows no sooner, than one instant between them if that is long enough.
 * Only then do the answers of several questions bound what all of them had to be at that instant.
 */
function coverOf({ profile }: Audit, { parts, rest, whole }: AskedCover): Cover | undefined {
  const rounds = [whole, ...parts].flatMap(({ first, last, query: { label: asked } }) =>
    first === undefined || last === undefined ? [] : { asked, first, last },
  );
  const latestFirstNs = Math.max(...rounds.map(({ first }) => first.answeredNs));
  const soonestLastNs = Math.min(...rounds.map(({ last }) => last.sentNs)) - profile.freshness * 1e6;
  const [all, ...others] = rounds.map(
    ({ asked, first, last }): AskedPart => ({
      ...{ asked, first: first.report, last: last.report, seqs: [first.seq, last.seq] },
    }),
  );
  return all === undefined || others.length < parts.length || latestFirstNs > soonestLastNs
    ? undefined
    : { whole: all, parts: others, rest };
}

interface Comparable {
  readonly covers: readonly Cover[];
  /** Those that cannot be compared. */
  readonly skipped: number;
}

/** The answers of covers, as far as they can be compared. */
export function comparable(audit: Audit, asked: readonly AskedCover[]): Comparable {
  const found = asked.map((cover) => coverOf(audit, cover));
  // A 4xx for an unknown product shows nothing about the others.
  const due = asked.filter(
    ({ parts }, at) => found[at] || !parts.some(({ subject }) => subject === 'unknown'),
  );
  const covers = found.filter((cover) => cover !== undefined);
  return { covers, skipped: due.length - covers.length };
}

/** Whether nothing about the questions of a cover moved from the first round to the last. */
export function isStill({ parts, whole }: Cover): boolean {
  return [whole, ...parts].every(({ first, last }) => isSame(first, last));
}

/** Questions within a question: a shorter period of the same product, or one product of all; however ends are meant. */
export function within({ questions }: Audit): AskedCover[] {
  const isWithin = (narrow: AskedQuestion, wide: AskedQuestion): boolean =>
    narrow !== wide &&
    (wide.query.productId === null || wide.query.productId === narrow.query.productId) &&
    Date.parse(wide.query.startDate) <= Date.parse(narrow.query.startDate) &&
    Date.parse(narrow.query.endDate) <= Date.parse(wide.query.endDate);
  return questions.flatMap((whole) =>
    questions.flatMap((part) => (isWithin(part, whole) ? { whole, parts: [part], rest: anyNumber } : [])),
  );
}

export const isSamePeriod = ({ query: one }: AskedQuestion, { query: other }: AskedQuestion): boolean =>
  one.startDate === other.startDate && one.endDate === other.endDate;

/** Periods that were requested for all products and for single ones. */
export function ofProducts({ questions }: Audit): AskedCover[] {
  return questions.flatMap((whole): AskedCover[] => {
    const parts = questions.filter(
      (part) => part.query.productId !== null && part.subject !== 'unknown' && isSamePeriod(part, whole),
    );
    return whole.query.productId !== null || parts.length === 0 ? [] : [{ whole, parts, rest: anyNumber }];
  });
}

/** Whether an end date belongs to its period. */
export type End = 'inclusive' | 'exclusive';
const ends: readonly End[] = ['inclusive', 'exclusive'];

const secondMs = 1_000;

/** Every period that was requested as a whole and in two parts, of the same product: where one ends, the other begins. */
function ofPeriods({ questions }: Audit, end: End): AskedCover[] {
  return [...Map.groupBy(questions, ({ query }) => query.productId).values()].flatMap((group) =>
    group.flatMap((left) =>
      group.flatMap((right): AskedCover[] => {
        if (ends.find((each) => meet(left, right, each)) !== end) return [];
        const whole = group.find(
          ({ query }) => query.startDate === left.query.startDate && query.endDate === right.query.endDate,
        );
        return whole === undefined || whole === left || whole === right
          ? []
          : [{ whole, parts: [left, right], rest: none }];
      }),
    ),
  );
}

/** Whether one period begins where the other ends, with nothing in between and nothing twice. */
function meet({ query: left }: AskedQuestion, { query: right }: AskedQuestion, end: End): boolean {
  if (end === 'exclusive') return left.endDate === right.startDate;
  const step = left.endDate.length > 10 ? secondMs : dayMs;
  return Date.parse(left.endDate) + step === Date.parse(right.startDate);
}

/** Whether the profile allows for ends to be so meant. */
export function allows({ end_date }: Profile['analytics'], end: End): boolean {
  return end_date === 'discover' || end_date === end;
}

/** Periods that were also requested in two parts, by what the end dates mean, and those that do not add up. */
interface Adjacency extends Comparable {
  readonly end: End;
  readonly broken: readonly Cover[];
}

export function adjacencies(audit: Audit): Adjacency[] {
  return ends.flatMap((end) => {
    const found = comparable(audit, ofPeriods(audit, end));
    const broken = found.covers.filter((cover) => compareSum(cover, sessions)?.isBroken);
    return found.covers.length === 0 ? [] : [{ ...found, end, broken }];
  });
}

/** Periods in two parts, under the meanings of end dates that the profile allows and under which every period adds up. */
export function fittingPeriods(audit: Audit): readonly Cover[] {
  return adjacencies(audit).flatMap(({ broken, covers, end }) =>
    broken.length === 0 && allows(audit.profile, end) ? covers : [],
  );
}

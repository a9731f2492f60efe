import type { Profile } from '../../../target/profile.ts';
import { dayMs } from '../../../vocabulary/quantities.ts';
import { anyNumber, type Cover, compareSum, none, sessions } from '../compare/sums.ts';
import { type AskedCover, type AskedQuestion, type Audit, comparable } from './questions.ts';

/** Which questions count what others count. */

/** Questions within a question: a shorter period of the same product, or one product of all; however ends are meant. */
export function within({ questions }: Audit): AskedCover[] {
  const isWithin = (narrow: AskedQuestion, wide: AskedQuestion): boolean =>
    narrow !== wide &&
    (wide.product === null || wide.product === narrow.product) &&
    Date.parse(wide.start) <= Date.parse(narrow.start) &&
    Date.parse(narrow.end) <= Date.parse(wide.end);
  return questions.flatMap((whole) =>
    questions.flatMap((part) => (isWithin(part, whole) ? { whole, parts: [part], rest: anyNumber } : [])),
  );
}

export const isSamePeriod = (one: AskedQuestion, other: AskedQuestion): boolean =>
  one.start === other.start && one.end === other.end;

/** Periods that were requested for all products and for single ones. */
export function ofProducts({ questions }: Audit): AskedCover[] {
  return questions.flatMap((whole): AskedCover[] => {
    const parts = questions.filter(
      (part) => part.product !== null && !part.isUnknown && isSamePeriod(part, whole),
    );
    return whole.product !== null || parts.length === 0 ? [] : [{ whole, parts, rest: anyNumber }];
  });
}

/** Whether an end date belongs to its period. */
export type End = 'inclusive' | 'exclusive';
export const ends: readonly End[] = ['inclusive', 'exclusive'];

const secondMs = 1_000;

/** Every period that was requested as a whole and in two parts, of the same product: where one ends, the other begins. */
function ofPeriods({ questions }: Audit, end: End): AskedCover[] {
  return [...Map.groupBy(questions, ({ product }) => product).values()].flatMap((group) =>
    group.flatMap((left) =>
      group.flatMap((right): AskedCover[] => {
        if (ends.find((each) => meet(left, right, each)) !== end) return [];
        const whole = group.find((each) => each.start === left.start && each.end === right.end);
        return whole === undefined || whole === left || whole === right
          ? []
          : [{ whole, parts: [left, right], rest: none }];
      }),
    ),
  );
}

/** Whether one period begins where the other ends, with nothing in between and nothing twice. */
function meet(left: AskedQuestion, right: AskedQuestion, end: End): boolean {
  if (end === 'exclusive') return left.end === right.start;
  const step = left.end.length > 10 ? secondMs : dayMs;
  return Date.parse(left.end) + step === Date.parse(right.start);
}

/** The day, `YYYY-MM-DD`, that a period is if ends are so meant; undefined for longer ones. */
export function singleDay(
  { start, end }: Pick<AskedQuestion, 'start' | 'end'>,
  meant: End,
): string | undefined {
  const lengthMs = Date.parse(end) - Date.parse(start);
  const wanted = meant === 'exclusive' ? dayMs : start.length > 10 ? dayMs - secondMs : 0;
  return lengthMs === wanted ? start.slice(0, 10) : undefined;
}

/** Whether the profile allows for ends to be so meant. */
export function allows({ end_date }: Profile['analytics'], end: End): boolean {
  return end_date === 'discover' || end_date === end;
}

/** Periods that were also requested in two parts, by what the end dates mean, and those that do not add up. */
interface Adjacency {
  readonly end: End;
  readonly all: readonly Cover[];
  readonly broken: readonly Cover[];
  readonly skipped: number;
}

export function adjacencies(audit: Audit): Adjacency[] {
  return ends.flatMap((end) => {
    const { covers: all, skipped } = comparable(audit, ofPeriods(audit, end));
    const broken = all.filter((cover) => compareSum(cover, sessions)?.isBroken);
    return all.length === 0 ? [] : [{ end, all, broken, skipped }];
  });
}

/** Periods in two parts, under the meanings of end dates that the profile allows and under which every period adds up. */
export function fittingPeriods(audit: Audit): readonly Cover[] {
  return adjacencies(audit).flatMap(({ all, broken, end }) =>
    broken.length === 0 && allows(audit.profile, end) ? all : [],
  );
}

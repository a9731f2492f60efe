import type { Profile } from '../../../target/profile.ts';
import { dayMs } from '../../../vocabulary/quantities.ts';
import type { AskedQuestion } from './audit.ts';

/** How the periods of two questions lie to each other, by their dates as sent. */

/** Whether an end date belongs to its period. */
export type End = 'inclusive' | 'exclusive';
export const ends: readonly End[] = ['inclusive', 'exclusive'];

/** A period with two that make it up: where one ends, the other begins. */
export interface SplitPeriod {
  readonly whole: AskedQuestion;
  readonly left: AskedQuestion;
  readonly right: AskedQuestion;
  /** How ends have to be meant for the two to make up the whole. */
  readonly end: End;
}

const secondMs = 1_000;

/** Every period that was requested as a whole and in two parts, of the same product. */
export function splitsOf(questions: readonly AskedQuestion[]): SplitPeriod[] {
  const splits: SplitPeriod[] = [];
  for (const group of Map.groupBy(questions, ({ product }) => product).values()) {
    for (const left of group) {
      for (const right of group) {
        const end = ends.find((each) => meet(left, right, each));
        if (end === undefined) continue;
        const whole = group.find((each) => each.start === left.start && each.end === right.end);
        if (whole !== undefined && whole !== left && whole !== right)
          splits.push({ whole, left, right, end });
      }
    }
  }
  return splits;
}

/** Whether one period begins where the other ends, with nothing in between and nothing twice. */
function meet(left: AskedQuestion, right: AskedQuestion, end: End): boolean {
  if (end === 'exclusive') return left.end === right.start;
  const step = left.end.length > 10 ? secondMs : dayMs;
  return Date.parse(left.end) + step === Date.parse(right.start);
}

/** Whether everything in one period of the same product, or of one product, is in the other however ends are meant. */
export function isWithin(narrow: AskedQuestion, wide: AskedQuestion): boolean {
  return (
    narrow !== wide &&
    (wide.product === null || wide.product === narrow.product) &&
    Date.parse(wide.start) <= Date.parse(narrow.start) &&
    Date.parse(narrow.end) <= Date.parse(wide.end)
  );
}

/** The day, `YYYY-MM-DD`, that a period is if ends are so meant; undefined for longer ones. */
export function singleDay(
  { start, end }: Pick<AskedQuestion, 'start' | 'end'>,
  meant: End,
): string | undefined {
  const day = start.slice(0, 10);
  const lengthMs = Date.parse(end) - Date.parse(start);
  const wanted = meant === 'exclusive' ? dayMs : start.length > 10 ? dayMs - secondMs : 0;
  return lengthMs === wanted ? day : undefined;
}

/** Whether the profile allows for ends to be so meant. */
export function allows({ end_date }: Profile['analytics'], end: End): boolean {
  return end_date === 'discover' || end_date === end;
}

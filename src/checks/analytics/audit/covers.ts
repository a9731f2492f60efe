import type { Profile } from '../../../target/profile.ts';
import { dayMs } from '../../../vocabulary/quantities.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import {
  anyNumber,
  type ComparedSum,
  type Cover,
  compareSum,
  none,
  type Sum,
  sessions,
} from '../compare/sums.ts';
import { type AskedQuestion, type Audit, haveCommonInstant, seqsOf, spanOf } from './questions.ts';

/** Which questions count what others count. */

/** A question, with others whose sessions it counts, each once: exactly those, or more. */
export interface AuditCover {
  readonly whole: AskedQuestion;
  readonly parts: readonly AskedQuestion[];
  readonly isExact: boolean;
}

/** Questions within a question: a shorter period of the same product, or one product of all. */
export function within({ questions }: Audit): AuditCover[] {
  return questions.flatMap((whole) =>
    questions.flatMap((part) => (isWithin(part, whole) ? { whole, parts: [part], isExact: false } : [])),
  );
}

/** However ends are meant. */
function isWithin(narrow: AskedQuestion, wide: AskedQuestion): boolean {
  return (
    narrow !== wide &&
    (wide.product === null || wide.product === narrow.product) &&
    Date.parse(wide.start) <= Date.parse(narrow.start) &&
    Date.parse(narrow.end) <= Date.parse(wide.end)
  );
}

/** Periods that were requested for all products and for single ones. A 4xx for an unknown product shows nothing about the others. */
export function ofProducts({ questions }: Audit): AuditCover[] {
  return questions.flatMap((whole): AuditCover[] => {
    const parts = questions.filter(
      ({ end, isUnknown, product, start }) =>
        product !== null && !isUnknown && start === whole.start && end === whole.end,
    );
    return whole.product !== null || parts.length === 0 ? [] : [{ whole, parts, isExact: false }];
  });
}

/** Whether an end date belongs to its period. */
export type End = 'inclusive' | 'exclusive';
export const ends: readonly End[] = ['inclusive', 'exclusive'];

const secondMs = 1_000;

/** Every period that was requested as a whole and in two parts, of the same product: where one ends, the other begins. */
export function ofPeriods({ questions }: Audit, end: End): AuditCover[] {
  return [...Map.groupBy(questions, ({ product }) => product).values()].flatMap((group) =>
    group.flatMap((left) =>
      group.flatMap((right): AuditCover[] => {
        if (ends.find((each) => meet(left, right, each)) !== end) return [];
        const whole = group.find((each) => each.start === left.start && each.end === right.end);
        return whole === undefined || whole === left || whole === right
          ? []
          : [{ whole, parts: [left, right], isExact: true }];
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

/** Whether all of its answers were right at one instant. */
export function isComparable(audit: Audit, { parts, whole }: AuditCover): boolean {
  return haveCommonInstant(audit, [whole, ...parts]);
}

export function coverOf({ isExact, parts, whole }: AuditCover): Cover {
  return { whole: spanOf(whole), parts: parts.map(spanOf), rest: isExact ? none : anyNumber };
}

/** What the answers of a cover say of a number. They are reports: every field is there. */
export function compared(cover: AuditCover, sum: Sum): ComparedSum {
  const found = compareSum(coverOf(cover), sum);
  if (found === undefined) throw new Error('a report lacks a field');
  return found;
}

/** Nothing and nothing is nothing, whatever is added up. */
export function isEmpty(cover: AuditCover): boolean {
  const { parts, whole } = compared(cover, sessions);
  return parts.max === 0 && whole.max === 0;
}

export function brokenSum(cover: AuditCover, sum: Sum, maybeEachDay = false): Reason {
  const { parts, whole } = compared(cover, sum);
  return reason('sum-broken', {
    sku: sum.sku,
    whole: cover.whole.asked,
    total: whole,
    parts: cover.parts.map((part) => ({
      name: part.asked,
      count: compared({ whole: part, parts: [], isExact: false }, sum).whole,
    })),
    sum: parts,
    isExact: cover.isExact,
    maybeEachDay,
  });
}

export const seqsIn = ({ parts, whole }: AuditCover): number[] => seqsOf([...parts, whole]);

/** Two parts of each period with what the end dates mean, and those that do not add up. */
export interface Adjacency {
  readonly end: End;
  readonly all: readonly AuditCover[];
  readonly broken: readonly AuditCover[];
  readonly skipped: number;
}

/** Adds up every period that was also requested in two parts, for each meaning of end dates. */
export function adjacencies(audit: Audit): Adjacency[] {
  return ends.flatMap((end) => {
    const ofEnd = ofPeriods(audit, end);
    const all = ofEnd.filter((cover) => isComparable(audit, cover));
    const broken = all.filter((cover) => compared(cover, sessions).isBroken);
    return all.length === 0 ? [] : [{ end, all, broken, skipped: ofEnd.length - all.length }];
  });
}

/** Periods in two parts, under the meanings of end dates that the profile allows and under which every period adds up. */
export function fittingPeriods(audit: Audit): readonly AuditCover[] {
  return adjacencies(audit).flatMap(({ all, broken, end }) =>
    broken.length === 0 && allows(audit.profile, end) ? all : [],
  );
}

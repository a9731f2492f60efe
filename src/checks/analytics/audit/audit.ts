import type { Profile } from '../../../target/profile.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { dayMs } from '../../../vocabulary/quantities.ts';
import type { AskedPeriod } from '../../reasons/audit.ts';
import type { Convention } from '../causes/row.ts';
import type { AuditRecord, Report } from './records.ts';

/** One readable answer to a question. */
export interface AuditRead {
  readonly seq: number;
  readonly phase: string;
  readonly sentNs: number;
  readonly answeredNs: number;
  readonly report: Report;
}

/** One distinct question of an audit's rounds, with its answers. */
export interface AskedQuestion {
  readonly start: string;
  readonly end: string;
  /** Null: all products. */
  readonly product: string | null;
  readonly asked: AskedPeriod;
  /** In the order asked. */
  readonly reads: readonly AuditRead[];
  /** Its answers in the first and in the last round. */
  readonly first: AuditRead | undefined;
  readonly last: AuditRead | undefined;
  /** Of a product without any session. */
  readonly isUnknown: boolean;
  /** Of the product of the audit's own session alone. */
  readonly isOwn: boolean;
}

/** What the relations are judged on. */
export interface Audit {
  readonly records: readonly AuditRecord[];
  readonly questions: readonly AskedQuestion[];
  readonly profile: Profile['analytics'];
  readonly clock: ZeroByTarget;
  /** No write of the run was left without an answer, so none can still be on its way. */
  readonly isSettled: boolean;
  /** Sessions that redeliveries of the audit's own requests may have created. */
  readonly mostUngranted: number;
  /** Whether the profile tells a convention, and not the reference service its own. */
  wasTold(convention: Convention): boolean;
}

/** When the run's zero was by the target's clock, epoch ms: at some instant in an interval. */
interface ZeroByTarget {
  readonly zeroMs: Bounds;
}

/** Sorts the requests of an audit by what they asked. */
export function auditOf(
  records: readonly AuditRecord[],
  profile: Profile['analytics'],
  clock: ZeroByTarget,
  {
    redeliveries = 0,
    wasTold = () => true,
  }: { readonly redeliveries?: number; readonly wasTold?: Audit['wasTold'] } = {},
): Audit {
  const own = records.find(({ probe }) => probe === 'audit:session')?.productId ?? null;
  const inRounds = records.filter(
    ({ endpoint, phase }) => endpoint === 'analytics' && rounds.includes(phase),
  );
  const questions = [...Map.groupBy(inRounds, ({ query }) => JSON.stringify(query)).values()].map((group) =>
    questionOf(group, own),
  );
  const isSettled = !records.some(
    ({ endpoint, sentNs, status }) => endpoint !== 'analytics' && sentNs !== null && status === null,
  );
  const mostUngranted = redeliveries * records.filter(({ probe }) => probe === 'audit:session').length;
  return { records, questions, profile, clock, isSettled, mostUngranted, wasTold };
}

const rounds: readonly string[] = [
  studyPhases.auditFirst,
  studyPhases.auditReread,
  studyPhases.auditOrder,
  studyPhases.auditLast,
];

function questionOf(records: readonly AuditRecord[], own: string | null): AskedQuestion {
  const [example] = records;
  const { end_date: end = '', product_id: product = null, start_date: start = '' } = example?.query ?? {};
  const reads = records.flatMap(({ answeredNs, phase, report, sentNs, seq }): AuditRead[] =>
    report === null || sentNs === null || answeredNs === null
      ? []
      : [{ seq, phase, sentNs, answeredNs, report }],
  );
  return {
    start,
    end,
    product,
    asked: { product, from: start, to: end },
    reads,
    first: reads.find(({ phase }) => phase === studyPhases.auditFirst),
    last: reads.find(({ phase }) => phase === studyPhases.auditLast),
    isUnknown: example?.probe === 'audit:unknown-product',
    isOwn: own !== null && product === own,
  };
}

/**
 * Sessions are only ever added, and analytics may lag by `freshness`. So an answer shows the account as it was at one
 * instant in `[sent − freshness, answered]`, and what the first round shows is no later, what the last round shows no
 * sooner, than one instant between them if that is long enough. Only then do the answers of several questions bound
 * what all of them had to be at that instant.
 */
export function haveCommonInstant({ profile }: Audit, questions: readonly AskedQuestion[]): boolean {
  let latestFirstNs = Number.NEGATIVE_INFINITY;
  let soonestLastNs = Number.POSITIVE_INFINITY;
  for (const { first, last } of questions) {
    if (first === undefined || last === undefined) return false;
    latestFirstNs = Math.max(latestFirstNs, first.answeredNs);
    soonestLastNs = Math.min(soonestLastNs, last.sentNs - profile.freshness * 1e6);
  }
  return latestFirstNs <= soonestLastNs;
}

/** What a number of a question was at the common instant: others may have been at work meanwhile. */
export function between({ first, last }: AskedQuestion, of: (report: Report) => number): Bounds {
  if (first === undefined || last === undefined) throw new Error('not answered in both rounds');
  const [one, other] = [of(first.report), of(last.report)];
  return { min: Math.min(one, other), max: Math.max(one, other) };
}

/** What a question was answered, if nothing about it moved from the first round to the last. */
export function standing({ first, last }: AskedQuestion): Report | undefined {
  return first !== undefined && last !== undefined && isSame(first.report, last.report)
    ? first.report
    : undefined;
}

/** Alike in every field, the order of top_shades included. */
export function isSame(a: Report, b: Report): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export const sessionsOf = (report: Report): number => report.sessions;

/** The requests that show something: the answers of the first and of the last round. */
export function seqsOf(questions: readonly AskedQuestion[]): number[] {
  return questions.flatMap(({ first, last }) => [first, last].flatMap((read) => (read ? [read.seq] : [])));
}

/** A period of all products, with every single product that was requested over it. */
interface QuestionFamily {
  readonly whole: AskedQuestion;
  readonly products: readonly AskedQuestion[];
}

/** Periods that were requested for all products and for single ones. */
export function familiesOf({ questions }: Audit): QuestionFamily[] {
  return questions
    .filter(({ product }) => product === null)
    .map((whole) => ({
      whole,
      products: questions.filter(
        ({ end, isUnknown, product, start }) =>
          product !== null && !isUnknown && start === whole.start && end === whole.end,
      ),
    }))
    .filter(({ products }) => products.length > 0);
}

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

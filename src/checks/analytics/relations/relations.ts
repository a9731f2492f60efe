import type { Suspect } from '../../causes/cause.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { AnswerRow } from '../compare/rows.ts';

/** Relations between answers, which need no ground truth: what they share. */

/** A judgement on one relation, with the requests that show it. */
export interface Relation {
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  readonly seqs?: readonly number[];
  /** Of a failure: what it shows by itself. */
  readonly causes?: readonly Suspect[];
}

/** An unfiltered answer with the filtered ones of the same key and period. */
interface AnswerFamily {
  readonly whole: AnswerRow | undefined;
  readonly products: readonly AnswerRow[];
}

/** Families of the last answers to each query, so that re-reads are not counted twice. */
export function families(rows: readonly AnswerRow[]): AnswerFamily[] {
  const last = new Map(rows.map((row) => [row.query.index, row]));
  const groups = Map.groupBy(last.values(), ({ query }) =>
    JSON.stringify([query.credential, query.startDate, query.endDate]),
  );
  return [...groups.values()].map((group) => ({
    whole: group.find((row) => row.query.productId === null),
    products: group.filter((row) => row.query.productId !== null),
  }));
}

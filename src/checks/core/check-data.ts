import type { OperationCoverage } from '../../target/openapi/hold.ts';
import type { Contradiction } from '../../target/openapi/schemas.ts';
import type { Interval } from '../../vocabulary/bounds.ts';
import type { CheckId } from '../../vocabulary/check-ids.ts';

/** Whether what headers state can be true. */
export type HeaderTruth = 'not-said' | 'consistent' | 'contradicted';

/** How often requests with two reasons for rejection got which status: another one, or that of the rate limit. */
export interface OrderCounts {
  readonly otherStatus: number;
  readonly limitStatus: number;
  readonly others: number;
  readonly limited: number;
}

/** What headers say of the limit, in one dialect with one policy. */
export interface DialectData {
  readonly dialect: string;
  readonly policy: string;
  readonly answers: number;
  readonly of_them_429: number;
  readonly limits: readonly number[];
  readonly windows_s: readonly number[];
  readonly reset_as: readonly ('time-from-now' | 'point-in-time')[];
  /** `other-policy`: a limit over another window than the promised one. */
  readonly limit: 'not-said' | 'as-promised' | 'other-policy' | 'contradicted';
  readonly remaining: HeaderTruth;
  readonly reset: HeaderTruth;
  /** Requests that headers count and this run did not send. */
  readonly unexplained: number;
}

/** What checks found, for code that builds on it: sentences, `expected` and `observed` are for people alone. */
export interface CheckData {
  /** Each operation of the description, and those that answered without being in it. */
  readonly 'contract.openapi': {
    readonly operations: readonly OperationCoverage[];
    /** At most a hundred. */
    readonly contradictions: readonly Contradiction[];
  };
  /** The most admitted within any window, for each stream. */
  readonly 'rate-limit.admitted': { readonly most: readonly Interval[] };
  /** Kinds of limiter that the result names. */
  readonly 'rate-limit.enforced': { readonly kinds: readonly string[] };
  /** Kinds of limiter that are still possible, the likeliest first. */
  readonly 'rate-limit.algorithm': { readonly possible: readonly string[] };
  readonly 'rate-limit.headers': { readonly dialects: readonly DialectData[] };
  /** By kind of request. */
  readonly 'rate-limit.order': { readonly orders: Readonly<Record<string, OrderCounts>> };
}
export type CheckDataId = keyof CheckData & CheckId;

interface WithData {
  readonly id: CheckId;
  readonly data?: CheckData[CheckDataId];
}

/** A result with its data. */
export function withData<Id extends CheckDataId, Result extends WithData>(
  id: Id,
  result: Result,
  data: CheckData[Id],
): Result {
  if (result.id !== id) throw new Error(`data of ${id} for a result of ${result.id}`);
  return { ...result, data };
}

/** The data of a check; undefined where it was not made, or had nothing to tell. */
export function dataOf<Id extends CheckDataId>(
  results: readonly WithData[],
  id: Id,
): CheckData[Id] | undefined {
  // `withData` is the only place where data is given.
  return results.find((result) => result.id === id)?.data as CheckData[Id] | undefined;
}

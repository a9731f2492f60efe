import type { OperationCoverage } from '../../target/openapi/hold.ts';
import type { Contradiction } from '../../target/openapi/schemas.ts';
import type { Interval } from '../../vocabulary/bounds.ts';
import type { CheckId } from '../../vocabulary/check-ids.ts';
import type { TitleParams } from '../catalogue/check-catalogue.ts';
import { caused, type Suspect } from '../causes/cause.ts';
import { firstReasons, type Reason } from '../reasons/reason.ts';

/** The three verdicts. `inconclusive`: the history cannot back a pass or a fail. */
export type Verdict = 'pass' | 'fail' | 'inconclusive';

const severity: Readonly<Record<Verdict, number>> = { pass: 0, inconclusive: 1, fail: 2 };

/** fail > inconclusive > pass. Nothing to merge is inconclusive: a check that saw no data has not passed. */
export function mergeVerdicts(verdicts: Iterable<Verdict>): Verdict {
  let worst: Verdict | undefined;
  for (const verdict of verdicts) {
    if (worst === undefined || severity[verdict] > severity[worst]) worst = verdict;
  }
  return worst ?? 'inconclusive';
}

/** What a check expected or saw: a plain value, an interval, or a small table of them. */
export type Shown =
  | string
  | number
  | boolean
  | null
  | Interval
  | readonly Shown[]
  | { readonly [name: string]: Shown };

/** A place in the history: requests by their `seq`, and what they show. At most a handful; `total` says how many there are. */
export interface Evidence {
  readonly what: string;
  readonly seqs: readonly number[];
  readonly total: number;
}

/** What a check returns: data alone. `render.ts` puts it into words. */
export interface CheckFinding {
  readonly id: CheckId;
  /** What the title depends on, where it does. */
  readonly titleParams?: TitleParams;
  readonly verdict: Verdict;
  /** Left out: what its title says. */
  readonly expected?: Shown;
  readonly observed: Shown;
  /** Why this verdict, and for a failure what is wrong. */
  readonly reasons: readonly Reason[];
  readonly evidence?: readonly Evidence[];
  /** What code builds on. */
  readonly data?: CheckData[CheckDataId];
  /** Of a failure: what may be its cause, as far as this check can tell. */
  readonly causes?: readonly Suspect[];
}

/** The part of a finding that a rule decides. */
export type Conclusion = Pick<CheckFinding, 'verdict' | 'reasons' | 'causes'>;

/** A finding in words. Serialises as it stands into `verdicts.json`. */
export interface CheckResult extends CheckFinding {
  readonly expected: Shown;
  readonly evidence: readonly Evidence[];
  readonly title: string;
  /** A sentence or two for the reader: the reasons. */
  readonly explanation: string;
}

/** How many `seq`s an `Evidence` names at most. */
export const evidenceLimit = 10;

/** Evidence from all the `seq`s that show something, cut to the first few. */
export function evidence(what: string, seqs: readonly number[]): Evidence {
  return { what, seqs: seqs.slice(0, evidenceLimit), total: seqs.length };
}

/** One thing that a check finds wrong: where it is seen, how it is told, and what may be its cause. */
export interface Wrong extends Evidence {
  readonly reason: Reason;
  readonly cause?: Suspect;
}

/** What such a check has seen. `judged`: how many answers; `expected`: what its title says, unless it is given. */
interface CountedWrongs {
  readonly id: CheckId;
  readonly judged: number;
  readonly expected?: Shown;
  readonly observed: Shown;
  readonly wrong: readonly (Wrong | undefined)[];
  readonly passed: () => Reason | readonly Reason[];
  readonly nothing: () => Reason | readonly Reason[];
}

/** A check fails where anything is wrong, and passes where something was judged and nothing is. */
export function counted({ judged, nothing, passed, wrong, ...finding }: CountedWrongs): CheckFinding {
  const found = wrong.flatMap((each) => (each === undefined || each.total === 0 ? [] : [each]));
  const verdict = found.length > 0 ? 'fail' : judged > 0 ? 'pass' : 'inconclusive';
  return {
    ...finding,
    verdict,
    reasons:
      verdict === 'fail'
        ? firstReasons(found.map(({ reason }) => reason))
        : [verdict === 'pass' ? passed() : nothing()].flat(),
    evidence: found.map(({ seqs, total, what }) => ({ what, seqs: seqs.slice(0, evidenceLimit), total })),
    ...caused(found.flatMap(({ cause }) => cause ?? [])),
  };
}

/** The same, and none where nothing shows it. */
export function evidenceIfAny(what: string, seqs: readonly number[]): Evidence[] {
  return seqs.length === 0 ? [] : [evidence(what, seqs)];
}

/** Findings that judge one check by different requests, as one: the worst verdict, with the words and the causes of those that have it. */
export function mergedById(findings: readonly CheckFinding[]): CheckFinding[] {
  return [...Map.groupBy(findings, ({ id }) => id).values()].map((alike) => {
    const [first] = alike;
    const verdict = mergeVerdicts(alike.map((each) => each.verdict));
    const [worst = first, ...others] = alike.filter((each) => each.verdict === verdict);
    if (worst === undefined || first === undefined) throw new Error('a group has no finding');
    const causes = [...(worst.causes ?? []), ...others.flatMap((each) => each.causes ?? [])];
    return {
      ...worst,
      reasons: [...worst.reasons, ...others.flatMap(({ reasons }) => reasons)],
      evidence: [...(worst.evidence ?? []), ...others.flatMap(({ evidence: more = [] }) => more)],
      ...(causes.length > 0 && { causes }),
    };
  });
}

/** A finding with more reasons after its own. */
export function withReasons(finding: CheckFinding, ...more: readonly Reason[]): CheckFinding {
  return { ...finding, reasons: [...finding.reasons, ...more] };
}

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

import type { FaultCode, RemarkCode } from '../../reasons/rate-limit/headers.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { FittedKinds } from '../../reasons/words/limits.ts';

/** A reason without what its speaker adds: the dialect, the policy and the number of answers. */
type Unsaid<R extends Reason> = R extends { readonly code: infer Code; readonly params: infer P }
  ? { readonly code: Code; readonly params: Omit<P, 'dialect' | 'policy' | 'answers'> }
  : never;

/** What headers say that cannot be. */
export type Wrong = Unsaid<Extract<Reason, { readonly code: FaultCode }>>;
/** What is unusual or unhelpful, and not wrong. */
export type Remark = Unsaid<Extract<Reason, { readonly code: RemarkCode }>>;

/** Something wrong, with the `seq`s of the requests that show it. */
export interface HeaderFault<What = Wrong> {
  readonly what: What;
  readonly seqs: readonly number[];
}

/** Values beside those that the fitted limiter can have had. */
export interface HeldValues {
  readonly fitted: FittedKinds;
  readonly compared: number;
  /** Beyond doubt more than it can have had, or less: `seq`s of the answers. */
  readonly above: readonly number[];
  readonly below: readonly number[];
  /** By how much at the most: requests, or milliseconds. */
  readonly aboveBy: number;
  readonly belowBy: number;
}

/** What a check found out about one policy of one dialect. */
export interface HeaderFinding {
  /** Values that there was something to compare with. */
  readonly compared: number;
  readonly faults: readonly HeaderFault[];
  readonly remarks: readonly Remark[];
  /** Places that were surely taken beyond what this run sent, on the key and endpoint where that is most. */
  readonly unexplained?: number;
  /** What the fitted limiter says of the values; absent where none is known. */
  readonly held?: HeldValues | undefined;
}

/** How often something unusual has to occur before it counts: once may be due to another user. */
export const repeatedly = 3;

/** A fault, if enough requests show it. */
export function faultIfRepeated<What>(
  seqs: readonly number[],
  what: What,
  times = repeatedly,
): HeaderFault<What>[] {
  return seqs.length < times ? [] : [{ what, seqs }];
}

/** The findings on several keys and endpoints as one; what is said of several is said once. */
export function mergeFindings(findings: readonly HeaderFinding[]): HeaderFinding {
  const byWhat = Map.groupBy(
    findings.flatMap(({ faults }) => faults),
    ({ what }) => JSON.stringify(what),
  );
  return {
    compared: findings.reduce((sum, { compared }) => sum + compared, 0),
    faults: [...byWhat.values()].flatMap(mergeFaults),
    remarks: unique(findings.flatMap(({ remarks }) => remarks)),
    held: mergeHeld(findings.flatMap(({ held }) => held ?? [])),
    unexplained: findings.reduce((most, { unexplained = 0 }) => Math.max(most, unexplained), 0),
  };
}

function mergeFaults(same: readonly HeaderFault[]): HeaderFault[] {
  const seqs = same.flatMap((each) => each.seqs);
  return same.slice(0, 1).map(({ what }) => ({ what, seqs }));
}

/** The different values among plain data. */
export function unique<Value>(values: readonly Value[]): Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

function mergeHeld(all: readonly HeldValues[]): HeldValues | undefined {
  if (all.length === 0) return undefined;
  return {
    fitted: mergeFitted(all.map(({ fitted }) => fitted)),
    compared: all.reduce((sum, { compared }) => sum + compared, 0),
    above: all.flatMap(({ above }) => above),
    below: all.flatMap(({ below }) => below),
    aboveBy: Math.max(...all.map(({ aboveBy }) => aboveBy)),
    belowBy: Math.max(...all.map(({ belowBy }) => belowBy)),
  };
}

/** The limiters of several keys, all of the promised size. */
export function mergeFitted(all: readonly FittedKinds[]): FittedKinds {
  const [first] = all;
  if (first === undefined) throw new Error('there is nothing to merge');
  return { ...first, kinds: unique(all.flatMap(({ kinds }) => kinds)) };
}

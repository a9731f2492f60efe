/** Something that headers say and that cannot be. */
export interface Fault {
  /** A clause for the reader, without a full stop and the same for every key: "the reset is negative". */
  readonly what: string;
  /** `seq`s of the requests that show it. */
  readonly seqs: readonly number[];
}

/** Values beside those that the fitted limiter can have had. */
export interface HeldValues {
  readonly labels: readonly string[];
  readonly compared: number;
  /** Beyond doubt more than it can have had, or less: `seq`s of the answers. */
  readonly above: readonly number[];
  readonly below: readonly number[];
}

/** What a check found out about one policy of one dialect. */
export interface Finding {
  /** Values that something was there to compare with. */
  readonly compared: number;
  readonly faults: readonly Fault[];
  /** What is odd or unhelpful and yet not false, each a clause. */
  readonly remarks: readonly string[];
  /** Places that were surely taken beyond what this run sent, on the key and endpoint where that is most. */
  readonly unexplained?: number;
  /** What the fitted limiter says of the values; absent where none is known. */
  readonly held?: HeldValues | undefined;
}

/** An oddity has to show itself so often before it counts: once may be somebody else's doing. */
export const repeatedly = 3;

/** A fault, if there are so many requests that show it. */
export function faultIfRepeated(seqs: readonly number[], what: string, times = repeatedly): Fault[] {
  return seqs.length < times ? [] : [{ what, seqs }];
}

/** The findings on several keys and endpoints as one; what is said of several is said once. */
export function mergeFindings(findings: readonly Finding[]): Finding {
  const byWhat = Map.groupBy(
    findings.flatMap(({ faults }) => faults),
    ({ what }) => what,
  );
  return {
    compared: findings.reduce((sum, { compared }) => sum + compared, 0),
    faults: [...byWhat].map(([what, same]) => ({ what, seqs: same.flatMap(({ seqs }) => seqs) })),
    remarks: [...new Set(findings.flatMap(({ remarks }) => remarks))],
    held: mergeHeld(findings.flatMap(({ held }) => held ?? [])),
    unexplained: findings.reduce((most, { unexplained = 0 }) => Math.max(most, unexplained), 0),
  };
}

function mergeHeld(all: readonly HeldValues[]): HeldValues | undefined {
  if (all.length === 0) return undefined;
  return {
    labels: [...new Set(all.flatMap(({ labels }) => labels))],
    compared: all.reduce((sum, { compared }) => sum + compared, 0),
    above: all.flatMap(({ above }) => above),
    below: all.flatMap(({ below }) => below),
  };
}

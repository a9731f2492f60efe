import type { FaultParams } from '../../model/faults/fault.ts';
import type { ModelCause, ModelRow } from '../../model/faults/table.ts';
import type { CheckGroup, CheckId } from '../../vocabulary/check-ids.ts';
import { countCauses, countSymptoms } from './analytics-counts.ts';
import { valueCauses } from './analytics-values.ts';
import { answerCauses } from './answers.ts';
import type { CauseKind, Params } from './kind.ts';
import { latencyCauses } from './latency.ts';
import { quotaCauses } from './quota.ts';
import { rateLimitCauses } from './rate-limit.ts';
import { rateLimitAnswerCauses } from './rate-limit-answers.ts';
import { rateLimitSymptoms } from './rate-limit-symptoms.ts';
import { type RowParams, rowCauses, rowParams } from './rows.ts';
import { runCauses } from './run.ts';
import { sessionCauses } from './sessions.ts';
import { catalogCauses, keyCauses } from './under-load.ts';

/** Every cause that a check can name, by its code. The order decides between causes that are equally likely. */
export const causeKinds = {
  ...rowCauses,
  ...runCauses,
  ...keyCauses,
  ...catalogCauses,
  ...sessionCauses,
  ...answerCauses,
  ...quotaCauses,
  ...rateLimitCauses,
  ...rateLimitAnswerCauses,
  ...rateLimitSymptoms,
  ...countCauses,
  ...valueCauses,
  ...countSymptoms,
  ...latencyCauses,
} as const;

/** What the causes of each table are about. */
const areas: readonly (readonly [CheckGroup, object])[] = [
  ['generator', runCauses],
  ['contract', { ...keyCauses, ...catalogCauses, ...sessionCauses, ...answerCauses }],
  ['quota', quotaCauses],
  ['rate-limit', { ...rateLimitCauses, ...rateLimitAnswerCauses, ...rateLimitSymptoms }],
  ['analytics', { ...countCauses, ...valueCauses, ...countSymptoms }],
  ['latency', latencyCauses],
];

type Kinds = typeof causeKinds;
export type CauseCode = keyof Kinds;
type CauseParams<Code extends CauseCode> = Kinds[Code] extends CauseKind<infer P> ? P : never;

/** What makes a target (or a run) break a promise: a code of the catalogue with its parameters. */
export type Cause =
  | { readonly [Code in CauseCode]: { readonly code: Code; readonly params: CauseParams<Code> } }[CauseCode]
  /** A row of the model: other checks may name the same cause with parameters of theirs. */
  | { readonly code: ModelCause; readonly params: RowParams };

/**
 * How strongly a check points at a cause. `shown`: what was seen has no other explanation that the check knows of.
 * `fits`: it explains what was seen, and so may something else.
 */
export type Certainty = 'shown' | 'fits';
/** `loose`: it fits, but so would much else; what says more comes first. */
export type Strength = Certainty | 'loose';

/** A cause as one check sees it. */
export interface Suspect {
  readonly cause: Cause;
  readonly strength: Strength;
  /** Requests that show the cause best, at most a handful: the reproduction is made of them. */
  readonly seqs?: readonly number[];
}

/** A cause that is the only explanation a check knows of. */
export function shown<Code extends CauseCode>(
  code: Code,
  params: CauseParams<Code>,
  seqs?: readonly number[],
): Suspect {
  return suspect(code, params, 'shown', seqs);
}

/** A cause that explains what a check saw, as others may. */
export function fits<Code extends CauseCode>(
  code: Code,
  params: CauseParams<Code>,
  seqs?: readonly number[],
): Suspect {
  return suspect(code, params, 'fits', seqs);
}

function suspect<Code extends CauseCode>(
  code: Code,
  params: CauseParams<Code>,
  strength: Strength,
  seqs: readonly number[] | undefined,
): Suspect {
  // The union is made of exactly such pairs.
  const cause = { code, params } as Cause;
  return { cause, strength, ...(seqs === undefined || seqs.length === 0 ? {} : { seqs: seqs.slice(0, 4) }) };
}

/** A cause that a row of the model explains: its words are those of the row. */
export function explainedBy(
  row: ModelRow,
  params: FaultParams,
  strength: Strength,
  seqs: readonly number[],
): Suspect {
  const cause: Cause = { code: row.cause, params: rowParams(row, params) };
  return { cause, strength, ...(seqs.length > 0 && { seqs: seqs.slice(-4) }) };
}

/** Whether a row of the model says it. */
export const isRow = (cause: Cause): cause is { readonly code: ModelCause; readonly params: RowParams } =>
  'sentence' in cause.params;

/** For a check's result: its suspects, if it has any, each cause once. */
export function caused(suspects: readonly Suspect[]): { readonly causes?: readonly Suspect[] } {
  const causes = new Map(suspects.toReversed().map((each) => [keyOf(each.cause), each]));
  return causes.size === 0 ? {} : { causes: [...causes.values()].toReversed() };
}

/** Checks that see the same cause may see other parts of it: what makes two causes one is their code and what it is about. */
export function keyOf(cause: Cause): string {
  return `${cause.code} ${isRow(cause) ? '' : (kindOf(cause).about?.(cause.params) ?? '')}`;
}

/** The catalogue's entry for a cause. */
export function kindOf({ code }: Cause): CauseKind<Params> {
  const entry: CauseKind<never> = causeKinds[code];
  return entry as CauseKind<Params>;
}

/** The cause in one sentence. */
export function causeText(cause: Cause, certainty: Certainty): string {
  if (isRow(cause)) return cause.params.sentence;
  const { text } = kindOf(cause);
  return typeof text === 'string' ? text : text(cause.params, certainty);
}

/** What usually lies behind it: of a row of the model, of that very row. */
export function behindOf(cause: Cause): string {
  return isRow(cause) ? cause.params.behind : kindOf(cause).behind;
}

export function areaOf(cause: Cause): CheckGroup {
  const [area = 'contract'] = areas.find(([, causes]) => cause.code in causes) ?? [];
  return kindOf(cause).area ?? area;
}

/** Codes of what is only a symptom of the cause. */
export function symptomsOf(cause: Cause): readonly string[] {
  const { alsoCovers, covers = [] } = kindOf(cause);
  return [...covers, ...(alsoCovers?.(cause.params) ?? [])];
}

/** Checks that fail as a consequence of the cause, beside those that name it. */
export function consequencesOf(cause: Cause): readonly CheckId[] {
  return kindOf(cause).explains;
}

import { catalogue, type FieldName, fieldNames } from './catalogue.ts';
import {
  type ClassFacts,
  type Field,
  isPair,
  type Need,
  type Reach,
  reaches,
  type TextClass,
  type ValueClass,
} from './value-class.ts';

/** A value that was sent, and what became of the requests that carried it. */
export interface SentValue<Value> {
  readonly value: Value;
  /**
   * Where the value belongs: the catalog of a shade, whose imports carried all its shades. Two values of one scope can be a pair.
   * Empty where each value has separate requests.
   */
  readonly scope: string;
  readonly requests: number;
  /** Answered with success. */
  readonly accepted: number;
  /** Answered with a 4xx other than 429. */
  readonly rejected: number;
}

/** All values that a run sent, by field. */
export type SentValues = {
  readonly [Name in FieldName]: readonly SentValue<
    (typeof catalogue)[Name]['kind'] extends 'text' ? string : number
  >[];
};

/** What a run was able to reach. */
export interface Circumstances {
  /** How far the scenario goes; undefined for a run without probes, or of a version without this catalogue. */
  readonly reach: Reach | undefined;
  /** What the run had. */
  readonly has: ReadonlySet<Need>;
  /** The run ended before its time. */
  readonly cutOff: boolean;
  /** A cap or a budget may have left out parts. */
  readonly isCapped: boolean;
  /** The plan has sessions for the quota key. */
  readonly triesQuota: boolean;
}

/** Why a class was not reached. */
const missReasons = [
  'ended-early',
  'no-key',
  'no-channel',
  'no-sessions',
  'no-finish',
  'no-days',
  'no-room',
  'ruled-out',
  'short-key',
  'scenario',
  'chance',
] as const;
export type MissReason = (typeof missReasons)[number];

/** `rejected`: sent, and answered with a 4xx, which the interface leaves open. `unanswered`: no answer tells. */
export type ValueOutcome = 'reached' | 'rejected' | 'unanswered' | 'not-sent';

/** What a run shows of one class. */
export interface CoveredClass {
  readonly field: FieldName;
  readonly id: string;
  readonly sentence: string;
  readonly outcome: ValueOutcome;
  /** Requests that carried a value of the class. */
  readonly requests: number;
  /** For a class that no request carried. */
  readonly why?: MissReason;
}

/** The classes that a run reached, and why it did not reach the others. Pure. */
export function coverageOf(sent: SentValues, circumstances: Circumstances): CoveredClass[] {
  return fieldNames.flatMap((field) => {
    // Each field's values have the type of its classes.
    const values = sent[field] as readonly SentValue<never>[];
    const { classes } = catalogue[field] as Field;
    return (classes as readonly (TextClass | ValueClass<number>)[]).map((each) =>
      covered(field, each, carrying(each as TextClass, values), circumstances),
    );
  });
}

function carrying(each: TextClass, values: readonly SentValue<string>[]): readonly SentValue<string>[] {
  return isPair(each) ? paired(each.alike, values) : values.filter(({ value }) => each.holds(value));
}

/** The values with another one nearly like it in their scope. */
function paired(
  alike: (value: string) => readonly string[],
  values: readonly SentValue<string>[],
): readonly SentValue<string>[] {
  const groups = new Map<string, Set<SentValue<string>>>();
  for (const each of values)
    for (const key of alike(each.value)) {
      const place = `${each.scope}\n${key}`;
      groups.set(place, (groups.get(place) ?? new Set()).add(each));
    }
  const inPairs = [...groups.values()].filter(
    (group) => new Set([...group].map(({ value }) => value)).size > 1,
  );
  return [...new Set(inPairs.flatMap((group) => [...group]))];
}

function covered(
  field: FieldName,
  each: TextClass | ValueClass<number>,
  values: readonly SentValue<string>[],
  circumstances: Circumstances,
): CoveredClass {
  const { id, sentence } = each;
  const carriers = onceEach(values);
  const sum = (of: 'requests' | 'accepted' | 'rejected'): number =>
    carriers.reduce((total, value) => total + value[of], 0);
  const requests = sum('requests');
  const accepted = sum('accepted');
  const rejected = sum('rejected');
  const outcome: ValueOutcome =
    requests === 0
      ? 'not-sent'
      : accepted > 0 || (each.invalid === true && rejected > 0)
        ? 'reached'
        : rejected > 0
          ? 'rejected'
          : 'unanswered';
  return {
    field,
    id,
    sentence,
    outcome,
    requests,
    ...(outcome === 'not-sent' && { why: missed(each, circumstances) }),
  };
}

/** The values of one scope were carried by the same requests, which count once. */
function onceEach(values: readonly SentValue<string>[]): readonly SentValue<string>[] {
  return [
    ...values.filter(({ scope }) => scope === ''),
    ...new Map(values.filter(({ scope }) => scope !== '').map((each) => [each.scope, each])).values(),
  ];
}

const withoutNeed: Readonly<Record<Need, MissReason>> = {
  quota: 'no-key',
  channel: 'no-channel',
  sessions: 'no-sessions',
  'other-finish': 'no-finish',
  days: 'no-days',
  'long-key': 'short-key',
};

function missed({ from, needs }: ClassFacts, circumstances: Circumstances): MissReason {
  const { cutOff, has, isCapped, reach, triesQuota } = circumstances;
  if (needs !== undefined && !has.has(needs)) return withoutNeed[needs];
  const isSent =
    from === 'none'
      ? needs !== 'quota' || triesQuota
      : reach !== undefined && reaches.indexOf(from) <= reaches.indexOf(reach);
  if (!isSent) return 'scenario';
  if (cutOff) return 'ended-early';
  return isCapped ? 'no-room' : from === 'none' ? 'chance' : 'ruled-out';
}

import type { Between, State } from '../../../limits/kinds/kind.ts';
import type { HeaderWrong } from '../../reasons/rate-limit/headers.ts';
import type { FittedKinds } from '../../reasons/words/limits.ts';
import type { Claims, HeaderContext } from './claims.ts';
import { type GivenInstant, roundingNs } from './instants.ts';
import type { KnownState, PossibleLimiter } from './limiter.ts';

/** Claimed numbers of answers by columns, each known between two bounds. NaN where an answer gives none. */
export interface ClaimedValues {
  readonly rows: ArrayLike<number>;
  readonly seq: ArrayLike<number>;
  readonly sentNs: ArrayLike<number>;
  readonly least: ArrayLike<number>;
  readonly most: ArrayLike<number>;
}

/** What a value can be by what is known; undefined where nothing is known of it. A bound may be infinite. */
export type Envelope = (index: number) => Between | undefined;

export const anything: Between = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
export const upTo = (most: number): Between => ({ ...anything, most });

/** Values beyond doubt on one side of their envelopes. */
export class Beyond {
  /** How many envelopes have a bound on that side. */
  compared = 0;
  /** Indexes of the values, ascending. */
  readonly at: number[] = [];
  readonly seqs: number[] = [];
  /** By how much at the most. */
  by = 0;
  /** Between the first and the last of them. */
  spanNs = 0;
  #firstNs: number | undefined;

  add(index: number, { seq, sentNs }: ClaimedValues, by: number): void {
    if (!Number.isFinite(by)) return;
    this.compared++;
    if (by <= 0) return;
    this.at.push(index);
    this.seqs.push(seq[index] as number);
    this.by = Math.max(this.by, by);
    this.#firstNs ??= sentNs[index] as number;
    this.spanNs = (sentNs[index] as number) - this.#firstNs;
  }

  /** Those of several keys and endpoints as one; `at` says nothing then. */
  static together(all: readonly Beyond[]): Beyond {
    const sum = new Beyond();
    for (const { by, compared, seqs, spanNs } of all) {
      sum.compared += compared;
      for (const seq of seqs) sum.seqs.push(seq);
      sum.by = Math.max(sum.by, by);
      sum.spanNs = Math.max(sum.spanNs, spanNs);
    }
    return sum;
  }
}

/** Values beside their envelopes. */
interface BesideEnvelopes {
  readonly compared: number;
  readonly above: Beyond;
  readonly below: Beyond;
}

/** The one comparison of everything that headers claim: a value is wrong if it is outside its envelope whatever it means. */
export function compare(values: ClaimedValues, envelope: Envelope): BesideEnvelopes {
  const { least, most, seq } = values;
  const [above, below] = [new Beyond(), new Beyond()];
  let compared = 0;
  for (let i = 0; i < seq.length; i++) {
    const bounds = Number.isNaN(least[i]) ? undefined : envelope(i);
    if (bounds === undefined) continue;
    compared++;
    above.add(i, values, (least[i] as number) - bounds.most);
    below.add(i, values, bounds.least - (most[i] as number));
  }
  return { compared, above, below };
}

/** A comparison with the known limiter. */
export interface KnownComparison extends BesideEnvelopes {
  readonly fitted: FittedKinds;
}

/**
 * Compares with the state right after each answer: by the limiter, of those that it can be, with which most of the values agree.
 * By windows that begin at another time than those of other keys only if then all values agree. Undefined where nothing could
 * be compared.
 */
export function compareKnown(
  values: ClaimedValues,
  known: KnownState | undefined,
  envelopeOf: (state: State, index: number) => Between | undefined,
): KnownComparison | undefined {
  if (known === undefined) return undefined;
  const wrong = ({ above, below }: BesideEnvelopes): number => above.at.length + below.at.length;
  const best = (possible: readonly PossibleLimiter[]): BesideEnvelopes | undefined =>
    possible
      .map((after) =>
        compare(values, (i) => {
          const state = after(values.rows[i] as number);
          return state === undefined ? undefined : envelopeOf(state, i);
        }),
      )
      .filter(({ compared }) => compared > 0)
      // On whichever side: a limiter that is not the target's may have few wrong on one and many on the other.
      .toSorted((a, b) => wrong(a) - wrong(b) || a.below.compared - b.below.compared)[0];
  const found = best(known.possible);
  if (found === undefined) return undefined;
  const apart = wrong(found) === 0 ? undefined : best(known.apart());
  const isWhole = apart !== undefined && wrong(apart) === 0 && apart.compared >= found.compared;
  return { ...(isWhole ? apart : found), fitted: known.fitted };
}

/** The comparisons on several keys and endpoints as one. */
export function together(all: readonly KnownComparison[]): KnownComparison | undefined {
  const [first] = all;
  return first === undefined
    ? undefined
    : {
        compared: all.reduce((sum, { compared }) => sum + compared, 0),
        above: Beyond.together(all.map(({ above }) => above)),
        below: Beyond.together(all.map(({ below }) => below)),
        fitted: { ...first.fitted, kinds: [...new Set(all.flatMap(({ fitted }) => fitted.kinds))] },
      };
}

/** How often something unusual has to occur before it counts: once may be due to another user. */
export const repeatedly = 3;
/** A limiter that is right has no value beyond doubt wrong; a clock that was set meanwhile may make a few. */
const accidentalPart = 0.01;
/** In one window: a clock that was set, or a request of which nothing is known, moves one of its ends, and all that is said within. */
const accidentalPartOfWindow = 0.5;

/** Whether more values are wrong than an accident explains. `windowMs`: of windows, one end of which may be known wrongly. */
export function isSystematic(
  { compared, seqs, spanNs }: Pick<Beyond, 'compared' | 'seqs' | 'spanNs'>,
  windowMs = 0,
): boolean {
  const part = spanNs >= windowMs * 1e6 ? accidentalPart : accidentalPartOfWindow;
  return seqs.length >= repeatedly && seqs.length > part * compared;
}

/** Something wrong, with the `seq`s of the answers that show it. */
export interface HeaderFault {
  readonly wrong: HeaderWrong;
  readonly seqs: readonly number[];
  /** The resets or waits of these answers. */
  readonly given: readonly GivenInstant[];
  /** Completes "it seems to be …". */
  readonly how?: string;
}

/** Something wrong with the answers at these indexes: fewer than `least` may be due to another user. */
export function faultAt(
  wrong: HeaderWrong,
  { answeredNs, sentNs, seq, statements }: Claims,
  at: readonly number[],
  least = repeatedly,
): HeaderFault[] {
  if (at.length < least) return [];
  const given = at.map((i): GivenInstant => {
    const { form, reset: value, text } = statements[i] as Claims['statements'][number];
    const at = { value, sentNs: sentNs[i] as number, answeredNs: answeredNs[i] as number };
    return form === undefined || text === undefined ? at : { ...at, form, text };
  });
  return [{ wrong, seqs: at.map((i) => seq[i] as number), given }];
}

/** What there is to say of one kind of value of one policy. */
export interface HeaderFinding {
  /** How many answers have such a value. */
  readonly values: number;
  readonly faults: readonly HeaderFault[];
  /** What the known limiter says of the values; absent where none is known. */
  readonly known: KnownComparison | undefined;
}

/** Claims with one of the numbers in them. */
export type ClaimedQuantity = Claims & ClaimedValues;

/** A kind of number that answers claim of the state of a limiter. */
export interface Quantity {
  /** Where the number is between which bounds; NaN where none is. */
  readonly values: (claims: Claims, context: HeaderContext) => Pick<ClaimedValues, 'least' | 'most'>;
  /** Bounds that no limiter passes: what is wrong with values beyond these. */
  readonly rules: Readonly<
    Partial<Record<HeaderWrong, (claims: ClaimedQuantity, context: HeaderContext) => Envelope>>
  >;
  /** What no limiter does from one value to the next. `isKnown`: the limiter is. */
  readonly patterns: (
    claims: ClaimedQuantity,
    context: HeaderContext,
    isKnown: boolean,
  ) => readonly HeaderFault[];
  /** One end of a window that is known wrongly makes all that is said within it look wrong. */
  readonly errsByWindow: boolean;
  /** What it can be in a state; undefined where nothing is known. */
  readonly inState: (state: State, claims: ClaimedQuantity, index: number) => Between | undefined;
  /** What is wrong with values beside those of the known limiter; undefined where something else explains that. */
  readonly differs: (
    claims: ClaimedQuantity,
    known: KnownComparison,
    context: HeaderContext,
  ) => Readonly<Record<'above' | 'below', HeaderWrong | undefined>>;
  /** Above them at this index is wrong, and not merely cautious. */
  readonly isExcess?: (claims: ClaimedQuantity, index: number, context: HeaderContext) => boolean;
}

/** Holds one kind of number against every limiter, and against the known one. */
export function judgeClaims(quantity: Quantity, all: Claims, context: HeaderContext): HeaderFinding {
  const claims: ClaimedQuantity = { ...all, ...quantity.values(all, context) };
  const known = speaksOfKnown(claims, context)
    ? compareKnown(claims, claims.known, (state, i) => quantity.inState(state, claims, i))
    : undefined;
  const differs = known === undefined ? undefined : quantity.differs(claims, known, context);
  const rules = Object.entries(quantity.rules) as [HeaderWrong, Required<Quantity['rules']>[HeaderWrong]][];
  return {
    values: Array.from(claims.least).filter((each) => !Number.isNaN(each)).length,
    known,
    faults: [
      ...rules.flatMap(([wrong, envelope]) => {
        const { above, below } = compare(claims, envelope(claims, context));
        return faultAt(wrong, claims, [...above.at, ...below.at]);
      }),
      ...quantity.patterns(claims, context, known !== undefined),
      ...(['above', 'below'] as const).flatMap((side) => {
        const wrong = differs?.[side];
        if (known === undefined || wrong === undefined) return [];
        const { compared, spanNs } = known[side];
        const at = known[side].at.filter(
          (i) => side === 'below' || (quantity.isExcess?.(claims, i, context) ?? true),
        );
        const windowMs = quantity.errsByWindow ? known.fitted.windowMs : 0;
        return isSystematic({ compared, spanNs, seqs: at }, windowMs) ? faultAt(wrong, claims, at) : [];
      }),
    ],
  };
}

/** Whether something may have been spent before the run that still counts at a claim. */
export function maySpendUnseen({ known, sentNs }: Claims, index: number): boolean {
  return known !== undefined && (sentNs[index] as number) < known.knownFromNs;
}

/** Another policy of the same header may have another limit. */
function speaksOfKnown({ known, limit, windowNs }: Claims, { promised }: HeaderContext): boolean {
  if (limit === promised.requests && windowNs === promised.windowNs) return true;
  if (known === undefined || limit !== known.fitted.requests) return false;
  // Headers give windows in whole seconds.
  return windowNs === undefined || Math.abs(windowNs - known.fitted.windowMs * 1e6) < roundingNs;
}

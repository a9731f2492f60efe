import type { Between, State } from '../../../limits/kinds/kind.ts';
import type { HeaderOddity, HeaderWrong } from '../../reasons/rate-limit/headers.ts';
import type { FittedKinds } from '../../reasons/words/limits.ts';
import { type Claims, type HeaderContext, readingAt } from './claims.ts';
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
export interface Beyond {
  /** How many envelopes have a bound on that side. */
  readonly compared: number;
  /** Indexes of the values, ascending. */
  readonly at: readonly number[];
  readonly seqs: readonly number[];
  /** By how much at the most. */
  readonly by: number;
  /** At this number of separate times, with right values in between. */
  readonly episodes: number;
  /** Between the first and the last of them. */
  readonly spanNs: number;
}

/** Values beside their envelopes. */
interface BesideEnvelopes {
  readonly compared: number;
  readonly above: Beyond;
  readonly below: Beyond;
}

class BeyondTally {
  compared = 0;
  readonly at: number[] = [];
  readonly seqs: number[] = [];
  by = 0;
  episodes = 0;
  spanNs = 0;
  #isBeyond = false;
  #firstNs: number | undefined;

  add(index: number, seq: number, sentNs: number, by: number): void {
    if (!Number.isFinite(by)) return;
    this.compared++;
    const isBeyond = by > 0;
    if (isBeyond) {
      this.at.push(index);
      this.seqs.push(seq);
      this.by = Math.max(this.by, by);
      if (!this.#isBeyond) this.episodes++;
      this.#firstNs ??= sentNs;
      this.spanNs = sentNs - this.#firstNs;
    }
    this.#isBeyond = isBeyond;
  }
}

/** The one comparison of everything that headers claim: a value is wrong if it is outside its envelope whatever it means. */
export function compare({ seq, sentNs, least, most }: ClaimedValues, envelope: Envelope): BesideEnvelopes {
  const [above, below] = [new BeyondTally(), new BeyondTally()];
  let compared = 0;
  for (let i = 0; i < seq.length; i++) {
    if (Number.isNaN(least[i])) continue;
    const bounds = envelope(i);
    if (bounds === undefined) continue;
    compared++;
    above.add(i, seq[i] as number, sentNs[i] as number, (least[i] as number) - bounds.most);
    below.add(i, seq[i] as number, sentNs[i] as number, bounds.least - (most[i] as number));
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

/** The comparisons on several keys and endpoints as one; `at` says nothing then. */
export function together(all: readonly KnownComparison[]): KnownComparison | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const sum = (of: (each: BesideEnvelopes) => number): number =>
    all.reduce((total, each) => total + of(each), 0);
  const side = (name: 'above' | 'below'): Beyond => ({
    compared: sum((each) => each[name].compared),
    at: [],
    seqs: all.flatMap((each) => each[name].seqs),
    by: all.reduce((most, each) => Math.max(most, each[name].by), 0),
    episodes: sum((each) => each[name].episodes),
    spanNs: all.reduce((most, each) => Math.max(most, each[name].spanNs), 0),
  });
  return {
    compared: sum(({ compared }) => compared),
    above: side('above'),
    below: side('below'),
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
export function isSystematic({ compared, seqs, spanNs }: Beyond, windowMs = 0): boolean {
  const part = spanNs >= windowMs * 1e6 ? accidentalPart : accidentalPartOfWindow;
  return seqs.length >= repeatedly && seqs.length > part * compared;
}

/** Something wrong, with the `seq`s of the answers that show it. */
export interface HeaderFault {
  readonly wrong: HeaderWrong;
  readonly seqs: readonly number[];
  /** The resets of these answers. */
  readonly given: readonly GivenInstant[];
  /** Completes "it seems to be …". */
  readonly how?: string;
}

/** What there is to say of one kind of value of one policy. */
export interface HeaderFinding {
  /** How many answers have such a value. */
  readonly values: number;
  readonly faults: readonly HeaderFault[];
  readonly odd: readonly HeaderOddity[];
  /** What the known limiter says of the values; absent where none is known. */
  readonly known: KnownComparison | undefined;
}

/** Claims with one of the numbers in them. */
export type ClaimedQuantity = Claims & ClaimedValues;

/** A kind of number that answers claim of the state of a limiter. */
export interface Quantity {
  /** Where the number is between which bounds; NaN where none is. */
  readonly values: (claims: Claims, context: HeaderContext) => Record<'least' | 'most', Float64Array>;
  /** Bounds that no limiter passes, and what is wrong with values beyond these. */
  readonly rules: readonly {
    readonly wrong: HeaderWrong;
    readonly envelope: (claims: Claims, context: HeaderContext) => Envelope;
  }[];
  /** What no limiter does from one value to the next. */
  readonly patterns: (
    claims: ClaimedQuantity,
    context: HeaderContext,
    known: KnownComparison | undefined,
  ) => readonly HeaderFault[];
  /** What it can be in a state; undefined where nothing is known. */
  readonly inState: (
    claims: ClaimedQuantity,
    context: HeaderContext,
  ) => (state: State, index: number) => Between | undefined;
  /** What is wrong with values beside those of the known limiter; undefined where something else explains that. */
  readonly differs: (
    claims: Claims,
    known: KnownComparison,
    context: HeaderContext,
  ) => Readonly<Record<'above' | 'below', HeaderWrong | undefined>>;
  readonly odd: (claims: ClaimedQuantity) => readonly HeaderOddity[];
}

/** Something wrong with the answers at these indexes: once or twice may be due to another user. */
export function faultAt(wrong: HeaderWrong, claims: Claims, at: readonly number[]): HeaderFault[] {
  if (at.length < repeatedly) return [];
  const given = at.map((i) => ({
    value: readingAt(claims, i).reset,
    sentNs: claims.sentNs[i] as number,
    answeredNs: claims.answeredNs[i] as number,
  }));
  return [{ wrong, seqs: at.map((i) => claims.seq[i] as number), given }];
}

/** Holds one kind of number against every limiter, and against the known one. */
export function judgeClaims(quantity: Quantity, all: Claims, context: HeaderContext): HeaderFinding {
  const claims = { ...all, ...quantity.values(all, context) };
  const inState = quantity.inState(claims, context);
  const known = speaksOfKnown(claims, context)
    ? compareKnown(claims, claims.known, (state, i) => (isKnownAt(claims, i) ? inState(state, i) : undefined))
    : undefined;
  const differs = known === undefined ? undefined : quantity.differs(claims, known, context);
  return {
    values: claims.least.reduce((sum, each) => sum + (Number.isNaN(each) ? 0 : 1), 0),
    known,
    faults: [
      ...quantity.rules.flatMap(({ envelope, wrong }) => {
        const { above, below } = compare(claims, envelope(claims, context));
        return faultAt(wrong, claims, [...above.at, ...below.at]);
      }),
      ...quantity.patterns(claims, context, known),
      ...(['above', 'below'] as const).flatMap((side) => {
        const wrong = differs?.[side];
        return known === undefined || wrong === undefined || !isSystematic(known[side], known.fitted.windowMs)
          ? []
          : faultAt(wrong, claims, known[side].at);
      }),
    ],
    odd: quantity.odd(claims),
  };
}

/** Another policy of the same header may have another limit. */
function speaksOfKnown({ known, limit, windowNs }: Claims, { promised }: HeaderContext): boolean {
  if (limit === promised.requests && windowNs === promised.windowNs) return true;
  if (known === undefined || limit !== known.fitted.requests) return false;
  // Headers give windows in whole seconds.
  return windowNs === undefined || Math.abs(windowNs - known.fitted.windowMs * 1e6) < roundingNs;
}

function isKnownAt({ known, sentNs }: Claims, i: number): boolean {
  return known !== undefined && (sentNs[i] as number) >= known.knownFromNs;
}

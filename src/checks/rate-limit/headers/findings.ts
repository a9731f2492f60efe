import type { Between } from '../../../limits/kinds/kind.ts';
import type { HeaderOddity, HeaderWrong } from '../../reasons/rate-limit/headers.ts';
import type { Claims, HeaderContext } from './claims.ts';
import { type Envelope, type KnownComparison, repeatedly } from './comparison.ts';
import { roundingNs } from './instants.ts';
import type { GivenInstant } from './readings.ts';

/** Something wrong, with the `seq`s of the answers that show it. */
export interface HeaderFault {
  readonly wrong: HeaderWrong;
  readonly seqs: readonly number[];
  /** Resets that are wrong by themselves. */
  readonly given?: readonly GivenInstant[];
}

/** What there is to say of one kind of value of one policy. */
export interface HeaderFinding {
  /** How many answers have such a value. */
  readonly values: number;
  readonly faults: readonly HeaderFault[];
  readonly odd: readonly HeaderOddity[];
  /** Places that were surely taken beyond what this run sent. */
  readonly unexplained: number;
  /** What the known limiter says of the values; absent where none is known. */
  readonly known: KnownComparison | undefined;
}

/** A bound that no limiter passes, and what is wrong with values beyond it. */
export interface ClaimRule {
  readonly wrong: HeaderWrong;
  readonly envelope: (claims: Claims, context: HeaderContext) => Envelope;
}

export const anything: Between = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
export const upTo = (most: number): Between => ({ ...anything, most });

export function faultIfRepeated(wrong: HeaderWrong, seqs: readonly number[]): HeaderFault[] {
  return seqs.length < repeatedly ? [] : [{ wrong, seqs }];
}

/** Another policy of the same header may have another limit. */
export function speaksOfKnown({ known, limit, windowNs }: Claims, { promised }: HeaderContext): boolean {
  if (limit === promised.requests && windowNs === promised.windowNs) return true;
  if (known === undefined || limit !== known.fitted.requests) return false;
  // Headers give windows in whole seconds.
  return windowNs === undefined || Math.abs(windowNs - known.fitted.windowMs * 1e6) < roundingNs;
}

export function isKnownAt({ known, sentNs }: Claims, i: number): boolean {
  return known !== undefined && (sentNs[i] as number) >= known.knownFromNs;
}

import { newToken, problemText } from '../../target/problems.ts';
import type { SessionGrant } from '../../wire.ts';

/** The fewest of the last tokens that are remembered: those of sessions that are created at nearly the same time. */
const leastRemembered = 2_000;
/** Ours: after this many sessions with a token of their own, tokens are not those of an account or of a moment. */
const enoughToTell = 100;

/**
 * Tokens of the last sessions: where each session has its own, one given twice would open both. Whether each has is promised
 * by the profile, or shown by the first sessions. In memory alone, by fingerprint: texts that outlive the young generation
 * are copied twice.
 */
export class RecentTokens {
  #last = new PrintTable();
  /** The ones before. */
  #earlier = new PrintTable();
  readonly #isPromised: boolean;
  #isShared = false;
  #seen = 0;

  constructor(isPromised: boolean) {
    this.#isPromised = isPromised;
  }

  problem({ session_id: sessionId, token }: SessionGrant, seq: number): string | undefined {
    if (this.#isShared) return undefined;
    const print = fingerprint(token);
    const session = fingerprint(sessionId);
    const place = this.#last.placeOf(print);
    const isNew = this.#last.prints[place] !== print;
    const known = isNew ? this.#earlier : this.#last;
    const before = isNew ? known.placeOf(print) : place;
    const beforeSeq = known.seqs[before] ?? 0;
    const isRepeated = known.prints[before] === print && known.sessions[before] !== session;
    this.#isShared = isRepeated && !this.#isPromised && this.#seen < enoughToTell;
    this.#last.put(place, print, session, seq);
    if (isNew) this.#seen++;
    if (this.#last.size === leastRemembered) this.#turn();
    return isRepeated && !this.#isShared
      ? problemText({ field: 'token', expected: newToken, got: `that of request ${beforeSeq}` })
      : undefined;
  }

  #turn(): void {
    this.#earlier.prints.fill(0);
    this.#earlier.size = 0;
    [this.#last, this.#earlier] = [this.#earlier, this.#last];
  }
}

/** A power of two, about twice as many as are taken. */
const places = 4_096;

/** A hash table of fingerprints with linear probing. */
class PrintTable {
  readonly prints = new Float64Array(places);
  readonly sessions = new Float64Array(places);
  readonly seqs = new Float64Array(places);
  size = 0;

  /** Where a fingerprint is, or else would be. */
  placeOf(print: number): number {
    let place = print & (places - 1);
    while (this.prints[place] !== 0 && this.prints[place] !== print) place = (place + 1) & (places - 1);
    return place;
  }

  put(place: number, print: number, session: number, seq: number): void {
    if (this.prints[place] === 0) this.size++;
    this.prints[place] = print;
    this.sessions[place] = session;
    this.seqs[place] = seq;
  }
}

/** 53 bits of a text, never 0: two different ones share it once in 10^16 (cyrb53 by bryc, public domain). */
function fingerprint(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return 2 ** 32 * (b & 0x1fffff) + (a >>> 0) || 1;
}

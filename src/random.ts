/** A source of uniform numbers in [0, 1). Callable, so that it can feed Chance (`new Chance(random)`) directly. */
export type Random = () => number;

/**
 * An independent stream of random numbers for one purpose and one index, such as ("shopper", k). The generator's
 * state (sfc32 by Chris Doty-Humphrey, PractRand) comes from the key instead of a parent stream, so stream k does not
 * need streams 0…k−1.
 */
export function randomStream(seed: number, purpose: string, index = 0): Random {
  let a = seed >>> 0;
  let b = index >>> 0;
  let c = hash(purpose);
  let d = (Math.floor(seed / 2 ** 32) ^ Math.imul(Math.floor(index / 2 ** 32) + 1, 0x9e3779b1)) >>> 0;
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return (t >>> 0) / 2 ** 32;
  };
  // Twelve rounds, as PractRand does, so that neighbouring keys share nothing.
  for (let round = 0; round < 12; round++) next();
  return next;
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

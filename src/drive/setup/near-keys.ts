import type { NearKey } from '../../vocabulary/probes.ts';

/** Where services cut a key, in bytes: columns that are too short, ids before the secret part, bcrypt's 72. */
const cuts = [8, 16, 20, 24, 32, 36, 64, 72] as const;
/** The first byte that bcrypt does not look at, counted from 0. */
const beyondBcrypt = 72;

/**
 * Authorization headers that resemble a real key's and hold none, by how they were altered. Alterations that yield a
 * real key or do not apply are left out. `key` is ASCII. The values are secrets: they hold parts of the key.
 */
export function nearKeyHeaders(key: string, realKeys: ReadonlySet<string>): ReadonlyMap<NearKey, string> {
  const unpadded = unpaddedLength(key);
  const altered: readonly (readonly [NearKey, string])[] = [
    ['cut-by-1', key.slice(0, unpadded - 1)],
    ['last-changed', lastChanged(key)],
    ['case', flipped(key)],
    ['longer', `${key}A`],
    ['twice', key + key],
    ...cuts.map((bytes) => [`cut-to-${bytes}`, key.slice(0, bytes)] as const),
    ['byte-73-changed', key.length > beyondBcrypt ? changedAt(key, beyondBcrypt) : key],
    ['quoted', `"${key}"`],
  ];
  const headers = new Map<NearKey, string>();
  const taken = new Set(realKeys).add(key).add('');
  for (const [name, value] of altered) {
    if (taken.has(value)) continue;
    taken.add(value);
    headers.set(name, `Bearer ${value}`);
  }
  // Not among them: `bearer` in another case, and blanks around the key. RFC 9110 allows these.
  return headers
    .set('basic', `Basic ${key}`)
    .set('token', `Token ${key}`)
    .set('other-scheme', `XBearer ${key}`)
    .set('no-scheme', key)
    .set('scheme-twice', `Bearer Bearer ${key}`)
    .set('word-after', `Bearer ${key} A`)
    .set('scheme-alone', 'Bearer');
}

/** Padding carries no information, and a service that decodes keys may ignore it. */
function unpaddedLength(key: string): number {
  return key.replace(/=+$/, '').length || key.length;
}

/** A key, a token or an id with another last character. */
export function lastChanged(key: string): string {
  return changedAt(key, unpaddedLength(key) - 1);
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Changes one character. It changes the highest bit of a base64 digit: the lowest bit of the last digit may mean
 * nothing.
 */
function changedAt(key: string, place: number): string {
  const digit = alphabet.indexOf(key[place] ?? '');
  const other = digit < 0 ? 'A' : alphabet[digit ^ 32];
  return key.slice(0, place) + other + key.slice(place + 1);
}

/** A text with upper and lower case exchanged. */
export function flipped(key: string): string {
  return key.replace(/[A-Za-z]/g, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

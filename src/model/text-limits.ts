import { type ApiCall, flawsOf, isBadShade, isOversize, outcomeOf, type SentShade } from './call.ts';

/**
 * How long the texts of a shade may be is not shown: a service may refuse longer ones, consistently. Some limit of one field,
 * in one measure, has to part what it took from what it refused.
 */

const measures = {
  characters: (text: string) => [...text].length,
  units: (text: string) => text.length,
  bytes: (text: string) => Buffer.byteLength(text),
} as const;
const fields = ['sku', 'name'] as const;

/** Every service is expected to take texts of this number of bytes. */
const leastLimit = 64;

/** A limit that a service may have, and the longest text that it took. */
interface TextLimit {
  readonly lengthOf: (call: ApiCall) => number;
  taken: number;
}

/** The texts of a shade that are longer than every service is expected to take. */
export const longTextsOf = (shade: Pick<SentShade, 'sku' | 'name'>): (typeof fields)[number][] =>
  fields.filter((field) => measures.bytes(shade[field] ?? '') > leastLimit);

/** Every replay asks again. */
function longest(field: 'sku' | 'name', measure: (text: string) => number): (call: ApiCall) => number {
  const known = new WeakMap<ApiCall, number>();
  return (call) => {
    const length =
      known.get(call) ?? Math.max(0, ...(call.shades ?? []).map((shade) => measure(shade[field] ?? '')));
    known.set(call, length);
    return length;
  };
}

const lengths = fields.flatMap((field) => Object.values(measures).map((measure) => longest(field, measure)));

export class TextLimits {
  readonly #limits: readonly TextLimit[] = lengths.map((lengthOf) => ({ lengthOf, taken: leastLimit }));

  /** Whether a limit explains that an import is refused. */
  mayRefuse(call: ApiCall): boolean {
    return this.#limits.some(({ lengthOf, taken }) => lengthOf(call) > taken);
  }

  /** Learns from an import that was taken, and that has no other reason to be refused. */
  learn(call: ApiCall): void {
    if (outcomeOf(call) !== 'ok' || call.form !== undefined || !flawsOf(call).arePlain) return;
    for (const limit of this.#limits) limit.taken = Math.max(limit.taken, limit.lengthOf(call));
  }
}

/** What not every service takes beside long texts. */
const oddities: readonly ((shade: SentShade) => boolean)[] = [
  ({ finish }) => finish === undefined,
  ({ name }) => name === '',
  ({ sku }) => sku === '',
  ({ sku = '' }) => sku.trim() !== sku,
];

/** Every model of a row asks again. */
const unfit = new WeakMap<readonly ApiCall[], (shade: SentShade) => boolean>();

/**
 * What makes a service refuse an import, by a record of it: a bad shade, an oddity that it never took, and a text that is longer than
 * all that it took, in the first measure that explains every other refusal.
 */
export function unfitBy(calls: readonly ApiCall[]): (shade: SentShade) => boolean {
  const known = unfit.get(calls);
  if (known !== undefined) return known;
  const imports = calls.filter(({ form, op }) => op === 'import-shades' && form === undefined);
  const taken = imports.flatMap((call) => (outcomeOf(call) === 'ok' ? (call.shades ?? []) : []));
  const untaken = oddities.filter((is) => !taken.some(is));
  const isOdd = (shade: SentShade): boolean => isBadShade(shade) || untaken.some((is) => is(shade));
  const others = imports.filter((call) => {
    const { shades = [] } = call;
    return outcomeOf(call) === 'refused' && shades.length > 0 && !isOversize(call) && !shades.some(isOdd);
  });
  const [isLong] = Object.values(measures)
    .map((measure) => {
      const lengthOf = (field: (typeof fields)[number], shade: SentShade): number =>
        measure(shade[field] ?? '');
      const longest = fields.map(
        (field) => [field, Math.max(leastLimit, ...taken.map((shade) => lengthOf(field, shade)))] as const,
      );
      return (shade: SentShade): boolean => longest.some(([field, most]) => lengthOf(field, shade) > most);
    })
    .filter((isLonger) => others.length > 0 && others.every(({ shades = [] }) => shades.some(isLonger)));
  const isUnfit = (shade: SentShade): boolean => isOdd(shade) || isLong?.(shade) === true;
  unfit.set(calls, isUnfit);
  return isUnfit;
}

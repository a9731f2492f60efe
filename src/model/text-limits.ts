import { type ApiCall, type CallRequest, flawsOf, isBadShade, outcomeOf, type SentShade } from './call.ts';

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

type Shades = Pick<CallRequest, 'shades'>;

/** A limit that a service may have, and the longest text that it took. */
interface TextLimit {
  readonly lengthOf: (call: Shades) => number;
  taken: number;
}

/** The texts of a shade that are longer than every service is expected to take. */
export const longTextsOf = (shade: Pick<SentShade, 'sku' | 'name'>): (typeof fields)[number][] =>
  fields.filter((field) => measures.bytes(shade[field] ?? '') > leastLimit);

/** Every replay asks again. */
function longest(field: 'sku' | 'name', measure: (text: string) => number): (call: Shades) => number {
  const known = new WeakMap<Shades, number>();
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
  mayRefuse(call: Shades): boolean {
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

/** What makes a service refuse an import, by a record of it: a bad shade, an oddity or a length of a text that it never took. */
export function unfitBy(calls: readonly ApiCall[]): (shade: SentShade) => boolean {
  const imports = calls.filter((call) => call.op === 'import-shades' && outcomeOf(call) === 'ok');
  const untaken = oddities.filter((is) => !imports.some(({ shades = [] }) => shades.some(is)));
  const texts = new TextLimits();
  for (const call of imports) texts.learn(call);
  return (shade) =>
    isBadShade(shade) || untaken.some((is) => is(shade)) || texts.mayRefuse({ shades: [shade] });
}

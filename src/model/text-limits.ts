import { type AnswerSaid, saidBy } from './answer.ts';
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

const none: ReadonlySet<SentShade> = new Set();
const longShades = new WeakMap<readonly SentShade[], readonly SentShade[]>();
/** The shades with long texts; every replay asks again. */
function longOf(shades: readonly SentShade[]): readonly SentShade[] {
  const long = longShades.get(shades) ?? shades.filter((each) => longTextsOf(each).length > 0);
  longShades.set(shades, long);
  return long;
}

const lengths = fields.flatMap((field) => Object.values(measures).map((measure) => longest(field, measure)));

export class TextLimits {
  readonly #limits: readonly TextLimit[] = lengths.map((lengthOf) => ({ lengthOf, taken: leastLimit }));

  /** Whether a limit explains that an import is refused. */
  mayRefuse(call: Shades): boolean {
    return this.#limits.some(({ lengthOf, taken }) => lengthOf(call) > taken);
  }

  /**
   * The shades that an import may have left out: those that a limit explains, where the answer says that it left some out. How it
   * says so is not shown: by a list of them, or by the number that it took.
   */
  leftOutOf(call: ApiCall, { fields, outcome }: AnswerSaid): ReadonlySet<SentShade> {
    const { shades = [] } = call;
    const long = outcome === 'ok' ? longOf(shades).filter((each) => this.mayRefuse({ shades: [each] })) : [];
    if (long.length === 0) return none;
    const isSaid = Object.values(fields).some((value) => {
      const size = Array.isArray(value) ? value.length : value;
      if (typeof size !== 'number') return false;
      const isListOfThem = Array.isArray(value) && size > 0 && size <= long.length;
      return isListOfThem || (size >= shades.length - long.length && size < shades.length);
    });
    return isSaid ? new Set(long) : none;
  }

  /** Learns from an import that was taken whole, and that has no other reason to be refused. */
  learn(call: ApiCall, said: AnswerSaid): void {
    if (outcomeOf(call) !== 'ok' || call.form !== undefined || !flawsOf(call).arePlain) return;
    if (this.leftOutOf(call, said).size > 0) return;
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
  for (const call of imports) texts.learn(call, saidBy(call));
  return (shade) =>
    isBadShade(shade) || untaken.some((is) => is(shade)) || texts.mayRefuse({ shades: [shade] });
}

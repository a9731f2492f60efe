import { type ApiCall, isMalformed, type SentShade } from './call.ts';
import { entry } from './world.ts';

/**
 * Features of a call: what a fault may depend on where nothing better explains it, and what the calls of a divergence have
 * in common. One list for both. `others`: the calls of the record, for what is about time.
 */
export interface Feature {
  readonly name: string;
  readonly has: (call: ApiCall) => boolean;
}

const shades = ({ shades: rows = [] }: ApiCall): readonly SentShade[] => rows;
const size = ({ events = [], shades: rows = [] }: ApiCall): number => Math.max(rows.length, events.length);
const text = ({ catalog = '', product = '' }: ApiCall): string => catalog + product;
const patterns = {
  'letters beyond 16 bits': /[\u{10000}-\u{10ffff}]/u,
  'quotes or <': /["'<]/,
  'more than 200 characters': /.{201}/su,
  'a digit at its beginning': /^\d/,
} as const;

const plainFeatures: readonly Feature[] = [
  { name: 'a new connection', has: ({ isFresh }) => isFresh === true },
  { name: 'an id with / or % or +', has: (call) => /[/%+]/.test(text(call)) },
  { name: 'an id with letters beyond ASCII', has: (call) => /[^ -~]/.test(text(call)) },
  { name: 'an id in capitals', has: (call) => /-[A-Z]/.test(text(call)) },
  ...Object.entries(patterns).flatMap(([what, pattern]) =>
    (['name', 'sku'] as const).map((field) => ({
      name: `a ${field === 'sku' ? 'SKU' : field} with ${what}`,
      has: (call: ApiCall) => shades(call).some((shade) => pattern.test(shade[field] ?? '')),
    })),
  ),
  { name: 'more than 50 elements', has: (call) => size(call) > 50 },
  { name: 'more than 100 elements', has: (call) => size(call) > 100 },
  { name: 'more than 250 elements', has: (call) => size(call) > 250 },
  { name: 'several elements', has: (call) => size(call) > 1 },
  {
    name: 'a repeated SKU',
    has: (call) => new Set(shades(call).map(({ sku }) => sku)).size < shades(call).length,
  },
  { name: 'an event without a SKU', has: ({ events = [] }) => events.some(({ sku }) => sku === undefined) },
  { name: 'a cart intent', has: ({ events = [] }) => events.some(({ type }) => type === 'cart_intent') },
  { name: 'a malformed body', has: isMalformed },
  { name: 'no good key', has: ({ by }) => by.kind === 'none' || by.kind === 'near' },
  { name: 'HEAD', has: ({ form }) => form === 'head' },
  { name: 'an odd path', has: ({ form }) => form === 'slash' },
  { name: 'a misspelt id', has: ({ misspelt }) => misspelt !== undefined },
];

/** The features that the calls of a record differ in: with the keys and locales that it has, and what overlaps. */
export function featuresOf(calls: readonly ApiCall[]): readonly Feature[] {
  const known = featuresByCalls.get(calls);
  if (known !== undefined) return known;
  const keys = new Set(calls.flatMap(({ by }) => (by.kind === 'key' ? [by.key] : [])));
  const locales = new Set(calls.flatMap(({ locale }) => locale ?? []));
  const overlapping = overlaps(calls);
  const features = [
    ...plainFeatures,
    { name: 'others at the same time', has: ({ n }: ApiCall) => overlapping.has(n) },
    ...[...keys].map((key) => ({
      name: `the key ${key}`,
      has: ({ by }: ApiCall) => by.kind === 'key' && by.key === key,
    })),
    ...[...locales].map((each) => ({
      name: `the locale ${each}`,
      has: ({ locale }: ApiCall) => locale === each,
    })),
  ];
  featuresByCalls.set(calls, features);
  return features;
}

/** Whether a call has the feature of a name. */
export const featureOf = (calls: readonly ApiCall[], feature: string): Feature['has'] =>
  featuresOf(calls).find(({ name }) => name === feature)?.has ?? (() => false);

/** Every parameter of a row asks for them. */
const featuresByCalls = new WeakMap<readonly ApiCall[], readonly Feature[]>();

/** For each call the others of the same kind, on the same thing, during which it was under way; none for the others. */
export function besides(
  calls: readonly ApiCall[],
  isAlike: (a: ApiCall, b: ApiCall) => boolean = () => true,
): ReadonlyMap<number, ReadonlySet<number>> {
  const found = new Map<number, Set<number>>();
  const bySent = calls.toSorted((a, b) => a.fromMs - b.fromMs);
  for (const [at, call] of bySent.entries())
    for (let next = at + 1; (bySent[next]?.fromMs ?? Number.POSITIVE_INFINITY) < call.untilMs; next++) {
      const other = bySent[next];
      if (other === undefined || !isAlike(call, other)) continue;
      entry(found, call.n, () => new Set<number>()).add(other.n);
      entry(found, other.n, () => new Set<number>()).add(call.n);
    }
  return found;
}

/** The calls during which another one was under way. */
export const overlaps = (...asked: Parameters<typeof besides>): ReadonlySet<number> =>
  new Set(besides(...asked).keys());

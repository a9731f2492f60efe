import type { SessionValues } from './taken.ts';
import { foldedText, isOpenText, taggedIdClasses, urlId } from './texts.ts';
import type { Reach } from './value-class.ts';

/** What a session is opened with. */
export interface CornerSession extends SessionValues {
  /** Whether what is accepted has to read back as it was sent. */
  readonly isExact: boolean;
}

/** A locale of the one form that the interface shows. */
const plainLocale = 'en-GB';
/** A language alone, and a region by number. */
const validLocales = ['en', 'es-419'] as const;
/** An underscore, the wrong case, no text, 36 characters. */
const invalidLocales = ['en_US', 'EN-us', '', `en-${'x'.repeat(33)}`] as const;

/**
 * Sessions that together have every class of `product_id` and locale, each value once. Products come with locales that are
 * valid, so that one session that is rejected says nothing about a product.
 */
export function cornerSessions(unique: string): CornerSession[] {
  return [
    ...cornerCatalogIds(unique).map((productId, place) => ({
      productId,
      locale: validLocales[place] ?? plainLocale,
      isExact: !isOpenText(productId),
    })),
    // A service may put right what is invalid.
    ...invalidLocales.map((locale) => ({ productId: `plain-${unique}`, locale, isExact: false })),
  ];
}

/** The products of these sessions that a service may take for no other one. */
export function cornerProducts(unique: string): string[] {
  const products = [...new Set(cornerSessions(unique).map(({ productId }) => productId))];
  const isAlone = (id: string): boolean =>
    products.every((other) => other === id || foldedText(other) !== foldedText(id));
  return products.filter((id) => !isOpenText(id) && isAlone(id));
}

/**
 * Those of these sessions that come before the load, so that shoppers may use their values: one product of each class, that a
 * service may take for no other one.
 */
export function sessionsBeforeLoad(unique: string): CornerSession[] {
  const alone = cornerProducts(unique);
  const firsts = taggedIdClasses.flatMap(({ make }) => make(unique).find((id) => alone.includes(id)) ?? []);
  return cornerSessions(unique).filter(({ productId }) => firsts.includes(productId));
}

/** A product whose id has all characters with a meaning in URLs. */
export function urlProduct(unique: string): CornerSession {
  return { productId: urlId(`${unique}-product`), locale: plainLocale, isExact: false };
}

/** Ids of catalogs of one shade each. */
export function cornerCatalogIds(unique: string): string[] {
  return taggedIdClasses.flatMap(({ make }) => make(unique));
}

/** Events of a session with an unusual product or locale: one, two and so on, in turn. */
export const mostInCornerSession = 3;
/** How many of the sessions with many events set-up opens. The others come after the load. */
export const longSessionsInSetup = 1;

/** How many events the longest sessions get: in deliveries of these sizes. */
const deliverySizes: readonly (readonly number[])[] = [
  [65, 64],
  [257, 256],
];
const longestSizes: readonly number[] = [205, 205, 205, 205, 205];

/** A session that takes more requests than these is not opened. */
const mostDeliveries = 130;

/** The same for a channel that takes at most `most` events in a request; undefined: any number. */
export function eventDeliveries(reach: Reach, most?: number): readonly (readonly number[])[] {
  return (reach === 'long' ? [...deliverySizes, longestSizes] : deliverySizes)
    .map((sizes) => sizes.flatMap((size) => inParts(size, most ?? size)))
    .filter(({ length }) => length <= mostDeliveries);
}

function inParts(size: number, most: number): number[] {
  return Array.from({ length: Math.ceil(size / most) }, (_, n) => Math.min(most, size - n * most));
}

import type { InteractionBatch, SessionRequest, ShadeBatch } from '../../src/wire.ts';

/** What the foreign service does with malformed bodies: it rejects them, or puts right whatever it can. */
export type Strictness = 'strict' | 'lenient';

type Body = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A text in place of any value, or undefined for one that is missing. */
function asText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const colour = /^#[0-9a-f]{3,8}$/i;

export function importOf(body: unknown, strictness: Strictness): ShadeBatch | undefined {
  if (!isObject(body) || !isText(body.catalog_id) || !Array.isArray(body.shades)) return undefined;
  const shades = body.shades.map((shade: unknown) => {
    if (!isObject(shade)) return undefined;
    const { finish, hex, name, sku } = shade;
    if ([sku, name, finish].every(isText) && typeof hex === 'string' && colour.test(hex)) return shade;
    if (strictness === 'strict') return undefined;
    const isColour = typeof hex === 'string' && colour.test(hex);
    return {
      ...shade,
      sku: asText(sku) ?? `made-${asText(name) ?? 'up'}`,
      name: asText(name) ?? '',
      hex: isColour ? hex : '#000000',
      finish: asText(finish) ?? 'matte',
    };
  });
  if (shades.includes(undefined)) return undefined;
  return { catalog_id: body.catalog_id, shades: shades as unknown as ShadeBatch['shades'] };
}

export function sessionOf(body: unknown, strictness: Strictness): SessionRequest | undefined {
  if (!isObject(body) || !isText(body.catalog_id)) return undefined;
  const { catalog_id, locale, product_id } = body;
  if (isText(product_id) && isText(locale)) return { product_id, catalog_id, locale };
  if (strictness === 'strict') return undefined;
  return { product_id: asText(product_id) ?? 'unknown', catalog_id, locale: asText(locale) ?? 'en-GB' };
}

export function eventsOf(body: unknown): InteractionBatch | undefined {
  if (!isObject(body) || !Array.isArray(body.interactions)) return undefined;
  const isGood = (event: unknown): boolean =>
    isObject(event) &&
    isText(event.id) &&
    (event.type === 'shade_selected' || event.type === 'cart_intent') &&
    typeof event.at === 'string' &&
    !Number.isNaN(Date.parse(event.at)) &&
    (isText(event.sku) || (event.sku === undefined && event.type === 'cart_intent'));
  return body.interactions.every(isGood) ? (body as unknown as InteractionBatch) : undefined;
}

/** A property of requests or of events that those that fail may share. */
export type Trait =
  | 'credential'
  | 'locale'
  | 'catalog_id'
  | 'product_id'
  | 'type'
  | 'sku'
  | 'items'
  | 'place';

const traitWords: Readonly<Record<Trait, string>> = {
  credential: 'key',
  locale: '`locale`',
  catalog_id: '`catalog_id`',
  product_id: '`product_id`',
  type: '`type`',
  sku: '`sku`',
  items: 'number of entries',
  place: 'place in the request',
};

/** What all have in common that fail: `sku`, and a value or a bound. */
export function traitText(trait: Trait, values: readonly string[]): string {
  return `${traitWords[trait]} ${values.join(' or ')}`;
}

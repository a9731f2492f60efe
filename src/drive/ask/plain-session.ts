import type { Catalog } from '../../catalog/catalog.ts';
import { type Call, createSession } from '../../target/calls.ts';

/** Opens a session on a catalog's first product with a usual locale; with the shades of another catalog, if one is named. */
export function plainSession({ id, locale, products }: Catalog, catalogId = id): Call {
  return createSession({ product_id: products[0]?.id ?? '', catalog_id: catalogId, locale });
}

/** JSON schemas of request bodies. A mismatch is answered with 422. Unknown fields pass. */

/** Text that survives storage as it is: not empty, no lone surrogates. Patterns are read with the `u` flag. */
const text = { type: 'string', minLength: 1, maxLength: 256, pattern: '^[^\\uD800-\\uDFFF]+$' } as const;

export const maxShadesPerImport = 500;
/** Room for 500 shades with some kilobytes of metadata each. */
export const maxBodyBytes = 4 * 1024 * 1024;
/** Bounds the time for which one batch holds up every other request. */
const maxInteractionsPerBatch = 1_000;

export const sessionRequestSchema = {
  type: 'object',
  required: ['product_id', 'catalog_id', 'locale'],
  properties: {
    product_id: text,
    catalog_id: text,
    locale: { type: 'string', pattern: '^[a-z]{2}-[A-Z]{2}$' },
  },
} as const;

/** Everything else in a shade is metadata, kept and given back. */
const shadeSchema = {
  type: 'object',
  required: ['sku', 'name', 'hex', 'finish'],
  properties: {
    sku: text,
    name: text,
    hex: { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' },
    finish: text,
  },
} as const;

export const shadeBatchSchema = {
  type: 'object',
  required: ['catalog_id', 'shades'],
  properties: {
    catalog_id: text,
    shades: { type: 'array', minItems: 1, maxItems: maxShadesPerImport, items: shadeSchema },
  },
} as const;

export const shadesQuerySchema = {
  type: 'object',
  required: ['catalog_id'],
  properties: { catalog_id: { type: 'string', minLength: 1 } },
} as const;

export const analyticsQuerySchema = {
  type: 'object',
  required: ['start_date', 'end_date'],
  properties: {
    start_date: { type: 'string' },
    end_date: { type: 'string' },
    product_id: { type: 'string' },
  },
} as const;

const interactionSchema = {
  type: 'object',
  required: ['id', 'type', 'at'],
  properties: {
    id: { type: 'string', pattern: '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' },
    type: { enum: ['shade_selected', 'cart_intent'] },
    sku: text,
    at: { type: 'string', format: 'date-time' },
  },
  if: { properties: { type: { const: 'shade_selected' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['sku'] },
} as const;

export const interactionBatchSchema = {
  type: 'object',
  required: ['interactions'],
  properties: {
    interactions: { type: 'array', maxItems: maxInteractionsPerBatch, items: interactionSchema },
  },
} as const;

import type { MappedEndpoint } from './endpoint-fields.ts';

/** A valid request to each endpoint: the fields that it always has. */
export const sampleFields: Readonly<Record<MappedEndpoint, Readonly<Record<string, unknown>>>> = {
  create_session: { product_id: 'sample-product', catalog_id: 'sample-catalog', locale: 'en-GB' },
  read_session: { session_id: 'sample-session' },
  list_shades: { catalog_id: 'sample-catalog' },
  import_shades: {
    catalog_id: 'sample-catalog',
    shades: [{ sku: 'SAMPLE-1', name: 'Sample Rose', hex: '#A1B2C3', finish: 'matte' }],
  },
  analytics: { start_date: '2026-01-01', end_date: '2026-01-31' },
  interact: {
    session_id: 'sample-session',
    interactions: [
      { id: '00000000-0000-4000-8000-000000000001', type: 'shade_selected', at: '2026-01-01T00:00:00.000Z' },
    ],
  },
};

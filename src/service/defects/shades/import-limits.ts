import type { Alterations } from '../../server.ts';
import { shadeBatchSchema } from '../../validation.ts';

/** Has POST /shades hold the list of shades to other keywords of JSON Schema than the interface's. */
export function importLimits(keywords: {
  readonly maxItems?: number;
  readonly items?: object;
}): NonNullable<Alterations['server']> {
  const { shades } = shadeBatchSchema.properties;
  const properties = { ...shadeBatchSchema.properties, shades: { ...shades, ...keywords } };
  return (app) => {
    app.addHook('onRoute', (route) => {
      if (route.method !== 'POST' || route.url !== '/v1/shades') return;
      route.schema = { ...route.schema, body: { ...shadeBatchSchema, properties } };
    });
  };
}

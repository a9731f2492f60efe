import type { Call, Translation } from '../../target/calls.ts';
import * as calls from '../../target/calls.ts';
import { type Profile, possibleChannels, usualChannel } from '../../target/profile.ts';
import type { Endpoint } from '../../vocabulary/requests.ts';
import type { RouteTemplate } from './exporting.ts';

/** Values that no path has by chance, each with the name of its field. */
const samples = {
  key: 'sample-key',
  session_id: 'sample-session',
  catalog_id: 'sample-catalog',
  product_id: 'sample-product',
  start_date: '2001-02-03',
  end_date: '2004-05-06',
} as const;

/**
 * How requests look on the wire: a sample of each is made, by map or adapter where there is one, and the values in its
 * path are replaced by the names of their fields.
 */
export function routesOf(
  { profile, baseUrl }: { readonly profile: Profile; readonly baseUrl: URL },
  translation: Translation | undefined,
): Readonly<Record<Endpoint, RouteTemplate>> {
  const { catalog_id, end_date, product_id, session_id, start_date } = samples;
  const [channel = usualChannel] = possibleChannels(profile.channel);
  const event = { id: 'e1', type: 'shade_selected', sku: 'SKU-1', at: '2001-02-03T00:00:00.000Z' } as const;
  const shade = { sku: 'SKU-1', name: 'Rose', hex: '#A1B2C3', finish: 'matte' };
  const route = (call: Call): RouteTemplate => {
    const { method, path } = wireOf(call, translation);
    return { method, template: baseUrl.pathname + templateOf(path) };
  };
  return {
    'create-session': route(calls.createSession({ product_id, catalog_id, locale: 'en-GB' })),
    'read-session': route(calls.readSession(session_id)),
    'list-shades': route(calls.listShades(catalog_id)),
    'import-shades': route(calls.importShades({ catalog_id, shades: [shade] })),
    analytics: route(calls.analytics({ start_date, end_date, product_id })),
    interact: route(calls.interact(channel, session_id, { interactions: [event] })),
  };
}

/** An adapter that cannot make the sample may make others still: then it is named as the interface has it. */
function wireOf(call: Call, translation: Translation | undefined): Pick<Call, 'path'> & { method: string } {
  try {
    return translation?.request(call, `Bearer ${samples.key}`) ?? call;
  } catch {
    return call;
  }
}

function templateOf(path: string): string {
  let template = path.split('?', 1)[0] ?? '';
  for (const [field, value] of Object.entries(samples)) template = template.replaceAll(value, `{${field}}`);
  return template;
}

import {
  bearer,
  curlOf,
  importOf,
  json,
  keyOf,
  type NeededSession,
  openingOf,
  prints,
  sendableOf,
  url,
} from './curl.ts';

const catalog = 'reproduction';
const skus = ['R1', 'R2', 'R3', 'R4'];

function openingOn(product: string): NeededSession {
  return { credential: 'load', product_id: product, catalog_id: catalog, locale: 'en-US' };
}

/** The events of the one session that has any: a shade is selected twice. */
const events = [
  ...['R1', ...skus].map((sku) => ({ type: 'shade_selected', sku })),
  { type: 'cart_intent', sku: 'R1' },
].map((event, at) => ({
  id: `00000000-0000-4000-8000-00000000000${at}`,
  ...event,
  at: `2026-01-01T00:00:0${at}.000Z`,
}));

function analyticsOf(product?: string): string {
  const filter = product === undefined ? '' : `&product_id=${product}`;
  return `curl -sS -w '\\n' ${bearer(keyOf('load'))} ${url(`/analytics/sessions?start_date=$DAY&end_date=$DAY${filter}`)}`;
}

/**
 * Analytics of sessions whose numbers are known, for an embedded service that was started again and has no data. What is
 * expected follows its conventions.
 */
export function analyticsOfKnownSessions(channelPath: string): string[] {
  const path = channelPath.replaceAll('{session_id}', '$SESSION');
  const interaction = `curl -sS ${prints.status} ${bearer(keyOf('session'))} ${json} -d "$EVENTS" ${url(path)}`;
  const withoutEvents = curlOf(
    sendableOf({ ...openingOn('product-b'), endpoint: 'create-session' }),
    'status',
  );
  return [
    '# Make three sessions, one with events. Its events are sent twice with the same ids, and count once:',
    importOf(openingOn('product-a'), skus.length),
    ...openingOf(openingOn('product-a')),
    `EVENTS='${JSON.stringify({ interactions: events })}'`,
    interaction,
    interaction,
    withoutEvents,
    withoutEvents,
    'sleep 2; DAY=$(date -u +%F)',
    analyticsOf('product-a'),
    '# Expected: 1 session, 4 shades per session, rate 1; R1 has 2 selections, R2, R3 and R4 have 1.',
    analyticsOf('product-b'),
    '# Expected: 2 sessions, 0 shades per session, rate 0; top_shades is empty.',
    analyticsOf(),
    analyticsOf(),
    '# Expected, twice: 3 sessions, 1.3333 shades per session, rate 0.3333; top_shades as for product-a.',
  ];
}

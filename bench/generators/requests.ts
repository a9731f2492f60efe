import { apiKey } from './usage.ts';

/** What all generators but ours send: ours makes its requests from journeys. */
export const headers = {
  authorization: `Bearer ${apiKey}`,
  'content-type': 'application/json',
  accept: 'application/json',
};

export const sessionBody = JSON.stringify({
  product_id: 'long-wear-satin-lipstick-01-bench',
  catalog_id: 'catalog-bench',
  locale: 'en-GB',
});

/** The n-th event of a journey. */
export function eventBody(n: number, id: string, at: string): string {
  return JSON.stringify({
    interactions: [{ id, type: 'shade_selected', sku: `SLN-bench01-00${n}-bench`, at }],
  });
}

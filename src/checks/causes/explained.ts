/** Checks of single fields. */
export const figures = [
  'analytics.total-sessions',
  'analytics.avg-shades',
  'analytics.cart-intent',
  'analytics.top-shades',
] as const;
/** What fails wherever a figure is wrong. */
export const relations = [
  'analytics.additivity',
  'analytics.product-filter',
  'analytics.conventions',
  'analytics.audit-session',
] as const;
/** Those that fail where something counts that cannot have happened. */
export const empties = ['analytics.audit-product-filter', 'analytics.audit-empty-period'] as const;
/** Checks of an audit that add numbers up. */
export const sums = [
  'analytics.audit-adjacent-periods',
  'analytics.audit-averages',
  'analytics.audit-products',
  'analytics.audit-top-shades',
  'analytics.audit-widening',
] as const;
/** What is seen where sessions or selections are counted wrong, whatever it comes of. */
export const wrongSums = [
  'sessions-counted-wrong',
  'selections-counted-wrong',
  'mean-wrong',
  'periods-do-not-add-up',
  'products-do-not-add-up',
] as const;

/** `a`, `a and b`, `a, b and c`. */
export function named(items: readonly string[]): string {
  return [items.slice(0, -1).join(', '), ...items.slice(-1)].filter((text) => text !== '').join(' and ');
}

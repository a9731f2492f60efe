import type { Variant } from './variant.ts';

export const tiesDescending: Variant = {
  name: 'ties-descending',
  title: 'Shades with equal selections are in descending order of SKU',
  alterations: {
    options: (options) => ({ ...options, analytics: { ...options.analytics, ties: 'sku-descending' } }),
  },
};

import type { Variant } from './variant.ts';

export const tiesDescending: Variant = {
  name: 'ties-descending',
  title: 'Shades selected equally often stand in descending order of SKU',
  alterations: {
    options: (options) => ({ ...options, analytics: { ...options.analytics, ties: 'sku-descending' } }),
  },
};

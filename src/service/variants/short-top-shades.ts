import type { Variant } from './variant.ts';

export const shortTopShades: Variant = {
  name: 'short-top-shades',
  title: 'top_shades has 5 entries at most',
  alterations: {
    options: (options) => ({ ...options, analytics: { ...options.analytics, topShades: 5 } }),
  },
};

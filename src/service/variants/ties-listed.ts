import type { Variant } from './variant.ts';

/** This many shades are due; shades with as many selections as the last of them are listed, too. */
const due = 3;

export const tiesListed: Variant = {
  name: 'ties-listed',
  title: `top_shades has ${due} entries, and more if they have as many selections as the last`,
  alterations: {
    options: (options) => ({ ...options, analytics: { ...options.analytics, topShades: 10_000 } }),
    parts: (parts) => ({
      ...parts,
      analytics: {
        async report(caller, period, productId) {
          const report = await parts.analytics.report(caller, period, productId);
          const least = report.top_shades[due - 1]?.selections ?? 0;
          return { ...report, top_shades: report.top_shades.filter(({ selections }) => selections >= least) };
        },
      },
    }),
  },
};

import type { Variant } from './variant.ts';

/** As many decimals as there are, less the last bit: the mean was taken in another order of additions. */
export const unrounded: Variant = {
  name: 'unrounded',
  title: 'Averages and rates are not rounded, and differ by one in the last bit',
  alterations: {
    options: (options) => ({ ...options, analytics: { ...options.analytics, decimals: 17 } }),
    parts: (parts) => ({
      ...parts,
      analytics: {
        async report(caller, period, productId) {
          const report = await parts.analytics.report(caller, period, productId);
          return {
            ...report,
            avg_shades_per_session: lastBitOff(report.avg_shades_per_session),
            cart_intent_rate: lastBitOff(report.cart_intent_rate),
          };
        },
      },
    }),
  },
};

/** The next smaller double, or the one after that; 0 stays 0. */
function lastBitOff(value: number): number {
  return value * (1 - Number.EPSILON / 2);
}

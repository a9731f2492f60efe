import type { SessionAnalytics } from '../../wire.ts';
import type { Alterations } from '../alterations.ts';
import type { AnalyticsConventions } from '../options.ts';
import { type Variant, vary } from './variant.ts';

/** ties-listed: how many shades are due. */
const due = 3;
/** cached-analytics: below the second that the reference service promises. */
const oldestMs = 700;

export const analyticsVariants: readonly Variant[] = [
  vary('ties-descending', 'Shades with equal selections are in descending order of SKU', {
    options: conventions({ ties: 'sku-descending' }),
  }),

  vary('short-top-shades', 'top_shades has 5 entries at most', { options: conventions({ topShades: 5 }) }),

  vary('ties-listed', `top_shades has ${due} entries, and more if they have as many selections as the last`, {
    options: conventions({ topShades: 10_000 }),
    analytics: ({ report }) => ({
      async report(...question) {
        const answer = await report(...question);
        const least = answer.top_shades[due - 1]?.selections ?? 0;
        return { ...answer, top_shades: answer.top_shades.filter(({ selections }) => selections >= least) };
      },
    }),
  }),

  // As many decimals as there are, less the last bit: the mean was taken in another order of additions.
  vary('unrounded', 'Averages and rates are not rounded, and differ by one in the last bit', {
    options: conventions({ decimals: 17 }),
    analytics: ({ report }) => ({
      async report(...question) {
        const answer = await report(...question);
        return {
          ...answer,
          avg_shades_per_session: lastBitOff(answer.avg_shades_per_session),
          cart_intent_rate: lastBitOff(answer.cart_intent_rate),
        };
      },
    }),
  }),

  vary('cached-analytics', `Analytics are up to ${oldestMs} ms old`, {
    analytics({ report }, { clock }) {
      const kept = new Map<string, { readonly report: SessionAnalytics; readonly madeMs: number }>();
      return {
        async report(caller, period, productId) {
          const nowMs = clock.monotonicMs();
          const question = JSON.stringify([caller.accountId, period, productId]);
          const known = kept.get(question);
          if (known !== undefined && nowMs - known.madeMs < oldestMs) return known.report;
          const made = await report(caller, period, productId);
          kept.set(question, { report: made, madeMs: nowMs });
          return made;
        },
      };
    },
  }),
];

function conventions(changed: Partial<AnalyticsConventions>): NonNullable<Alterations['options']> {
  return (options) => ({ ...options, analytics: { ...options.analytics, ...changed } });
}

/** The next smaller double, or the one after that; 0 stays 0. */
function lastBitOff(value: number): number {
  return value * (1 - Number.EPSILON / 2);
}

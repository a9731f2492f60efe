import type { Defect } from '../defect.ts';

const staleMinutes = 15;

/** Analytics are made from a copy of the sessions that lags behind. */
export const stale: Defect = {
  id: 'Y14',
  grade: 3,
  title: `A session shows in analytics ${staleMinutes} minutes after its creation`,
  alterations: {
    parts: (parts, _database, { clock }) => ({
      ...parts,
      analytics: {
        report(caller, period, productId) {
          const copiedMs = clock.wallMs() - staleMinutes * 60_000;
          const copied = { ...period, untilMs: Math.min(period.untilMs, copiedMs) };
          return parts.analytics.report(caller, copied, productId);
        },
      },
    }),
  },
};

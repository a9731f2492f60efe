import { sqlAnalytics } from '../../analytics.ts';
import type { Defect } from '../defect.ts';
import { alteredReport } from './altered-report.ts';
import { rounded } from './rounded.ts';

/** SQLite's numbers have hardly more, so that nothing is lost by rounding in between. */
const allDecimals = 15;

/** total_sessions counts every session, but average and rate are over those in which something was done. */
export const bouncesLeftOut: Defect = {
  id: 'Y19',
  grade: 3,
  title: 'The average and the rate leave out sessions without events',
  alterations: {
    parts: (parts, database, { analytics: conventions }) => {
      const { decimals, sessionsAveraged } = conventions;
      const exact = sqlAnalytics(database, { ...conventions, decimals: allDecimals });
      const countEngaged = database.query<{ engaged: number }>(`
        SELECT count(*) AS engaged FROM sessions
        WHERE account = ? AND created_at_ms >= ? AND created_at_ms < ? AND (?4 IS NULL OR product_id = ?4)
          AND EXISTS (SELECT 1 FROM interactions WHERE interactions.session = sessions.id)
      `);
      return alteredReport(parts, async (report, { caller, period, productId }) => {
        const scope = [caller.accountId, period.fromMs, period.untilMs, productId ?? null] as const;
        const engaged = countEngaged.get(...scope)?.engaged ?? 0;
        if (engaged === 0) return report;
        const { total_sessions, avg_shades_per_session, cart_intent_rate } = await exact.report(
          caller,
          period,
          productId,
        );
        const overEngaged = (mean: number): number => rounded((mean * total_sessions) / engaged, decimals);
        return {
          ...report,
          cart_intent_rate: overEngaged(cart_intent_rate),
          ...(sessionsAveraged === 'all' && {
            avg_shades_per_session: overEngaged(avg_shades_per_session),
          }),
        };
      });
    },
  },
};

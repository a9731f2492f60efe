import { randomUUID } from 'node:crypto';
import { sqlAnalytics } from '../analytics.ts';
import { rounded } from './analytics-numbers.ts';
import { type Defect, plant } from './defect.ts';
import { historiesShow } from './interactions.ts';

const hourMs = 3_600_000;
/** Y14. */
const staleMinutes = 15;
/** Y18: no id of an interaction that was sent holds this. */
const again = ' again ';

/** Which sessions and events analytics count. */
export const countDefects: readonly Defect[] = [
  plant('Y1', 2, 'The period handles its end date wrongly: excluded instead of included, or the reverse', {
    options: ({ analytics, ...options }) => ({
      ...options,
      analytics: { ...analytics, endDate: analytics.endDate === 'inclusive' ? 'exclusive' : 'inclusive' },
    }),
  }),

  // The zone is one in which the date differs from UTC's for hours after the start of the service: UTC+14 from ten
  // o'clock UTC on, UTC-12 before.
  plant('Y2', 3, 'Days begin at midnight in a local time zone, not in UTC', {
    options(options) {
      const hour = Math.floor(options.clock.wallMs() / hourMs) % 24;
      return {
        ...options,
        analytics: { ...options.analytics, dayOffsetMinutes: 60 * (hour >= 10 ? 14 : -12) },
      };
    },
  }),

  plant('Y4', 2, 'Analytics of one product contain all products', {
    analytics: ({ report }) => ({ report: (caller, period) => report(caller, period, undefined) }),
  }),

  plant('Y6', 3, 'In analytics of one product, top_shades contains all products', {
    analytics: ({ report }) => ({
      async report(caller, period, productId) {
        const { top_shades } = await report(caller, period, undefined);
        return { ...(await report(caller, period, productId)), top_shades };
      },
    }),
  }),

  // Analytics are made from a copy of the sessions that lags behind.
  plant('Y14', 3, `A session shows in analytics ${staleMinutes} minutes after its creation`, {
    analytics: ({ report }, { clock }) => ({
      report(caller, period, productId) {
        const copiedMs = clock.wallMs() - staleMinutes * 60_000;
        return report(caller, { ...period, untilMs: Math.min(period.untilMs, copiedMs) }, productId);
      },
    }),
  }),

  // An interaction that comes again is stored under another id, which analytics count and histories do not show.
  plant('Y18', 3, 'Analytics count a repeated event twice, while histories show it once', {
    interactions({ record }, { database }) {
      const findStored = database.query('SELECT 1 FROM interactions WHERE session = ? AND id = ?');
      return {
        async record(session, interactions) {
          const ids = interactions.map(({ id }) => id);
          const repeats = interactions
            .filter(
              ({ id }, place) => ids.indexOf(id) < place || findStored.get(session.id, id) !== undefined,
            )
            .map((each) => ({ ...each, id: `${each.id}${again}${randomUUID()}` }));
          const recorded = await record(session, interactions);
          if (recorded.outcome === 'recorded') await record(session, repeats);
          return recorded;
        },
      };
    },
    sessions: historiesShow((interactions) => interactions.filter(({ id }) => !id.includes(again))),
  }),

  // total_sessions counts every session, but average and rate are over those in which something was done.
  plant('Y19', 3, 'The average and the rate leave out sessions without events', {
    analytics({ report }, { analytics: conventions, database }) {
      const { decimals, sessionsAveraged } = conventions;
      // SQLite's numbers have hardly more decimals, so that rounding in between loses nothing.
      const exact = sqlAnalytics(database, { ...conventions, decimals: 15 });
      const countEngaged = database.query<{ engaged: number }>(`
        SELECT count(*) AS engaged FROM sessions
        WHERE account = ? AND created_at_ms >= ? AND created_at_ms < ? AND (?4 IS NULL OR product_id = ?4)
          AND EXISTS (SELECT 1 FROM interactions WHERE interactions.session = sessions.id)
      `);
      return {
        async report(caller, period, productId) {
          const answer = await report(caller, period, productId);
          const scope = [caller.accountId, period.fromMs, period.untilMs, productId ?? null] as const;
          const engaged = countEngaged.get(...scope)?.engaged ?? 0;
          if (engaged === 0) return answer;
          const all = await exact.report(caller, period, productId);
          const overEngaged = (mean: number): number =>
            rounded((mean * all.total_sessions) / engaged, decimals);
          return {
            ...answer,
            cart_intent_rate: overEngaged(all.cart_intent_rate),
            ...(sessionsAveraged === 'all' && {
              avg_shades_per_session: overEngaged(all.avg_shades_per_session),
            }),
          };
        },
      };
    },
  }),
];

import { randomUUID } from 'node:crypto';
import { type Defect, plant, reports } from '../alterations.ts';
import type { Analytics } from '../parts.ts';
import { sqlAnalytics } from '../sessions.ts';
import { historiesShow } from './sessions.ts';

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

/** Y16. */
const estimateError = 0.02;

/** How analytics calculate and write what they have counted. */
export const numberDefects: readonly Defect[] = [
  // Two versions of the service answer in turn: one averages distinct shades, the other selections.
  plant('Y7', 3, 'avg_shades_per_session counts repeated selections in one answer and not in the next', {
    analytics: reports(({ analytics, database }) => {
      const shadesPerSession = analytics.shadesPerSession === 'distinct' ? 'selections' : 'distinct';
      const other = sqlAnalytics(database, { ...analytics, shadesPerSession });
      const isOthersTurn = turns();
      return async (report, ...question) => {
        if (!isOthersTurn(...question)) return report;
        const { avg_shades_per_session } = await other.report(...question);
        return { ...report, avg_shades_per_session };
      };
    }),
  }),

  plant('Y9', 2, 'cart_intent_rate is a percentage, not a fraction', {
    analytics: reports(({ analytics: { decimals } }) => (report) => ({
      ...report,
      cart_intent_rate: rounded(100 * report.cart_intent_rate, decimals),
    })),
  }),

  plant('Y10', 3, 'avg_shades_per_session is rounded down to a whole number', {
    analytics: reports(() => (report) => ({
      ...report,
      avg_shades_per_session: Math.floor(report.avg_shades_per_session),
    })),
  }),

  // Both are kept with one decimal, and written with as many as ever.
  plant('Y10-early', 3, 'The average and the rate are rounded to tenths too early', {
    analytics: reports(() => (report) => ({
      ...report,
      avg_shades_per_session: rounded(report.avg_shades_per_session, 1),
      cart_intent_rate: rounded(report.cart_intent_rate, 1),
    })),
  }),

  plant('Y12', 3, 'Shades with equal selections change places between reads', {
    analytics: reports(() => {
      const isTurned = turns();
      return (report, ...question) => {
        if (!isTurned(...question)) return report;
        // Sorting keeps the order of equals.
        const top_shades = report.top_shades.toReversed().sort((a, b) => b.selections - a.selections);
        return { ...report, top_shades };
      };
    }),
  }),

  // Like the sketches of data warehouses: right for few, then off by the same for the same sessions.
  plant('Y16', 4, `total_sessions is an estimate, ${100 * estimateError} % off and then rounded`, {
    analytics: reports(() => (report) => {
      const { total_sessions: count } = report;
      const factor = count % 2 === 0 ? 1 - estimateError : 1 + estimateError;
      return { ...report, total_sessions: Math.round(count * factor) };
    }),
  }),

  plant('Y17', 2, 'The dates of period have no spaces around their slash', {
    analytics: reports(() => (report, _caller, { startDate, endDate }) => ({
      ...report,
      period: `${startDate}/${endDate}`,
    })),
  }),
];

/** Alternates between reads of the same question, and between the first reads of different ones. */
function turns(): (...question: Parameters<Analytics['report']>) => boolean {
  const next = new Map<string, number>();
  return ({ accountId }, period, productId) => {
    const question = JSON.stringify([accountId, period, productId]);
    const turn = next.get(question) ?? next.size;
    next.set(question, turn + 1);
    return turn % 2 === 1;
  };
}

/** A number rounded to this many decimals. */
function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

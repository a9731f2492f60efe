import type { TopShade } from '../wire.ts';
import type { Database } from './database.ts';
import type { AnalyticsConventions } from './options.ts';
import type { Analytics } from './parts.ts';

interface TotalsRow {
  readonly total_sessions: number;
  readonly avg_shades_per_session: number;
  readonly cart_intent_rate: number;
}

/** What GET /analytics/sessions reports, computed by SQL from what is stored at that moment. */
export function sqlAnalytics(database: Database, conventions: AnalyticsConventions): Analytics {
  const chosenSessions = `
    chosen AS (
      SELECT id FROM sessions
      WHERE account = ? AND created_at_ms >= ? AND created_at_ms < ? AND (?4 IS NULL OR product_id = ?4)
    )`;
  const selectedSku = `CASE WHEN type = 'shade_selected' THEN sku END`;
  const shades = {
    distinct: `count(DISTINCT ${selectedSku})`,
    selections: `count(${selectedSku})`,
  }[conventions.shadesPerSession];
  // avg() passes over NULLs.
  const averaged = { all: 'shades', 'with-shades': 'nullif(shades, 0)' }[conventions.sessionsAveraged];
  const rounded = (average: string): string => `coalesce(round(${average}, ${conventions.decimals}), 0.0)`;

  const totals = database.query<TotalsRow>(`
    WITH ${chosenSessions},
    per_session AS (
      SELECT chosen.id, ${shades} AS shades, coalesce(max(type = 'cart_intent'), 0) AS cart_intent
      FROM chosen LEFT JOIN interactions ON interactions.session = chosen.id
      GROUP BY chosen.id
    )
    SELECT count(*) AS total_sessions,
           ${rounded(`avg(${averaged})`)} AS avg_shades_per_session,
           ${rounded('avg(cart_intent)')} AS cart_intent_rate
    FROM per_session
  `);

  const direction = { 'sku-ascending': 'ASC', 'sku-descending': 'DESC' }[conventions.ties];
  const topShades = database.query<TopShade>(`
    WITH ${chosenSessions}
    SELECT sku, count(*) AS selections
    FROM chosen JOIN interactions ON interactions.session = chosen.id
    WHERE type = 'shade_selected'
    GROUP BY sku
    ORDER BY selections DESC, utf16_code_units(sku) ${direction}
    LIMIT ${conventions.topShades}
  `);

  return {
    report(caller, { startDate, endDate, fromMs, untilMs }, productId) {
      const scope = [caller.accountId, fromMs, untilMs, productId ?? null] as const;
      const row = totals.get(...scope);
      if (row === undefined) throw new Error('an aggregate without GROUP BY gave no row');
      return { period: `${startDate} / ${endDate}`, ...row, top_shades: topShades.all(...scope) };
    },
  };
}

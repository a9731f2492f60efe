import type { SessionAnalytics } from '../../wire.ts';
import type { Changes, Context } from '../alterations.ts';
import { sqlAnalytics } from '../analytics.ts';
import type { Analytics, MaybeLater } from '../parts.ts';
import { type Defect, plant } from './defect.ts';

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

type ReportQuestion = Parameters<Analytics['report']>;

/** Changes every report of analytics. */
function reports(
  changeFor: (
    context: Context,
  ) => (report: SessionAnalytics, ...question: ReportQuestion) => MaybeLater<SessionAnalytics>,
): NonNullable<Changes['analytics']> {
  return ({ report }, context) => {
    const change = changeFor(context);
    return { report: async (...question) => change(await report(...question), ...question) };
  };
}

/** Alternates between reads of the same question, and between the first reads of different ones. */
function turns(): (...question: ReportQuestion) => boolean {
  const next = new Map<string, number>();
  return ({ accountId }, period, productId) => {
    const question = JSON.stringify([accountId, period, productId]);
    const turn = next.get(question) ?? next.size;
    next.set(question, turn + 1);
    return turn % 2 === 1;
  };
}

/** A number rounded to this many decimals. */
export function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

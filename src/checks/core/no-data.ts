import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { oncePerHistory, sqlText } from '../../history/tables.ts';
import { isChannelOpen } from '../../target/profile.ts';
import { latestEndDate } from '../../vocabulary/phases.ts';
import type { StatusExcuse } from '../reasons/contract/answers.ts';
import { admitted, find } from './found.ts';

/** Requests for analytics that a target may refuse, since there is nothing that they could be about. */
export interface NoData {
  /** SQL: a request is such, and was refused. */
  readonly isRefused: string;
  /** Those for a period from a day to the same day: `status` is what the first of them got. */
  readonly emptyPeriods: { readonly total: number; readonly status: number } | undefined;
  /** How many there are for products that need not be known yet; without probes. */
  readonly newProducts: number;
}

const periodsRow = z.object({
  accepted: z.number(),
  others: z.number(),
  total: z.number(),
  new_products: z.number(),
  status: z.number().nullable(),
});

/**
 * The interface says neither whether `end_date` belongs to a period nor what a product without sessions gets. A period from a
 * day to the same day is empty where `end_date` does not belong to it: a 4xx is right if all of them get one and longer periods do
 * not. So is a 404 for a product until its first session has to be in analytics.
 */
export const noData = oncePerHistory(async (history: History): Promise<NoData> => {
  const { end_date: end, freshness: freshnessMs } = history.profile.analytics;
  const isNew = `(endpoint = 'analytics' AND status = 404 AND product_id IS NOT NULL AND sent_ns < coalesce(
    (SELECT min(made.answered_ns) FROM requests made WHERE made.endpoint = 'create-session' AND made.${admitted}
       AND made.product_id = requests.product_id), sent_ns) + ${Math.round(freshnessMs * 1e6)})`;
  const ofOneDay = `seq IN (SELECT seq FROM answers WHERE json_extract_string(query, '$.start_date') = json_extract_string(query, '$.end_date'))`;
  const isRefused = `${ofOneDay} AND status IN (400, 404, 422)`;
  const [row] = await history.rows(
    periodsRow,
    `SELECT count(*) FILTER (${ofOneDay} AND ${admitted}) AS accepted, count(*) FILTER (NOT ${ofOneDay} AND ${admitted}) AS others,
       count(*) FILTER (${isRefused}) AS total, count(*) FILTER (${isNew} AND probe IS NULL) AS new_products, any_value(status) FILTER (${isRefused}) AS status
     FROM requests WHERE endpoint = 'analytics' AND coalesce(probe, '') <> 'explored' AND NOT starts_with(coalesce(probe, ''), 'audit:')`,
  );
  const isConvention =
    end !== 'inclusive' && row !== undefined && row.accepted === 0 && row.others > 0 && row.total > 0;
  return {
    isRefused: isConvention ? `(${isNew} OR endpoint = 'analytics' AND ${isRefused})` : isNew,
    newProducts: row?.new_products ?? 0,
    emptyPeriods: isConvention ? { total: row.total, status: row.status ?? 0 } : undefined,
  };
});

interface UnexpectedStatus {
  readonly stage: string;
  readonly endpoint: string;
  readonly status: number;
}

/** The run looked for what the target takes, and found it. */
export const searches: ReadonlySet<StatusExcuse> = new Set(['date-format-search', 'end-date-search']);

/** Whether the form or the place of the interaction channel is open, and no request with events was accepted. */
export async function isChannelUnknown(history: History): Promise<boolean> {
  if (!isChannelOpen(history.profile.channel)) return false;
  return (await find(history, `endpoint = 'interact' AND ${admitted}`)).total === 0;
}

/** Why an unexpected 4xx may be this program's fault: the interface document does not show how to make the request. */
export async function findExcuses(
  history: History,
): Promise<(row: UnexpectedStatus) => StatusExcuse | undefined> {
  const { profile } = history;
  const isUnknown = await isChannelUnknown(history);
  const analytics = await find(history, `endpoint = 'analytics' AND ${admitted}`);
  const [latest] = await history.rows(
    z.object({ known: z.boolean() }),
    `SELECT count(*) > 0 AS known FROM events
     WHERE kind = 'discovered' AND json_extract_string(event, '$.what') = ${sqlText(latestEndDate)}`,
  );
  return ({ stage, endpoint, status }) => {
    if (status >= 500 || status < 400) return undefined;
    if (endpoint === 'interact' && isUnknown) return 'no-channel';
    if (endpoint !== 'analytics' || (status !== 400 && status !== 422)) return undefined;
    if (profile.analytics.date_format === 'discover' && analytics.total === 0) return 'no-date-format';
    if (stage !== 'setup') return undefined;
    if (latest?.known === true) return 'end-date-search';
    if (profile.analytics.date_format === 'discover') return 'date-format-search';
    return undefined;
  };
}

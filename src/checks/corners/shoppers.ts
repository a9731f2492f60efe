import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/once.ts';
import { admitted } from '../core/found.ts';
import { isProbe } from '../core/probe-names.ts';

/** SQL: a request of the load with values that probes had sent before. */
const isUnusual = `(catalog_id IN (SELECT catalog_id FROM requests WHERE ${isProbe('corners:import')}) OR
  product_id IN (SELECT product_id FROM requests WHERE ${isProbe('corners:create-session')}))`;

const inLoad = "stage = 'load' AND shopper IS NOT NULL";
const opensInLoad = `${inLoad} AND endpoint = 'create-session'`;

/** SQL: the shoppers of the load who use unusual values: who open a session with them, or list the catalog. */
export const unusualShoppers = `SELECT shopper FROM requests WHERE ${inLoad} AND endpoint IN ('create-session', 'list-shades') AND ${isUnusual}`;

const row = z.object({ sessions: z.number(), unusual: z.number(), products: z.number() });

/** The sessions that shoppers of the load opened, and those among them with unusual values: of how many products. */
export type LoadSessions = z.output<typeof row>;

export const readLoadSessions = oncePerHistory(async (history: History): Promise<LoadSessions> => {
  const [found] = await history.rows(
    row,
    `SELECT count(*) AS sessions, count(*) FILTER (${isUnusual}) AS unusual,
       count(DISTINCT product_id) FILTER (${isUnusual}) AS products
     FROM requests WHERE ${opensInLoad} AND ${admitted}`,
  );
  if (found === undefined) throw new Error('an aggregate without a row');
  return found;
});

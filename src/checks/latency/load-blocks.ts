import { z } from 'zod';
import { oncePerHistory } from '../../history/once.ts';

/** Stretches of the load. Their rates are compared without interactions, which come when shoppers act and not at a pace. */
const blocks = 64;
/** Shorter loads tell uptime from nothing. */
const shortestLoadMs = 60_000;

/** SQL for the blocks of a load. */
export interface LoadBlocks {
  /** After WITH: `blocked`, the requests of the load with their `block`, and `busy`, the `load` of each block. */
  readonly blocked: string;
  /** After that: the load of the block in which another request was sent; null if there was none. */
  readonly loadAround: string;
}

/** Undefined for a short load, or none. */
export const loadBlocks = oncePerHistory(async (history): Promise<LoadBlocks | undefined> => {
  const [span] = await history.rows(
    z.object({ from_ns: z.number().nullable(), span_ns: z.number().nullable() }),
    `SELECT min(sent_ns) AS from_ns, max(sent_ns) - min(sent_ns) AS span_ns FROM requests WHERE stage = 'load'`,
  );
  if (span === undefined || (span.span_ns ?? 0) < shortestLoadMs * 1e6) return undefined;
  const number = `least(${blocks - 1}, floor((sent_ns - ${span.from_ns}) * ${blocks} / ${span.span_ns}))::INTEGER`;
  return {
    blocked: `blocked AS NOT MATERIALIZED (
     SELECT *, ${number} AS block FROM requests WHERE stage = 'load' AND sent_ns IS NOT NULL),
   busy AS (SELECT block, count(*) AS load FROM blocked WHERE endpoint <> 'interact' GROUP BY block)`,
    loadAround: `(SELECT load FROM busy WHERE block = ${number})`,
  };
});

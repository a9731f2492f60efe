import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import { admitted } from './found.ts';
import { isProbe } from './probe-names.ts';

const answerRow = z.object({
  seq: z.number(),
  product_id: z.string().nullable(),
  total_sessions: z.number().nullable(),
});
type ProductAnswer = z.output<typeof answerRow>;

/** The last analytics answer that a probe got: its product, and the sessions that it counts. */
export async function lastProductAnswer(history: History, probe: Probe): Promise<ProductAnswer | undefined> {
  const [answer] = await history.rows(
    answerRow,
    `SELECT a.seq, json_extract_string(query, '$.product_id') AS product_id,
            try_cast(json_extract_string(body, '$.total_sessions') AS DOUBLE) AS total_sessions
     FROM answers a JOIN requests r ON r.seq = a.seq
     WHERE ${isProbe(probe)} AND ${admitted} ORDER BY a.seq DESC LIMIT 1`,
  );
  return answer;
}

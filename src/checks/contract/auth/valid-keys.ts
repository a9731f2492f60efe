import { z } from 'zod';
import { ownText } from '../../../history/columns.ts';
import type { History } from '../../../history/history.ts';
import { type Family, oddProbes } from '../../../vocabulary/probes.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { admitted, firstSeqs, seqsColumn } from '../../core/found.ts';

/** Families whose requests name what the key may not see: a service may answer 401 in place of 404. */
const othersProbes = ['tenancy', 'unknown-session', 'unknown-catalog'] as const satisfies readonly Family[];

/** SQL: a valid key got 401. An interaction carries a token, which may have expired. */
export const keyRefused = `(coalesce(status = 401, false) AND credential NOT IN ('none', 'bad', 'session') AND endpoint <> 'interact'
  AND coalesce(probe, '') <> 'quota:twin-session'
  AND coalesce(split_part(probe, ':', 1), '') NOT IN (${[...oddProbes, ...othersProbes].map(ownText).join(', ')}))`;

/** Of ordinary requests, and of the probes of `keyRefused`. */
export function isKeyRefusal(row: { readonly status: number; readonly endpoint: string }): boolean {
  return row.status === 401 && row.endpoint !== 'interact';
}

const refusedRow = z.object({
  refused: z.number(),
  answered: z.number(),
  later: z.number(),
  seqs: seqsColumn,
});

/** A valid key that gets 401, now and then or from some instant on. */
export async function keyRefusals(history: History): Promise<Suspect[]> {
  const [row] = await history.rows(
    refusedRow,
    `WITH since AS (SELECT credential, min(answered_ns) AS begun FROM requests WHERE ${keyRefused} GROUP BY credential)
     SELECT count(*) FILTER (${keyRefused}) AS refused, count(*) FILTER (status IS NOT NULL) AS answered,
       count(*) FILTER (${admitted} AND sent_ns > begun) AS later, ${firstSeqs} FILTER (${keyRefused}) AS seqs
     FROM requests JOIN since USING (credential) WHERE endpoint <> 'interact'`,
  );
  if (row === undefined || row.refused === 0) return [];
  const { answered, later, refused, seqs } = row;
  return [fits('valid-key-refused', { requests: refused, of: answered, lasts: later === 0 }, seqs)];
}

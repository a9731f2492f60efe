import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { seqsColumn } from '../found.ts';
import { probeColumn } from '../probe-names.ts';

/** Each probe that times out is sent again, so that one request without an answer shows nothing. */
const fewestSilent = 2;
/** Answers to other probes without which a target may only be slow. */
const fewestAnswered = 10;

const probesRow = z.object({
  probe: probeColumn,
  endpoint: z.string(),
  silent: z.number(),
  answered: z.number(),
  seqs: seqsColumn,
});

/**
 * The kinds of probe, each as its endpoint and its name, of which every request timed out, while no request of any other kind did. Malformed requests are not
 * among them: they have a check of their own.
 */
export async function silentProbes(
  history: History,
): Promise<{ readonly kind: string; readonly seqs: readonly number[] }[]> {
  const rows = await history.rows(
    probesRow,
    `SELECT probe, endpoint, count(*) FILTER (lost = 'timeout') AS silent, count(status) AS answered,
            coalesce(list(seq ORDER BY seq) FILTER (lost = 'timeout'), []) AS seqs
     FROM requests WHERE probe IS NOT NULL AND NOT starts_with(probe, 'invalid:')
     GROUP BY ALL ORDER BY min(seq)`,
  );
  const silent = rows.filter(({ silent: timedOut }) => timedOut > 0);
  const isAlways = silent.every((each) => each.answered === 0 && each.silent >= fewestSilent);
  const answered = rows.reduce((sum, each) => sum + each.answered, 0);
  return isAlways && answered >= fewestAnswered
    ? silent.map(({ endpoint, probe, seqs }) => ({ kind: `${endpoint} ${probe}`, seqs }))
    : [];
}

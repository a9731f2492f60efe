import { z } from 'zod';
import { ownText } from '../../../history/columns.ts';
import type { History } from '../../../history/history.ts';
import { type Family, oddProbes } from '../../../vocabulary/probes.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { admitted, firstSeqs, seqsColumn } from '../../core/found.ts';
import { is2xx, type ProbeRow, unanswered } from '../../core/probes.ts';
import { type CheckFinding, counted, evidence } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';

/**
 * An unknown key is rejected also while more arrives than the promised rate. A 429 says nothing: whether the key or the
 * limit is checked first is not promised. No finding where the load never exceeds the limit.
 */
export function checkAuthUnderLoad(
  probes: readonly ProbeRow[],
  { run, profile }: Pick<History, 'run' | 'profile'>,
): CheckFinding[] {
  const sent = probes.filter((row) => row.probe === 'loaded:bad-key');
  const { requests, windowMs } = profile.rate_limit;
  const perMinute = (requests * 60_000) / windowMs;
  const isLoaded = run.phases.some((phase) => (phase.peak_per_minute ?? 0) > perMinute);
  if (sent.length === 0 && !isLoaded) return [];
  const answered = sent.filter((row) => unanswered(row) === undefined);
  const rejected = answered.filter((row) => row.status === 401);
  const broken = answered.filter((row) => row.status !== null && row.status >= 500);
  const wrong = answered.filter((row) => !rejected.includes(row) && !broken.includes(row));
  const accepted = wrong.filter(is2xx).map(({ seq }) => seq);
  const statuses: Record<string, number> = {};
  for (const { status } of answered) statuses[String(status)] = (statuses[String(status)] ?? 0) + 1;
  return [
    counted({
      id: 'contract.auth-under-load',
      judged: rejected.length,
      observed: { sent: sent.length, answered: statuses },
      wrong: [
        {
          ...evidence(
            'let in, or another status than 401',
            wrong.map(({ seq }) => seq),
          ),
          reason: reason('auth-under-load-status', {
            statuses: [...new Set(wrong.map((row) => row.status))],
            wrong: wrong.length,
            answers: answered.length,
          }),
          ...(accepted.length > 0 && {
            cause: shown('key-not-checked-under-load', { accepted: accepted.length }, accepted),
          }),
        },
      ],
      passed: () => reason('auth-under-load-401', { rejected: rejected.length, requests: sent.length }),
      nothing: () =>
        sent.length === 0
          ? reason('auth-under-load-not-tried')
          : reason('auth-under-load-unclear', { requests: sent.length }),
    }),
  ];
}

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

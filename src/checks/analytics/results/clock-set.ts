import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { caused, shown } from '../../causes/cause.ts';
import { admitted, firstSeqs, seqsColumn } from '../../core/found.ts';
import { earliestSql, expiryMs, setClock } from '../../core/moved-clock.ts';
import { type CheckFinding, evidenceIfAny } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';

const setRow = z.object({ sessions: z.number(), expired: z.number(), seqs: seqsColumn });

/**
 * Where the run set the target's clock, new sessions expire after the time that it was set to. A `Date` header shows nothing: a
 * proxy may have made it, whose clock was not set. No finding where no clock was set.
 */
export async function checkClockSet(history: History): Promise<CheckFinding[]> {
  const clock = await setClock(history);
  const [first] = clock.moves;
  if (first === undefined) return [];
  const [row] = await history.rows(
    setRow,
    `WITH opened AS (
       SELECT seq, ${expiryMs('expires_at')} < ${earliestSql(clock, 'sent_ns')} - ${history.profile.clock_skew_bound} AS expired
       FROM requests WHERE endpoint = 'create-session' AND ${admitted} AND sent_ns > ${first.setNs})
     SELECT count(expired) AS sessions, count(*) FILTER (expired) AS expired, ${firstSeqs} FILTER (expired) AS seqs FROM opened`,
  );
  const { expired = 0, seqs = [], sessions = 0 } = row ?? {};
  const verdict = sessions === 0 ? 'inconclusive' : expired > 0 ? 'fail' : 'pass';
  return [
    {
      id: 'analytics.clock-set',
      verdict,
      expected: { 'new sessions that have expired': 0 },
      observed: { 'new sessions': sessions, 'that have expired': expired },
      reasons: [
        sessions === 0
          ? reason('clock-set-untold')
          : expired > 0
            ? reason('clock-set-without-effect', { expired, sessions })
            : reason('clock-set', { sessions }),
      ],
      evidence: evidenceIfAny('new sessions that have expired', seqs),
      ...(expired > 0 && caused([shown('clock-not-set', { expired }, seqs)])),
    },
  ];
}

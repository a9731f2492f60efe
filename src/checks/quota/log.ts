import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { oncePerHistory, sqlText } from '../../history/tables.ts';
import { studyPhases } from '../../vocabulary/phases.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import { type Found, isSuccessStatus } from '../core/found.ts';
import { apartNs } from '../core/unanswered.ts';
import { evidenceLimit } from '../core/verdict.ts';
import { attemptOn, quotaPeriod } from './account.ts';

/** Sessions of one key and one status beyond these say nothing more of a quota. */
const mostOfEach = 100_000;

const callRow = z.object({
  seq: z.number(),
  credential: z.enum(roles),
  /** A session that should be admitted or meet the quota; or a request early in the study that must not spend it. */
  is_attempt: z.boolean(),
  what: z.string(),
  at_ns: z.number(),
  sent_ns: z.number(),
  answered_ns: z.number().nullable(),
  status: z.number().nullable(),
  of_edge: z.boolean(),
  local_port: z.number().nullable(),
});

/** A request that may have something to do with a quota. */
export interface QuotaCall {
  readonly seq: number;
  readonly role: Role;
  readonly isAttempt: boolean;
  /** Endpoint and status: `list-shades 200`. */
  readonly what: string;
  /** When it was intended: those of a volley share it. */
  readonly atNs: number;
  readonly sentNs: number;
  /** Infinity: it got no answer. */
  readonly answeredNs: number;
  readonly status: number | undefined;
  /** `unclear`: no answer, or a 5xx: it may have opened a session. */
  readonly outcome: 'admitted' | 'refused' | 'unclear' | 'other';
  /** The connection that it went over. */
  readonly port: number | undefined;
  /** Of the study's way to the edge. */
  readonly isOfEdge: boolean;
}

/** All of these of the judged period, in the order in which they were sent. An answer came before a request by the clocks of shards. */
export const readQuotaCalls = oncePerHistory(async (history: History): Promise<readonly QuotaCall[]> => {
  const { within } = await quotaPeriod(history);
  const apart = apartNs(history.run);
  const nothing = `(phase = ${sqlText(studyPhases.quotaNothing)} AND credential = 'quota')`;
  const attempt = `(${attemptOn(roles)})`;
  const rows = await history.rows(
    callRow,
    `SELECT seq, credential, ${attempt} AS is_attempt, endpoint || ' ' || coalesce(status, 0) AS what, intended_ns AS at_ns,
       sent_ns, answered_ns, status, phase = ${sqlText(studyPhases.quotaEdge)} AS of_edge, local_port
     FROM requests WHERE sent_ns IS NOT NULL AND (${attempt} OR ${nothing}) ${within}
     QUALIFY row_number() OVER (PARTITION BY credential, status ORDER BY sent_ns) <= ${mostOfEach}
     ORDER BY sent_ns, seq`,
  );
  return rows.map(
    ({
      answered_ns: answeredNs,
      at_ns,
      credential,
      is_attempt,
      local_port,
      of_edge,
      sent_ns,
      status,
      ...rest
    }) => ({
      ...rest,
      role: credential,
      isAttempt: is_attempt,
      atNs: at_ns,
      sentNs: sent_ns,
      answeredNs: answeredNs === null ? Number.POSITIVE_INFINITY : answeredNs + apart,
      status: status ?? undefined,
      outcome: isSuccessStatus(status)
        ? 'admitted'
        : status === 402
          ? 'refused'
          : status === null || status >= 500
            ? 'unclear'
            : 'other',
      port: local_port ?? undefined,
      isOfEdge: of_edge,
    }),
  );
});

/** As evidence. */
export function foundIn(calls: readonly QuotaCall[]): Found {
  const seqs = calls.map(({ seq }) => seq).toSorted((a, b) => a - b);
  return { total: calls.length, seqs: seqs.slice(0, evidenceLimit) };
}

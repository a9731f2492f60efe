import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { sqlText } from '../../../history/tables.ts';
import { fits, shown } from '../../causes/cause.ts';
import { admitted, find, firstSeqs, seqsColumn } from '../../core/found.ts';
import { type CheckFinding, counted } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { contentMissing } from '../errors/answers.ts';

const expiryRow = z.object({
  seen: z.number(),
  unread: z.number(),
  past: z.number(),
  past_seqs: seqsColumn,
  shortest_s: z.number().nullable(),
  longest_s: z.number().nullable(),
  first_ms: z.coerce.number().nullable(),
  last_ms: z.coerce.number().nullable(),
  span_ms: z.number().nullable(),
  seqs: seqsColumn,
});

/** Fewer sessions, or in a shorter time, tell nothing of how an expiry is reckoned. */
const fewestSessions = 10;
const shortestSpanMs = 10_000;
/** A lifetime that ends at a full hour or day is the same for all. The longer sessions were created, the longer it has to be. */
const roundMs = { short: 5_000, minute: 60_000 } as const;

/**
 * Every session expires in the future, by an ISO 8601 time in UTC. Sessions that were created one after the other do not all
 * expire at one instant, unless it is a round one.
 */
export async function checkExpiry(history: History): Promise<CheckFinding> {
  const skewMs = history.profile.clock_skew_bound;
  // Expiry is measured by the target's own clock where a Date header shows it, and otherwise by ours, within the skew
  // that the profile allows.
  const [row] = await history.rows(
    expiryRow,
    `WITH sessions AS (
       SELECT seq, sent_ns, epoch_ms(try_cast(replace(regexp_replace(expires_at,
                '^(\\d{4})-?(\\d\\d)-?(\\d\\d)T(\\d\\d):?(\\d\\d):?(\\d\\d)?', '\\1-\\2-\\3 \\4:\\5:\\6'), ',', '.') AS TIMESTAMP)) AS expires_ms,
              coalesce(server_date_ms, ${history.run.zero_epoch_ms} + sent_ns / 1e6 - ${skewMs}) AS now_ms
       FROM requests WHERE endpoint = 'create-session' AND ${admitted} AND expires_at IS NOT NULL)
     SELECT count(*) AS seen, count(*) FILTER (expires_ms IS NULL) AS unread,
            count(*) FILTER (expires_ms <= now_ms) AS past, ${firstSeqs} FILTER (expires_ms <= now_ms) AS past_seqs,
            min(expires_ms - now_ms) / 1e3 AS shortest_s, max(expires_ms - now_ms) / 1e3 AS longest_s,
            min(expires_ms) AS first_ms, max(expires_ms) AS last_ms, (max(sent_ns) - min(sent_ns)) / 1e6 AS span_ms, ${firstSeqs} AS seqs
     FROM sessions`,
  );
  const malformed = await find(
    history,
    `endpoint = 'create-session' AND ${admitted} AND problem LIKE '%expires_at:%'
       AND problem NOT LIKE ${sqlText(`${contentMissing['create-session']}%`)}`,
  );
  const seen = row?.seen ?? 0;
  const read = seen - (row?.unread ?? 0);
  const spanMs = row === undefined || read < fewestSessions ? undefined : fixedFor(row);
  const {
    longest_s: longest = null,
    past = 0,
    past_seqs: pastSeqs = [],
    shortest_s: shortest = null,
  } = row ?? {};
  return counted({
    id: 'contract.expiry',
    judged: read,
    observed: {
      sessions: seen,
      'lifetime, seconds':
        shortest === null || longest === null
          ? null
          : { min: Math.round(shortest), max: Math.round(longest) },
    },
    wrong: [
      {
        ...{ what: 'expires_at is no instant in UTC', ...malformed },
        reason: reason('expiry-malformed', { sessions: malformed.total }),
        cause: shown('expiry-not-utc', { sessions: malformed.total }, malformed.seqs),
      },
      {
        ...{ what: 'expires_at had passed already', seqs: pastSeqs, total: past },
        reason: reason('expiry-past', { sessions: past }),
        cause: shown('expiry-in-the-past', { sessions: past, agoMs: -1e3 * (shortest ?? 0) }, pastSeqs),
      },
      spanMs === undefined
        ? undefined
        : {
            ...{ what: 'the same expires_at', seqs: row?.seqs ?? [], total: read },
            reason: reason('expiry-fixed', { sessions: read, spanMs }),
            cause: fits('expiry-fixed', { sessions: read, spanMs }, row?.seqs ?? []),
          },
    ],
    passed: () => reason('expiry-future', { sessions: read }),
    nothing: () => reason('expiry-unseen'),
  });
}

/** In how long a time sessions were created that all expire at one instant; undefined where they do not, or it is a round one. */
function fixedFor({ first_ms, last_ms, span_ms }: z.output<typeof expiryRow>): number | undefined {
  if (first_ms === null || last_ms === null || span_ms === null || span_ms < shortestSpanMs) return undefined;
  // A timestamp may be cut to the second.
  if (last_ms - first_ms >= 1_000) return undefined;
  const every = span_ms < roundMs.minute ? roundMs.short : roundMs.minute;
  // Just before a full minute is the end of an hour or of a day as well.
  const isRound = [0, every - 1, every - 1_000].includes(first_ms % every);
  return isRound ? undefined : span_ms;
}

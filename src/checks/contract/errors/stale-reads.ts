import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { readSession } from '../../../target/wire-schemas.ts';
import { caused, shown } from '../../causes/cause.ts';
import { admitted } from '../../core/found.ts';
import { isProbe } from '../../core/probes.ts';
import { type CheckFinding, evidence } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';

const readRow = z.object({
  seq: z.number(),
  session: z.string(),
  port: z.number().nullable(),
  sent_ns: z.number(),
  answered_ns: z.number(),
  body: z.string(),
});
type ReadRow = z.output<typeof readRow>;

/**
 * An event that a read of the load or of a probe has shown is in every later one, with the same values: where it is missing, only
 * as long after as analytics may take. Nothing where none is wrong: the explorer's calls judge all else.
 */
export async function checkStaleReads(history: History): Promise<CheckFinding[]> {
  const { analytics, session_history } = history.profile;
  const reads = await history.rows(
    readRow,
    `SELECT r.seq, r.session_id AS session, local_port AS port, sent_ns, answered_ns, CAST(body AS VARCHAR) AS body
     FROM requests r JOIN answers a ON a.seq = r.seq
     WHERE r.endpoint = 'read-session' AND ${admitted} AND body IS NOT NULL AND NOT coalesce(${isProbe('explored')}, false)
     QUALIFY count(*) OVER (PARTITION BY r.session_id) > 1 ORDER BY sent_ns`,
  );
  const eventsOf = ({ body, session }: ReadRow): ReadonlyMap<string, string> => {
    const read = readSession(JSON.parse(body), session_history, session);
    const events = (read.ok ? read.value.interactions : undefined) ?? [];
    return new Map(events.map((each) => [each.id ?? JSON.stringify(each), JSON.stringify(each)]));
  };
  const wrong = [...Map.groupBy(reads, ({ session }) => session).values()].flatMap((own) => {
    const seen = own.map((read) => ({ read, events: eventsOf(read) }));
    return seen.flatMap(({ events, read: later }) => {
      const lacks = ({ events: shownBefore, read }: (typeof seen)[number]): boolean => {
        const isOld = later.sent_ns >= read.answered_ns + analytics.freshness * 1e6;
        const isBefore = later.sent_ns >= read.answered_ns;
        return [...shownBefore].some(([id, text]) =>
          events.has(id) ? isBefore && events.get(id) !== text : isOld,
        );
      };
      if (!seen.some(lacks)) return [];
      const isAsBefore = own.some(
        (each) =>
          each.seq !== later.seq &&
          each.sent_ns < later.sent_ns &&
          each.port === later.port &&
          each.body === later.body,
      );
      return [{ later, isStale: later.port !== null && isAsBefore }];
    });
  });
  if (wrong.length === 0) return [];
  const seqs = wrong.map(({ later }) => later.seq);
  const sessions = new Set(wrong.map(({ later }) => later.session)).size;
  const areStale = wrong.every(({ isStale }) => isStale);
  return [
    {
      id: 'contract.reads-agree',
      verdict: 'fail',
      observed: { sessions, 'reads that lack events': seqs.length },
      reasons: [reason(areStale ? 'reads-stale' : 'reads-differ', { reads: seqs.length, sessions })],
      evidence: [evidence('reads that lack events', seqs)],
      ...caused(areStale ? [shown('session-read-stale', { interactions: seqs.length }, seqs)] : []),
    },
  ];
}

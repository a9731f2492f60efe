import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { readSession } from '../../../target/wire-schemas.ts';
import { shown } from '../../causes/cause.ts';
import { admitted } from '../../core/found.ts';
import { type CheckFinding, counted, evidence } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';

/** Two answers to the same question, the earlier one first. */
interface Pair<Row> {
  readonly earlier: Row;
  readonly later: Row;
}

function neighbours<Row extends { readonly sent_ns: number | null }>(rows: readonly Row[]): Pair<Row>[] {
  const inOrder = rows.toSorted((a, b) => (a.sent_ns ?? 0) - (b.sent_ns ?? 0));
  return inOrder.slice(1).map((later, place) => ({ earlier: inOrder[place] ?? later, later }));
}

const readRow = z.object({
  seq: z.number(),
  session_id: z.string(),
  sent_ns: z.number(),
  answered_ns: z.number(),
  local_port: z.number().nullable(),
  body: z.string(),
});
type ReadRow = z.output<typeof readRow>;

/**
 * An event that a read of a session has shown is in every later one, with the same values. A read may be as late as analytics,
 * so nothing may be missing only after that. No finding where no session with events was read twice.
 */
export async function checkReadsAgree(history: History): Promise<CheckFinding[]> {
  const { profile } = history;
  const rows = await history.rows(
    readRow,
    `SELECT r.seq, r.session_id, sent_ns, answered_ns, local_port, CAST(body AS VARCHAR) AS body
     FROM requests r JOIN answers a ON a.seq = r.seq
     WHERE r.endpoint = 'read-session' AND ${admitted} AND body IS NOT NULL AND r.session_id IN (
       SELECT session_id FROM requests r JOIN answers a ON a.seq = r.seq
       WHERE r.endpoint = 'read-session' AND ${admitted} GROUP BY session_id HAVING count(*) > 1)
     ORDER BY r.seq`,
  );
  const bySession = Map.groupBy(rows, ({ session_id }) => session_id);
  const eventsOf = ({ body, session_id }: ReadRow): readonly string[][] => {
    const read = readSession(JSON.parse(body), profile.session_history, session_id);
    const entries = read.ok ? (read.value.interactions ?? []) : [];
    return entries.map(({ at, id, sku, type }) => [id ?? '', type ?? '', sku ?? '', at ?? '']);
  };
  const freshNs = profile.analytics.freshness * 1e6;
  const isOld = ({ earlier, later }: Pair<ReadRow>): boolean =>
    later.sent_ns >= earlier.answered_ns + freshNs;
  // Several connections may show several states, so the read just before is not the only one to compare with.
  const pairs = [...bySession.values()]
    .flatMap((reads) =>
      neighbours(reads).flatMap((pair) => [
        pair,
        ...withFullest(reads, pair, isOld, (read) => eventsOf(read).length),
      ]),
    )
    .filter(({ earlier }) => eventsOf(earlier).length > 0);
  if (pairs.length === 0) return [];
  const wrong = pairs.flatMap(({ earlier, later }) => {
    const { changed, lacking } = eventsLost(eventsOf(earlier), eventsOf(later));
    const isWrong = changed > 0 || (lacking > 0 && isOld({ earlier, later }));
    return isWrong ? [{ earlier, later, changed, lacking }] : [];
  });
  const seqs = wrong.flatMap(({ earlier, later }) => [earlier.seq, later.seq]);
  const changed = wrong.reduce((sum, each) => sum + each.changed, 0);
  const lacking = wrong.reduce((sum, each) => sum + each.lacking, 0);
  return [
    counted({
      id: 'contract.reads-agree',
      judged: pairs.length,
      expected: { 'events that changed': 0, 'events that disappeared': 0 },
      observed: { pairs: pairs.length, 'events that changed': changed, 'events that disappeared': lacking },
      wrong: [
        {
          ...evidence('reads that differ', seqs),
          reason: reason('reads-differ', { sessions: wrong.length, changed, lacking }),
          cause: wrong.every((pair) => isAsBefore(pair, rows))
            ? shown('session-read-stale', { interactions: mostLacking(wrong) }, seqs)
            : shown('history-changes', { changed, lacking }, seqs),
        },
      ],
      passed: () => reason('reads-agree', { pairs: pairs.length }),
      nothing: () => reason('reads-agree', { pairs: 0 }),
    }),
  ];
}

/** Whether the later read shows, word for word, what its connection showed before the earlier one. */
function isAsBefore({ earlier, later }: Pair<ReadRow>, reads: readonly ReadRow[]): boolean {
  return reads.some(
    (read) =>
      read.session_id === later.session_id &&
      read.local_port !== null &&
      read.local_port === later.local_port &&
      read.sent_ns < earlier.sent_ns &&
      read.body === later.body,
  );
}

/** Of each session, the most events that a read lacks: several pairs may show the same ones. */
function mostLacking(wrong: readonly (Pair<ReadRow> & { readonly lacking: number })[]): number {
  const bySession = Map.groupBy(wrong, ({ later }) => later.session_id);
  return [...bySession.values()].reduce(
    (sum, pairs) => sum + Math.max(...pairs.map(({ lacking }) => lacking)),
    0,
  );
}

/** With the later read of a pair, the fullest of those that are so old that nothing in them may be missing, unless it is the pair. */
function withFullest(
  reads: readonly ReadRow[],
  pair: Pair<ReadRow>,
  isOld: (pair: Pair<ReadRow>) => boolean,
  countOf: (read: ReadRow) => number,
): Pair<ReadRow>[] {
  const { later } = pair;
  const old = reads.filter((earlier) => earlier.sent_ns < later.sent_ns && isOld({ earlier, later }));
  const [fullest] = old.toSorted((a, b) => countOf(b) - countOf(a) || b.answered_ns - a.answered_ns);
  return fullest === undefined || fullest === pair.earlier ? [] : [{ earlier: fullest, later }];
}

/** Events of an earlier read that a later one shows with other values, or not at all. Those without ids are told by their values. */
function eventsLost(
  earlier: readonly (readonly string[])[],
  later: readonly (readonly string[])[],
): { readonly changed: number; readonly lacking: number } {
  const byId = new Map(later.map((entry) => [entry[0] ?? '', JSON.stringify(entry)]));
  const texts = new Map<string, number>();
  for (const entry of later) count(texts, JSON.stringify(entry), 1);
  let [changed, lacking] = [0, 0];
  for (const entry of earlier) {
    const [id = ''] = entry;
    const text = JSON.stringify(entry);
    const left = texts.get(text) ?? 0;
    if (left > 0) count(texts, text, -1);
    else if (id !== '' && byId.has(id)) changed++;
    else lacking++;
  }
  return { changed, lacking };
}

function count(texts: Map<string, number>, text: string, by: number): void {
  texts.set(text, (texts.get(text) ?? 0) + by);
}

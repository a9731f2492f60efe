import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { failing, groupRow, isDivided, sameTime } from '../../core/by-connection.ts';
import { equalDistance } from '../../core/equal-distance.ts';
import { admitted, firstSeqs } from '../../core/found.ts';
import { inCommon } from '../../core/in-common.ts';
import { lostActsSql } from './differences.ts';
import type { ReadBack } from './read-back.ts';

/** What the lost ones have in common: another selection of the same shade that is there, or another request at the same time. */
export async function lostCauses(
  history: History,
  readBack: ReadBack,
  count: number,
  seqs: readonly number[],
): Promise<Suspect[]> {
  const { due, entries } = readBack;
  const byConnection = await lostByConnection(history, readBack);
  if (byConnection !== undefined) return [byConnection];
  const stale = await lostAfterRead(history, readBack);
  if (stale?.strength === 'shown') return [stale];
  const byValue = await lostByValue(history, readBack);
  if (byValue !== undefined) return [byValue];
  const places = await lostPlaces(history, readBack);
  const nth = lostAtDistance(places);
  if (nth !== undefined) return [nth];
  const [first] = places;
  const lostAtAll = fits(
    'interactions-lost',
    { interactions: count, ...(first === undefined ? {} : { first: first.place }) },
    seqs,
  );
  if (stale !== undefined) return [stale, lostAtAll];
  const [row] = await history.rows(
    z.object({
      repeats: z.number(),
      overlapping: z.number(),
      lost: z.number(),
      repeated: z.number(),
      concurrent: z.number(),
      either: z.number(),
      again: z.number(),
    }),
    `WITH lost AS (${lostActsSql(history, readBack)}),
     judged AS (
       SELECT d.type = 'shade_selected' AND EXISTS (
           FROM ${due} b JOIN ${entries} e ON e.session = b.session AND e.act_id = b.id
           WHERE b.session = d.session AND b.id <> d.id AND b.type = d.type AND b.sku = d.sku) AS repeated,
         EXISTS (
           FROM ${due} b WHERE b.session = d.session AND b.first_sent_ns <> d.first_sent_ns
             AND b.first_sent_ns < d.arrived_ns AND d.first_sent_ns < b.arrived_ns) AS concurrent,
         EXISTS (FROM lost WHERE lost.session = d.session AND lost.id = d.id) AS is_lost
       FROM ${due} d WHERE d.state = 2)
     SELECT count(*) FILTER (repeated) AS repeats, count(*) FILTER (concurrent) AS overlapping,
       count(*) FILTER (is_lost) AS lost, count(*) FILTER (is_lost AND repeated) AS repeated,
       count(*) FILTER (is_lost AND concurrent) AS concurrent,
       count(*) FILTER (is_lost AND (repeated OR concurrent)) AS either,
       (SELECT count(*) FROM (
          SELECT 1 FROM ${entries} e JOIN ${due} a ON a.session = e.session AND a.id = e.act_id
          WHERE a.type = 'shade_selected' GROUP BY a.session, a.sku HAVING count(DISTINCT a.id) > 1)) AS again
     FROM judged`,
  );
  if (row === undefined || row.lost === 0) return [lostAtAll];
  const alone = row.lost - row.concurrent;
  if (row.either < row.lost)
    return row.concurrent > 0 && alone >= fewestAlone
      ? [shown('interactions-lost-alone', { interactions: row.lost, alone }, seqs)]
      : [lostAtAll];
  const { again, concurrent, lost, overlapping, repeated, repeats } = row;
  // No history at all shows a shade that was selected again.
  const isRule = repeated > 1 && again === 0 && concurrent < lost;
  const merged = (isRule ? shown : fits)('repeated-selections-merged', { interactions: repeated }, seqs);
  const overwritten = fits('concurrent-interactions-lost', { interactions: concurrent }, seqs);
  // What explains them all needs no other cause beside it.
  const isMerge = repeated === lost && repeats - repeated <= mostKept * repeated;
  const isRace = concurrent === lost && overlapping - concurrent <= mostKept * concurrent;
  if (isMerge) return isRace ? [merged, overwritten] : [merged];
  if (isRace) return [overwritten];
  return repeated === lost || concurrent === lost ? [lostAtAll] : [merged, overwritten];
}

/** This many that came alone are no accident beside those that came at the same time as others. */
const fewestAlone = 3;

/** Where this many times more alike events are kept, it is chance that all lost ones are alike. */
const mostKept = 10;

/**
 * SQL, a WITH: `carried`, every acknowledged event that a session read back has to show, once for each request that carried it.
 * `failed`: it is missing; `sent_on` and `read_on`: the connections that carried it and read it; `was_read`: the session
 * was read before the event was sent; `place` and `items`: its place in the request, from 1, and how many it had; `in_minute`:
 * its place among the events of its minute, but near the ends of a minute, where clocks and delays decide.
 */
function carriedSql(history: Pick<History, 'profile' | 'run'>, readBack: ReadBack): string {
  const { run } = history;
  const { due, reads } = readBack;
  return `WITH lost AS (${lostActsSql(history, readBack)}),
     placed AS (
       SELECT seq, session_id, id, row_number() OVER (PARTITION BY seq ORDER BY place) AS place, count(*) OVER (PARTITION BY seq) AS items
       FROM interactions WHERE session_id IN (SELECT session_id FROM ${reads})),
     timed AS (
       SELECT i.seq, i.session_id, i.id, i.place, q.sent_ns, ${run.zero_epoch_ms} + q.sent_ns // 1000000 AS at_ms
       FROM interactions i JOIN requests q USING (seq) WHERE q.${admitted}),
     counted AS (
       SELECT seq, session_id, id, if(at_ms % 60000 BETWEEN 1000 AND 59000,
         row_number() OVER (PARTITION BY at_ms // 60000 ORDER BY sent_ns, seq, place), NULL) AS in_minute
       FROM timed),
     early AS (
       SELECT session_id, min(answered_ns) AS read_ns FROM requests
       WHERE endpoint = 'read-session' AND ${admitted} AND session_id IN (SELECT session_id FROM ${reads}) GROUP BY session_id),
     carried AS (
       SELECT d.session, d.id, q.seq, q.sent_ns, q.local_port AS sent_on, asked.local_port AS read_on, i.place, i.items, d.type, d.sku, n.in_minute,
         made.product_id, made.catalog_id, made.locale, made.credential,
         (q.sent_ns - made.answered_ns) / 1e6 AS age, q.sent_ns / 1e6 AS sent_at,
         (asked.sent_ns - q.answered_ns) / 1e6 AS read_after,
         d.first_at_ms - ${run.zero_epoch_ms} - made.answered_ns / 1e6 AS at_age,
         coalesce(early.read_ns < q.sent_ns, false) AS was_read,
         EXISTS (FROM lost WHERE lost.session = d.session AND lost.id = d.id) AS failed
       FROM ${due} d JOIN ${reads} r USING (session) JOIN requests asked ON asked.seq = r.seq
       JOIN requests made ON made.seq = d.session
       JOIN placed i ON i.session_id = r.session_id AND i.id = d.id
       JOIN counted n ON n.seq = i.seq AND n.session_id = i.session_id AND n.id = i.id
       JOIN requests q ON q.seq = i.seq AND q.endpoint = 'interact' AND q.status BETWEEN 200 AND 299
       LEFT JOIN early ON early.session_id = r.session_id
       WHERE d.state = 2)`;
}

/** Where the connections that carried an event and read it back decide whether it shows. */
async function lostByConnection(history: History, readBack: ReadBack): Promise<Suspect | undefined> {
  const groups = await history.rows(
    groupRow,
    `${carriedSql(history, readBack)}
     SELECT count(*) AS requests, count(*) FILTER (failed) AS failed, ${firstSeqs} FILTER (failed) AS seqs
     FROM (${sameTime('carried')}) WHERE sent_on IS NOT NULL AND read_on IS NOT NULL GROUP BY sent_on, read_on`,
  );
  if (!isDivided(groups)) return undefined;
  const { seqs, ...params } = failing(groups);
  return shown('depends-on-connection', { what: 'event', ...params }, seqs);
}

/** Where exactly the events are missing that were sent after their session had been read. A few may be so by chance. */
async function lostAfterRead(history: History, readBack: ReadBack): Promise<Suspect | undefined> {
  const groups = await history.rows(
    groupRow.extend({ was_read: z.boolean() }),
    `${carriedSql(history, readBack)}
     SELECT was_read, count(*) AS requests, count(*) FILTER (failed) AS failed, ${firstSeqs} FILTER (failed) AS seqs
     FROM carried GROUP BY was_read`,
  );
  const after = groups.find(({ was_read }) => was_read);
  const isPure = groups.every(({ failed, requests, was_read }) => failed === (was_read ? requests : 0));
  if (after === undefined || !isPure) return undefined;
  return (isDivided(groups) ? shown : fits)('session-read-stale', { interactions: after.failed }, after.seqs);
}

/** More of them are not looked at. */
const mostPlaces = 1_000;
/** More lost events at equal distances than these are no accident. */
const mostByChance = 3;

const placeRow = z.object({ place: z.number(), seq: z.number() });
type LostPlace = z.output<typeof placeRow>;

/** The places of the missing events in the order in which all were sent. */
async function lostPlaces(history: History, readBack: ReadBack): Promise<readonly LostPlace[]> {
  return history.rows(
    placeRow,
    `WITH lost AS (${lostActsSql(history, readBack)}),
     missing AS (SELECT d.id, r.session_id FROM ${readBack.due} d JOIN lost USING (session, id) JOIN ${readBack.reads} r USING (session)),
     carried AS (
       SELECT i.seq, i.session_id, i.id, row_number() OVER (ORDER BY q.sent_ns, i.seq, i.place) AS place
       FROM interactions i JOIN requests q USING (seq) WHERE q.${admitted})
     SELECT min(place) AS place, min(seq) AS seq FROM carried SEMI JOIN missing USING (session_id, id)
     GROUP BY session_id, id ORDER BY place LIMIT ${mostPlaces}`,
  );
}

/** Where they are missing at equal distances. */
function lostAtDistance(rows: readonly LostPlace[]): Suspect | undefined {
  const nth = equalDistance(rows.map(({ place }) => place));
  if (nth === undefined) return undefined;
  const figures = { nth, interactions: rows.length };
  return (rows.length > mostByChance ? shown : fits)(
    'every-nth-event-lost',
    figures,
    rows.map(({ seq }) => seq),
  );
}

/** Where exactly the events of one shade, type, product and the like are missing. */
async function lostByValue(history: History, readBack: ReadBack): Promise<Suspect | undefined> {
  // One that is sent again may be there of the first time.
  const first = 'QUALIFY row_number() OVER (PARTITION BY session, id ORDER BY sent_ns) = 1';
  const found = await inCommon(
    history,
    `${carriedSql(history, readBack)} SELECT * FROM carried ${first}`,
    eventTraits,
  );
  if (found === undefined) return undefined;
  const { seqs, ...params } = found;
  return shown('depends-on-value', { what: 'event', ...params }, seqs);
}

const eventTraits = [
  'type',
  'place',
  'items',
  'sku',
  'credential',
  'locale',
  'catalog_id',
  'product_id',
  'at_age',
  'age',
  'sent_at',
  'in_minute',
  'read_after',
] as const;

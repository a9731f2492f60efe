import { z } from 'zod';
import type { Tables } from '../../../history/tables.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { admitted, firstSeqs } from '../../core/found.ts';
import { equalDistance, groupRow, inCommon, isDivided } from '../../core/in-common.ts';
import { type Difference, lostActsSql } from './differences.ts';
import type { ReadBack } from './read-back.ts';

/** More lost events at equal distances than these are no accident. */
const mostByChance = 3;
/** This many that came alone are no accident beside those that came at the same time as others. */
const fewestAlone = 3;
/** Where this many times more alike events are kept, it is chance that all lost ones are alike. */
const mostKept = 10;
/** More lost ones are not looked at for their distances. */
const mostPlaces = 1_000;

/**
 * What the lost events have in common: the connections that carried them, that their session had been read before, a trait, a
 * distance, another selection of the same shade that is there, or another request at the same time.
 */
export async function lostCauses(
  tables: Tables,
  readBack: ReadBack,
  { count, seqs }: Difference,
): Promise<Suspect[]> {
  const { history } = tables;
  const carried = await tables.make('carried', carriedColumns, carriedSql(tables, readBack));
  const byConnection = await inCommon(history, `FROM ${carried}`, ['connections']);
  if (byConnection !== undefined) {
    const { failed, of, seqs: own, values } = byConnection;
    return [shown('depends-on-connection', { what: 'event', failed, failing: values.length, of }, own)];
  }
  const byRead = await history.rows(
    groupRow.extend({ was_read: z.boolean() }),
    `SELECT was_read, count(*) AS requests, count(*) FILTER (failed) AS failed, ${firstSeqs} FILTER (failed) AS seqs FROM ${carried} GROUP BY was_read`,
  );
  const after = byRead.find(({ was_read }) => was_read);
  // Exactly those that were sent after their session had been read; a few may be so by chance.
  const isAfterRead = byRead.every(({ failed, requests, was_read }) => failed === (was_read ? requests : 0));
  const stale =
    after !== undefined && isAfterRead
      ? (isDivided(byRead) ? shown : fits)('session-read-stale', { interactions: after.failed }, after.seqs)
      : undefined;
  if (stale?.strength === 'shown') return [stale];
  const places = await history.rows(
    z.object({ place: z.number(), seq: z.number() }),
    `SELECT min(ordinal) AS place, min(seq) AS seq FROM ${carried} WHERE failed GROUP BY session, id ORDER BY place LIMIT ${mostPlaces}`,
  );
  const [earliest] = places;
  // One that is sent again may be there of the first time.
  const once = 'QUALIFY row_number() OVER (PARTITION BY session, id ORDER BY sent_ns) = 1';
  const common = await inCommon(history, `SELECT * FROM ${carried} ${once}`, eventTraits);
  if (common !== undefined) {
    // From an instant on, or from a number of events on; or read too early to show it.
    const isSince = common.trait === 'sent_at';
    const early = isSince
      ? await inCommon(history, `SELECT * FROM ${carried} ${once}`, ['read_after'])
      : undefined;
    const first = isSince && earliest !== undefined ? { first: earliest.place } : {};
    return [common, early].flatMap((each) => {
      if (each === undefined) return [];
      const { of: _values, seqs: own, ...params } = each;
      const more = each === common ? first : {};
      return [(isSince ? fits : shown)('depends-on-value', { what: 'event', ...params, ...more }, own)];
    });
  }
  const nth = equalDistance(places.map(({ place }) => place));
  if (nth !== undefined) {
    const how = places.length > mostByChance ? shown : fits;
    return [
      how(
        'every-nth-event-lost',
        { nth, interactions: places.length },
        places.map(({ seq }) => seq),
      ),
    ];
  }
  const lostAtAll = fits(
    'interactions-lost',
    { interactions: count, ...(earliest === undefined ? {} : { first: earliest.place }) },
    seqs,
  );
  if (stale !== undefined) return [stale, lostAtAll];
  const [row] = await history.rows(
    alikeRow,
    `SELECT count(*) FILTER (repeated) AS repeats, count(*) FILTER (concurrent) AS overlapping,
       count(*) FILTER (failed) AS lost, count(*) FILTER (failed AND repeated) AS repeated,
       count(*) FILTER (failed AND concurrent) AS concurrent, count(*) FILTER (failed AND (repeated OR concurrent)) AS either,
       (SELECT count(*) FROM (
          SELECT 1 FROM ${readBack.entries} e JOIN ${readBack.due} a ON a.session = e.session AND a.id = e.act_id
          WHERE a.type = 'shade_selected' GROUP BY a.session, a.sku HAVING count(DISTINCT a.id) > 1)) AS again
     FROM (SELECT DISTINCT session, id, failed, repeated, concurrent FROM ${carried})`,
  );
  return row === undefined || row.lost === 0 ? [lostAtAll] : causesOfAlike(row, lostAtAll, seqs);
}

const alikeRow = z.object({
  /** Of all events, those with an equal one that is there, and those with others at the same time. */
  repeats: z.number(),
  overlapping: z.number(),
  /** Those that are lost, and of these as many as have either or both. */
  lost: z.number(),
  repeated: z.number(),
  concurrent: z.number(),
  either: z.number(),
  /** Shades that a history shows several times. */
  again: z.number(),
});

function causesOfAlike(
  { again, concurrent, either, lost, overlapping, repeated, repeats }: z.output<typeof alikeRow>,
  lostAtAll: Suspect,
  seqs: readonly number[],
): Suspect[] {
  const alone = lost - concurrent;
  if (either < lost)
    return concurrent > 0 && alone >= fewestAlone
      ? [shown('interactions-lost-alone', { interactions: lost, alone }, seqs)]
      : [lostAtAll];
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

const carriedColumns =
  'session id seq sent_ns connections was_read failed ordinal repeated concurrent type place items sku credential locale catalog_id product_id at_age age sent_at in_minute read_after';

/**
 * SQL: every acknowledged event that a session read back has to show, once for each request that carried it. `failed`: it is missing;
 * `connections`: those that carried it and read it; `was_read`: the session was read before the event was sent;
 * `place` and `items`: its place in the request, from 1, and how many it had; `ordinal`: its place among all events of the run;
 * `in_minute`: its place among those of its minute, but near the ends of a minute, where clocks and delays decide; `repeated`: another
 * selection of its shade is there; `concurrent`: another request of its session overlapped.
 */
function carriedSql({ history }: Tables, readBack: ReadBack): string {
  const { due, entries, reads } = readBack;
  const zeroMs = history.run.zero_epoch_ms;
  return `WITH lost AS (${lostActsSql(history, readBack)}),
     placed AS (
       SELECT i.seq, i.session_id, i.id, q.sent_ns, ${zeroMs} + q.sent_ns // 1000000 AS at_ms, i.place,
         row_number() OVER (PARTITION BY i.seq ORDER BY i.place) AS in_batch, count(*) OVER (PARTITION BY i.seq) AS items,
         row_number() OVER (ORDER BY q.sent_ns, i.seq, i.place) AS ordinal
       FROM interactions i JOIN requests q USING (seq) WHERE q.${admitted}),
     counted AS (
       SELECT *, if(at_ms % 60000 BETWEEN 1000 AND 59000,
         row_number() OVER (PARTITION BY at_ms // 60000 ORDER BY ordinal), NULL) AS in_minute
       FROM placed),
     early AS (
       SELECT session_id, min(answered_ns) AS read_ns FROM requests
       WHERE endpoint = 'read-session' AND ${admitted} AND session_id IN (SELECT session_id FROM ${reads}) GROUP BY session_id)
     SELECT d.session, d.id, q.seq, q.sent_ns, q.local_port || ' ' || asked.local_port AS connections,
       coalesce(early.read_ns < q.sent_ns, false) AS was_read,
       EXISTS (FROM lost WHERE lost.session = d.session AND lost.id = d.id) AS failed, i.ordinal,
       d.type = 'shade_selected' AND EXISTS (
         FROM ${due} b JOIN ${entries} e ON e.session = b.session AND e.act_id = b.id
         WHERE b.session = d.session AND b.id <> d.id AND b.type = d.type AND b.sku = d.sku) AS repeated,
       EXISTS (
         FROM ${due} b WHERE b.session = d.session AND b.first_sent_ns <> d.first_sent_ns
           AND b.first_sent_ns < d.arrived_ns AND d.first_sent_ns < b.arrived_ns) AS concurrent,
       d.type, i.in_batch AS place, i.items, d.sku, made.credential, made.locale, made.catalog_id, made.product_id,
       d.first_at_ms - ${zeroMs} - made.answered_ns / 1e6 AS at_age, (q.sent_ns - made.answered_ns) / 1e6 AS age,
       q.sent_ns / 1e6 AS sent_at, i.in_minute, (asked.sent_ns - q.answered_ns) / 1e6 AS read_after
     FROM ${due} d JOIN ${reads} r USING (session) JOIN requests asked ON asked.seq = r.seq
     JOIN requests made ON made.seq = d.session
     JOIN counted i ON i.session_id = r.session_id AND i.id = d.id
     JOIN requests q ON q.seq = i.seq AND q.endpoint = 'interact'
     LEFT JOIN early ON early.session_id = r.session_id
     WHERE d.state = 2`;
}

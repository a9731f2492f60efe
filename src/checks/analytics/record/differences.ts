import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { sqlText, type Table } from '../../../history/tables.ts';
import { type DifferenceKind, differenceKinds } from '../../../vocabulary/analytics.ts';
import { type Instants, lateArrivalMs, momentOf, shownWithinNs } from './clock.ts';
import { actTypes, type NamesShown, type ReadBack } from './read-back.ts';

/** The ways in which a session that was read back may differ from what the run did. */

/** What there is to compare: the search for what there is none of would go through all requests. */
interface ComparedWays {
  /** False: only the session's own fields. */
  readonly acts: boolean;
  /** Some session was granted with the id of an earlier one. */
  readonly someSameIds: boolean;
  /** Some read was answered 404. */
  readonly someMissing: boolean;
}

/** What is compared, and by which clock. */
interface ReadsToCompare extends ComparedWays {
  readonly history: Pick<History, 'profile'>;
  readonly created: Table<'seq key certain again'>;
  readonly readBack: ReadBack;
  /** Reads that were answered 404. */
  readonly missing: Table<'seq sent_ns credential key'>;
  readonly instants: Instants;
}

/** SQL: one row `(kind, seq)` for each difference, `seq` being the read that shows it. */
export function differencesSql(compared: ReadsToCompare): string {
  const { acts, created, history, readBack, someMissing, someSameIds } = compared;
  const queries = [
    fields(history, readBack.reads),
    ...(someSameIds ? [sameId(created)] : []),
    ...(someMissing ? [notFound(compared)] : []),
    ...(acts ? actDifferences(compared) : []),
  ];
  return queries.join('\n UNION ALL \n');
}

/** SQL: each kind of which the condition holds in a row of `rows`. One query of all is planned several times as quickly as one of each. */
function kindsIn(
  conditions: readonly (readonly [kind: DifferenceKind, condition: string])[],
  rows: string,
): string {
  const kinds = conditions.map(([kind, condition]) => `CASE WHEN ${condition} THEN ${sqlText(kind)} END`);
  return `SELECT kind, seq FROM (SELECT unnest([${kinds.join(', ')}]) AS kind, r.seq FROM ${rows}) WHERE kind IS NOT NULL`;
}

const sessionFields = (
  [
    ['session-id', 'session_id'],
    ['product', 'product_id'],
    ['locale', 'locale'],
    ['catalog', 'catalog_id'],
  ] as const
).map(([kind, field]) => {
  // Language tags are compared without regard to case (BCP 47, section 2.1.1).
  const same = (value: string): string => (field === 'locale' ? `lower(${value})` : value);
  const differs = `${same(`json_extract_string(r.body, '/${field}')`)} <> ${same(`r.${field}`)}`;
  return [kind, `json_type(r.body, '/${field}') = 'VARCHAR' AND ${differs}`] as const;
});

/** `shade_count` read back is that of the creation, unless something was imported into the catalog since. */
function fields({ profile }: Pick<History, 'profile'>, reads: ReadBack['reads']): string {
  const visibleNs = Math.max(lateArrivalMs(profile), profile.import_visible) * 1e6;
  const shadeCount = `json_type(r.body, '/shade_count') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND CAST(json_extract(r.body, '/shade_count') AS DOUBLE) <> r.shade_count
    AND NOT coalesce(i.last_ns + ${visibleNs} > r.asked_ns, false)`;
  return kindsIn(
    [...sessionFields, ['shade-count', shadeCount]],
    `${reads} r LEFT JOIN (
       SELECT catalog_id, max(coalesce(answered_ns, sent_ns)) AS last_ns FROM requests
       WHERE endpoint = 'import-shades' AND not_sent IS NULL GROUP BY catalog_id
     ) i ON i.catalog_id = r.catalog_id`,
  );
}

function sameId(created: ReadsToCompare['created']): string {
  return `
  SELECT 'same-id', s.seq FROM ${created} s JOIN requests r USING (seq)
  JOIN ${created} e ON e.key = hash(r.session_id) JOIN requests f ON f.seq = e.seq AND f.session_id = r.session_id
  WHERE s.again`;
}

/** 404 for a session that was granted long enough before the read, and cannot have expired yet. */
function notFound({ created, history: { profile }, instants, missing }: ReadsToCompare): string {
  return `
    SELECT 'not-found', r.seq FROM ${missing} r
    JOIN ${created} e ON e.key = r.key AND e.certain JOIN requests c ON c.seq = e.seq
    WHERE r.sent_ns > c.answered_ns + ${shownWithinNs(profile)} AND r.credential = c.credential
      AND coalesce(${instants.latest(momentOf('r.sent_ns'))} + ${profile.clock_skew_bound} < epoch_ms(TRY_CAST(c.expires_at AS TIMESTAMP)), true)`;
}

/** SQL, after a condition. */
function isLegible(session: string, illegible: ReadBack['illegible']): string {
  return illegible.rows === 0 ? '' : `AND ${session} NOT IN (FROM ${illegible})`;
}

/** SQL: events that were acknowledged long enough before the read, and are matched by no entry of a history whose entries can be matched. */
export function lostActsSql(
  { profile }: Pick<History, 'profile'>,
  { due, entries, illegible, reads }: ReadBack,
): string {
  return `
  SELECT a.*, r.seq FROM ${due} a JOIN ${reads} r ON r.session = a.session
  WHERE a.state = 2 AND (a.arrived_ns IS NULL OR a.arrived_ns + ${shownWithinNs(profile)} <= r.sent_ns)
    ${isLegible('a.session', illegible)}
    AND NOT EXISTS (FROM ${entries} e WHERE e.session = a.session AND e.act_id = a.id)`;
}

/** SQL of each way in which a history can differ from the run's events. */
function actDifferences({ history, instants, readBack }: ReadsToCompare): string[] {
  const { due, entries, illegible, names, reads } = readBack;
  const beside = `${entries} e JOIN ${reads} r USING (session)`;
  const own = `${due} a ON a.session = e.session AND a.id = e.act_id`;
  return [
    `SELECT 'lost', seq FROM (${lostActsSql(history, readBack)})`,
    `SELECT 'duplicate', r.seq FROM (
       SELECT e.session, unnest(range(1, count(*))) FROM ${entries} e JOIN ${own} GROUP BY e.session, e.act_id HAVING count(*) > 1
     ) JOIN ${reads} r USING (session)`,
    kindsIn(
      [
        // Entries of an event's type that show no event of the run. What has no type, or another, need not be an event at all.
        ['foreign', `a.id IS NULL AND e.type IN ${actTypes} ${isLegible('e.session', illegible)}`],
        ['refused', 'a.state = 0'],
        ['altered', altered(names)],
        ['moment', moment(history, instants)],
      ],
      `${beside} LEFT JOIN ${own}`,
    ),
    ...(names.sku ? [] : [noShade(`${beside} JOIN ${own}`)]),
  ];
}

/**
 * Entries, matched by id, that do not tell which shade was selected. The interface promises the full history and does not show its
 * fields, so a SKU may have any name or form. But entries of different shades differ in more than their id and times.
 */
function noShade(matched: string): string {
  return `
  SELECT 'no-shade', seq FROM (
    SELECT r.seq, a.sku, regexp_replace(replace(e.whole, a.id, ''), '\\d{4}-\\d\\d-\\d\\d[T ][0-9:.,]+(Z|[+-][0-9:]+)?', '', 'g') AS rest
    FROM ${matched} WHERE a.state = 2 AND e.by_id AND a.type = 'shade_selected' AND a.sku <> '')
  QUALIFY count(DISTINCT sku) OVER (PARTITION BY rest) > 1`;
}

/** The same id with another type or, where histories carry SKUs, another shade. Where histories carry types, an entry has one. */
function altered(names: NamesShown): string {
  const type = names.type ? 'OR e.type IS NULL' : '';
  const shade = names.sku ? `OR (a.type = 'shade_selected' AND e.sku IS DISTINCT FROM a.sku)` : '';
  return `a.state > 0 AND ((e.type <> a.type AND e.type IN ${actTypes}) ${type} ${shade})`;
}

/** How exactly a history may tell an instant: to the second. */
const roundedMs = 1_000;

/**
 * Entries, matched by id, whose instant is neither that which the event was sent with nor one at which it may have been taken
 * in: from when it was sent to when it was read back, by the target's clock. That may be another machine's than the one
 * which dates answers, so both are taken to be apart as far as the profile allows.
 */
function moment({ profile }: Pick<History, 'profile'>, { earliest, latest }: Instants): string {
  const slackMs = profile.clock_skew_bound + roundedMs;
  return `a.state > 0 AND e.by_id
      AND e.at_ms NOT BETWEEN a.first_at_ms - ${roundedMs} AND a.last_at_ms + ${roundedMs}
      AND e.at_ms NOT BETWEEN ${earliest(momentOf('a.first_sent_ns'))} - ${slackMs}
        AND ${latest(momentOf('r.sent_ns'))} + ${slackMs}`;
}

/** What histories that were read back show to be otherwise than it was done. */
export const differenceRow = z.object({
  kind: z.enum(differenceKinds),
  count: z.number(),
  /** `seq` of up to ten of the reads that show it. */
  seqs: z.array(z.number()).readonly(),
});
export type Difference = z.output<typeof differenceRow>;

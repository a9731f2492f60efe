import type { History } from '../../history/history.ts';
import { lateArrivalMs, shownWithinNs } from './instants.ts';
import { actTypes, type NamesShown } from './read-back.ts';
import type { DifferenceKind } from './vocabulary.ts';

/** The ways in which a session that was read back may differ from what the run did, each as a separate query. */

/** What there is to compare: the search for what there is none of would go through all requests. */
export interface ComparedWays {
  /** False: only the session's own fields. */
  readonly acts: boolean;
  /** Some session was granted with the id of an earlier one. */
  readonly sameIds: boolean;
  /** Some read was answered 404. */
  readonly missing: boolean;
}

/** SQL: one row `(kind, seq)` for each difference, `seq` being the read that shows it. */
export function differencesSql(
  history: History,
  names: NamesShown,
  { acts, sameIds, missing }: ComparedWays,
): string {
  const queries = [
    ...sessionFields,
    shadeCount(history),
    ...(sameIds ? [sameId] : []),
    ...(missing ? [notFound(history)] : []),
    ...(acts
      ? [
          `SELECT 'lost', seq FROM (${lostActsSql(history)})`,
          duplicate,
          notAnAct,
          refused,
          altered(names),
          ...(names.sku ? [] : [noShade]),
          moment(history),
        ]
      : []),
  ];
  return queries.join('\n UNION ALL \n');
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
  return `SELECT '${kind}' AS kind, r.seq FROM analytics_read r
    WHERE json_type(r.body, '/${field}') = 'VARCHAR' AND ${same(`json_extract_string(r.body, '/${field}')`)} <> ${same(`r.${field}`)}`;
});

/** `shade_count` read back is that of the creation, unless something was imported into the catalog since. */
function shadeCount({ profile }: History): string {
  const visibleNs = Math.max(lateArrivalMs(profile), profile.import_visible) * 1e6;
  return `
  SELECT 'shade-count', r.seq FROM analytics_read r
  WHERE json_type(r.body, '/shade_count') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND CAST(json_extract(r.body, '/shade_count') AS DOUBLE) <> r.shade_count
    AND NOT EXISTS (FROM requests i WHERE i.endpoint = 'import-shades' AND i.catalog_id = r.catalog_id
      AND i.not_sent IS NULL AND coalesce(i.answered_ns, i.sent_ns) + ${visibleNs} > r.asked_ns)`;
}

const sameId = `
  SELECT 'same-id', s.seq FROM analytics_same_id s JOIN requests r USING (seq)
  JOIN analytics_created e ON e.key = hash(r.session_id) JOIN requests f ON f.seq = e.seq AND f.session_id = r.session_id`;

/** 404 for a session that was granted long enough before the read, and cannot have expired yet. */
function notFound({ profile }: History): string {
  return `
    SELECT 'not-found', r.seq FROM analytics_missing r
    JOIN analytics_created e ON e.key = r.key AND e.certain JOIN requests c ON c.seq = e.seq
    WHERE r.sent_ns > c.answered_ns + ${shownWithinNs(profile)} AND r.credential = c.credential
      AND coalesce(analytics_latest(r.sent_ns, r.sent_ns, true, NULL) + ${profile.clock_skew_bound} < epoch_ms(TRY_CAST(c.expires_at AS TIMESTAMP)), true)`;
}

/** SQL: events that were acknowledged long enough before the read, and are matched by no entry of a history whose entries can be matched. */
export function lostActsSql({ profile }: Pick<History, 'profile'>): string {
  return `
  SELECT a.*, r.seq FROM analytics_due a JOIN analytics_read r ON r.session = a.session
  WHERE a.state = 2 AND (a.arrived_ns IS NULL OR a.arrived_ns + ${shownWithinNs(profile)} <= r.sent_ns)
    AND a.session NOT IN (FROM analytics_illegible)
    AND NOT EXISTS (FROM analytics_entry e WHERE e.session = a.session AND e.act_id = a.id)`;
}

const duplicate = `
  SELECT 'duplicate', r.seq FROM (
    SELECT session FROM analytics_entry WHERE act_id IS NOT NULL
      AND EXISTS (FROM analytics_due a WHERE a.session = analytics_entry.session AND a.id = act_id)
    QUALIFY row_number() OVER (PARTITION BY session, act_id ORDER BY pos) > 1) d
  JOIN analytics_read r USING (session)`;

/** Entries of an event's type that show no event of the run. What has no type, or another, need not be an event at all. */
const notAnAct = `
  SELECT 'foreign', r.seq FROM analytics_entry e JOIN analytics_read r USING (session)
  LEFT JOIN analytics_due a ON a.session = e.session AND a.id = e.act_id
  WHERE a.id IS NULL AND e.type IN ${actTypes} AND e.session NOT IN (FROM analytics_illegible)`;

const matched = `
  analytics_entry e JOIN analytics_read r USING (session)
  JOIN analytics_due a ON a.session = e.session AND a.id = e.act_id`;

const refused = `SELECT 'refused', r.seq FROM ${matched} WHERE a.state = 0`;

/**
 * Entries, matched by id, that do not tell which shade was selected. The interface promises the full history and does not show its
 * fields, so a SKU may have any name or form. But entries of different shades differ in more than their id and times.
 */
const noShade = `
  SELECT 'no-shade', seq FROM (
    SELECT r.seq, a.sku, regexp_replace(replace(e.whole, a.id, ''), '\\d{4}-\\d\\d-\\d\\d[T ][0-9:.,]+(Z|[+-][0-9:]+)?', '', 'g') AS rest
    FROM ${matched} WHERE a.state = 2 AND e.by_id AND a.type = 'shade_selected' AND a.sku <> '')
  QUALIFY count(DISTINCT sku) OVER (PARTITION BY rest) > 1`;

/**
 * The same id with another type or, where histories carry SKUs, another shade. Where histories carry types, an entry has one.
 */
function altered(names: NamesShown): string {
  const type = names.type ? 'OR e.type IS NULL' : '';
  const shade = names.sku ? `OR (a.type = 'shade_selected' AND e.sku IS DISTINCT FROM a.sku)` : '';
  return `SELECT 'altered', r.seq FROM ${matched}
    WHERE a.state > 0 AND ((e.type <> a.type AND e.type IN ${actTypes}) ${type} ${shade})`;
}

/** How exactly a history may tell an instant: to the second. */
const roundedMs = 1_000;

/**
 * Entries, matched by id, whose instant is neither that which the event was sent with nor one at which it may have been taken
 * in: from when it was sent to when it was read back, by the target's clock. That may be another machine's than the one
 * which dates answers, so both are taken to be apart as far as the profile allows.
 */
function moment({ profile }: History): string {
  const slackMs = profile.clock_skew_bound + roundedMs;
  return `SELECT 'moment', r.seq FROM ${matched}
    WHERE a.state > 0 AND e.by_id
      AND e.at_ms NOT BETWEEN a.first_at_ms - ${roundedMs} AND a.last_at_ms + ${roundedMs}
      AND e.at_ms NOT BETWEEN analytics_earliest(a.first_sent_ns, a.first_sent_ns, true, NULL) - ${slackMs}
        AND analytics_latest(r.sent_ns, r.sent_ns, true, NULL) + ${slackMs}`;
}

/** What histories that were read back show to be otherwise than it was done. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly count: number;
  /** `seq` of up to ten of the reads that show it. */
  readonly seqs: readonly number[];
}

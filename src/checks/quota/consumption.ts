import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { sqlText } from '../../history/tables.ts';
import { studyPhases } from '../../vocabulary/phases.ts';
import { fits, type Suspect, shown } from '../causes/cause.ts';
import { admitted, evidenceOf, type Found, firstSeqs, seqsColumn } from '../core/found.ts';
import type { Verdict } from '../core/verdict.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import type { QuotaPeriod } from './account.ts';
import { otherKeysReasons, renewalReasons, sharedAgainstPromise } from './account-words.ts';
import type { Race } from './race.ts';
import { canBeSpentBy, type QuotaFinding, type QuotaSpending } from './spending.ts';

const nothingRow = z.object({ what: z.string(), total: z.number(), seqs: seqsColumn });

/** Requests that create no session, early in the study, against the edge that was found afterwards: none counts, or gives back. */
export async function judgeConsumption(
  history: History,
  spending: QuotaSpending,
  race: Race | undefined,
): Promise<QuotaFinding> {
  const rows = await history.rows(
    nothingRow,
    `SELECT endpoint || ' ' || status AS what, count(*) AS total, ${firstSeqs} AS seqs FROM requests
     WHERE phase = ${sqlText(studyPhases.quotaNothing)} AND credential = 'quota' AND status IS NOT NULL ${spending.period.within}
       AND NOT (endpoint = 'create-session' AND ${admitted})
     GROUP BY what ORDER BY what`,
  );
  const { fresh, sessions } = history.profile.quota;
  const { redeliveries } = history.profile;
  const twin =
    redeliveries === 0 &&
    race?.keys.includes('quota') === false &&
    race.ambiguous === 0 &&
    race.rejected.total > 0
      ? race.admitted.total
      : undefined;
  const wanted = sessions ?? twin;
  const found = spending.admitted.total;
  const most = found + spending.ambiguous.total;
  const isKnown = wanted !== undefined && rows.length > 0 && spending.rejected.total > 0;
  const spentBy = isKnown && most < wanted ? canBeSpentBy(spending, wanted) : undefined;
  // Where another key spends the quota against the promise, its sessions explain the rest as well: quota.sharing fails.
  const shared = sharedAgainstPromise(spending.account);
  const surplus = isKnown && fresh ? found - wanted : 0;
  // No more can be given back than was spent by then.
  const before = await sessionsBefore(history, spending.period);
  const given = surplus > 0 && surplus < before ? fewestWithSum(rows, surplus) : undefined;
  const giving = given?.length === 1 ? given : undefined;
  const verdict: Verdict = !isKnown
    ? 'inconclusive'
    : giving !== undefined
      ? 'fail'
      : most < wanted
        ? fresh && spending.period.isClean && spentBy === undefined && shared.length === 0
          ? 'fail'
          : 'inconclusive'
        : found <= wanted
          ? 'pass'
          : 'inconclusive';
  const doubts = !fresh
    ? [reason('quota-not-fresh')]
    : shared.length > 0
      ? []
      : spentBy === 'redeliveries'
        ? [reason('redelivered', { deliveries: redeliveries + 1 })]
        : otherKeysReasons(spending);
  return {
    verdict,
    expected: wanted === undefined ? 'not known' : { 'sessions before 402': wanted },
    observed: {
      'sessions before 402': most === found ? found : { min: found, max: most },
      ...Object.fromEntries(rows.map(({ what, total }) => [what, total])),
    },
    reasons: !isKnown
      ? [rows.length === 0 ? reason('quota-consumption-untried') : reason('quota-consumption-unknown')]
      : giving !== undefined
        ? [reason('quota-consumption-given-back', { admitted: found, quota: wanted }), sentBefore(rows)]
        : verdict === 'fail'
          ? [reason('quota-consumption-counted', { admitted: most, quota: wanted }), sentBefore(rows)]
          : verdict === 'pass'
            ? [sentBefore(rows), reason('quota-consumption-kept', { quota: wanted })]
            : [
                reason('quota-consumption-in-doubt', { admitted: found, quota: wanted }),
                ...(most < wanted ? doubts : []),
                ...shared,
                ...renewalReasons(spending.period),
              ],
    evidence: rows.flatMap((row) => evidenceOf(row.what, row)),
    causes:
      wanted === undefined
        ? []
        : giving !== undefined
          ? [givingBack(giving)]
          : [
              whyFewer(rows, {
                found: most,
                wanted,
                before,
                others: await sessionsOfOthers(history, spending.period),
              }),
            ],
  };
}

function givingBack(rows: readonly (Found & { readonly what: string })[]): Suspect {
  return fits(
    'quota-given-back',
    { requests: rows.map(({ what }) => what) },
    rows.flatMap(({ seqs }) => seqs.slice(0, 2)),
  );
}

function sentBefore(rows: readonly z.output<typeof nothingRow>[]): Reason {
  const requests = rows.map(({ total, what }) => ({ what, count: total }));
  return reason('quota-consumption-sent', { requests });
}

/**
 * What made sessions cost more, or other requests spend quota. Of the kinds of requests, the fewest whose numbers are just
 * what is missing; if no session was admitted after them, those that are enough. `before`: sessions admitted before them.
 */
function whyFewer(
  rows: readonly (Found & { readonly what: string })[],
  {
    before,
    found,
    others,
    wanted,
  }: {
    readonly before: number;
    readonly found: number;
    readonly others: number;
    readonly wanted: number;
  },
): Suspect {
  const missing = wanted - found;
  const counting = (some: typeof rows, how: typeof fits): Suspect =>
    how(
      'quota-counts-other-requests',
      { requests: some.map(({ what }) => what) },
      some.flatMap(({ seqs }) => seqs.slice(0, 2)),
    );
  if (found <= before) {
    // So it may be, too, where each session costs several units.
    const how = found > 0 && missing % found === 0 ? fits : shown;
    const enough = rows.filter(({ total }) => total >= missing);
    if (enough.length > 0) return counting(enough, how);
    if (rows.reduce((sum, { total }) => sum + total, 0) >= missing) return counting(rows, how);
  }
  const some = fewestWithSum(rows, missing) ?? [];
  if (some.length === 1) return counting(some, others === missing ? fits : shown);
  if (others > 1 && others === missing) return fits('quota-counts-other-accounts', { sessions: others });
  if (some.length > 1) return counting(some, shown);
  return found > 1 && missing > 0 && missing % found === 0
    ? fits('quota-session-costs', { units: wanted / found })
    : fits('quota-differs', { found, promised: wanted });
}

/** Sessions on the quota key before the requests that create none; none to speak of where the quota was spent by then. */
async function sessionsBefore(history: History, { within }: QuotaPeriod): Promise<number> {
  const nothing = `phase = ${sqlText(studyPhases.quotaNothing)}`;
  const [row] = await history.rows(
    z.object({ sessions: z.number(), rejected: z.number() }),
    `SELECT count(*) FILTER (${admitted}) AS sessions, count(*) FILTER (status = 402) AS rejected FROM requests
     WHERE endpoint = 'create-session' AND credential = 'quota' ${within}
       AND answered_ns < (SELECT min(sent_ns) FROM requests WHERE ${nothing} AND credential = 'quota')`,
  );
  return row === undefined || row.rejected > 0 ? 0 : row.sessions;
}

/** Sessions that the run created with other keys before the quota was spent. */
async function sessionsOfOthers(history: History, { within }: QuotaPeriod): Promise<number> {
  const [row] = await history.rows(
    z.object({ sessions: z.number() }),
    `SELECT count(*) AS sessions FROM requests
     WHERE endpoint = 'create-session' AND credential <> 'quota' AND ${admitted} ${within}
       AND answered_ns < (SELECT min(answered_ns) FROM requests WHERE credential = 'quota' AND status = 402 ${within})`,
  );
  return row?.sessions ?? 0;
}

/** Undefined if no kinds, or if several as small sets of them, have that sum. */
function fewestWithSum<Each extends { readonly total: number }>(
  rows: readonly Each[],
  wanted: number,
): readonly Each[] | undefined {
  const sets = Array.from({ length: 2 ** rows.length }, (_, set) =>
    rows.filter((_row, place) => ((set >> place) & 1) === 1),
  );
  const [first, second] = sets
    .filter((set) => set.length > 0 && set.reduce((sum, { total }) => sum + total, 0) === wanted)
    .toSorted((a, b) => a.length - b.length);
  return first?.length === second?.length ? undefined : first;
}

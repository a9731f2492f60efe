import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { studyPhases } from '../../vocabulary/phases.ts';
import { fits, type Suspect, shown } from '../causes/cause.ts';
import { admitted, evidenceOf, type Found, firstSeqs, seqsColumn, sqlText } from '../core/found.ts';
import type { Verdict } from '../core/verdict.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { otherKeysReasons, sharedAgainstPromise } from './account-words.ts';
import type { Race } from './race.ts';
import { canBeSpentBy, type QuotaFinding, type QuotaSpending } from './spending.ts';

const nothingRow = z.object({ what: z.string(), total: z.number(), seqs: seqsColumn });

/** Requests before the first session that must not count, against the edge that was found afterwards. */
export async function judgeConsumption(
  history: History,
  spending: QuotaSpending,
  race: Race | undefined,
): Promise<QuotaFinding> {
  const rows = await history.rows(
    nothingRow,
    `SELECT endpoint || ' ' || status AS what, count(*) AS total, ${firstSeqs} AS seqs FROM requests
     WHERE phase = ${sqlText(studyPhases.quotaNothing)} AND credential = 'quota' AND status IS NOT NULL
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
  const verdict: Verdict = !isKnown
    ? 'inconclusive'
    : most < wanted
      ? fresh && spentBy === undefined && shared.length === 0
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
      : verdict === 'fail'
        ? [reason('quota-consumption-counted', { admitted: most, quota: wanted }), sentBefore(rows)]
        : verdict === 'pass'
          ? [sentBefore(rows), reason('quota-consumption-kept', { quota: wanted })]
          : [
              reason('quota-consumption-in-doubt', { admitted: found, quota: wanted }),
              ...(most < wanted ? doubts : []),
              ...shared,
            ],
    evidence: rows.flatMap((row) => evidenceOf(row.what, row)),
    causes: wanted === undefined ? [] : [whyFewer(rows, most, wanted)],
  };
}

function sentBefore(rows: readonly z.output<typeof nothingRow>[]): Reason {
  const requests = rows.map(({ total, what }) => ({ what, count: total }));
  return reason('quota-consumption-sent', { requests });
}

/** Each kind of request was sent several times: where fewer sessions are missing than that, none of them was counted. */
function whyFewer(
  rows: readonly (Found & { readonly what: string })[],
  found: number,
  wanted: number,
): Suspect {
  const missing = wanted - found;
  const enough = rows.filter(({ total }) => (found === 0 ? total >= missing : total === missing));
  if (enough.length === 0 && rows.every(({ total }) => total > missing))
    return fits('quota-differs', { found, promised: wanted });
  const counted = enough.length > 0 ? enough : rows;
  return shown(
    'quota-counts-other-requests',
    { requests: counted.map(({ what }) => what) },
    counted.flatMap(({ seqs }) => seqs.slice(0, 2)),
  );
}

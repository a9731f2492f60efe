import { z } from 'zod';
import { counted, number, verb } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { studyPhases } from '../../history/phases.ts';
import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import { admitted, evidenceOf, type Found, firstSeqs, seqsColumn, sqlText } from '../found.ts';
import { redeliveryText } from '../redeliveries.ts';
import type { Verdict } from '../verdict.ts';
import { otherKeysText, sharedAgainstPromise } from './account-words.ts';
import type { Race } from './race.ts';
import { canBeSpentBy, type Judged, type Spending } from './spending.ts';

const nothingRow = z.object({ what: z.string(), total: z.number(), seqs: seqsColumn });

/** What came before the first session and ought to have spent nothing, against the edge that was found afterwards. */
export async function judgeConsumption(
  history: History,
  spending: Spending,
  race: Race | undefined,
): Promise<Judged> {
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
    race.refused.total > 0
      ? race.admitted.total
      : undefined;
  const wanted = sessions ?? twin;
  const found = spending.admitted.total;
  const most = found + spending.ambiguous.total;
  const isKnown = wanted !== undefined && rows.length > 0 && spending.refused.total > 0;
  const spentBy = isKnown && most < wanted ? canBeSpentBy(spending, wanted) : undefined;
  // Where another key spends the quota against the promise, its sessions explain the rest as well: quota.sharing fails.
  const shared = sharedAgainstPromise(spending.account);
  const verdict: Verdict = !isKnown
    ? 'inconclusive'
    : most < wanted
      ? fresh && spentBy === undefined && shared === ''
        ? 'fail'
        : 'inconclusive'
      : found <= wanted
        ? 'pass'
        : 'inconclusive';
  const list = rows.map(({ what, total }) => `${number(total)} × ${what}`).join(', ');
  const doubt = !fresh
    ? 'the profile does not say that the account was fresh'
    : shared !== ''
      ? 'another key spends this quota as well'
      : spentBy === 'redeliveries'
        ? redeliveryText(history.profile)
        : otherKeysText(spending);
  return {
    verdict,
    expected: wanted === undefined ? 'not known' : { 'sessions before 402': wanted },
    observed: {
      'sessions before 402': most === found ? found : { min: found, max: most },
      ...Object.fromEntries(rows.map(({ what, total }) => [what, total])),
    },
    explanation: !isKnown
      ? rows.length === 0
        ? 'Nothing that ought not to be counted was sent before the quota was spent.'
        : 'How many sessions the quota allows is not known for certain, so what else was counted cannot be told.'
      : verdict === 'fail'
        ? `Only ${number(most)} of ${counted(wanted, 'session')} ${verb(most, 'was', 'were')} admitted after ${list}: ${number(wanted - most)} of these ${verb(wanted - most, 'was counted as a session', 'were counted as sessions')}.`
        : verdict === 'pass'
          ? `After ${list}, ${counted(wanted, 'session')} ${verb(wanted, 'was', 'were')} still there.`
          : `${counted(found, 'session')} ${verb(found, 'was', 'were')} admitted of ${number(wanted)}${most < wanted ? `; ${doubt}` : ''}, so nothing can be said of what else was counted.${shared}`,
    evidence: rows.flatMap((row) => evidenceOf(row.what, row)),
    causes: wanted === undefined ? [] : [whyFewer(rows, most, wanted)],
  };
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

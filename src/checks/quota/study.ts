import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { studyPhases } from '../../history/phases.ts';
import { admitted, evidenceOf, type Found, firstSeqs, seqsColumn, sqlText } from '../found.ts';
import { quotaOrder } from '../rate-limit/laboratory/judge-order.ts';
import { redeliveryText } from '../redeliveries.ts';
import type { CheckResult, Verdict } from '../verdict.ts';
import { judgeSharing } from './sharing.ts';
import { ambiguous, type Judged, type Spending } from './spending.ts';

/** What only a study of the quota tries; nothing for runs without one. */
export async function checkQuotaStudy(history: History, spending: Spending): Promise<CheckResult[]> {
  const race = await readRace(history);
  return [
    {
      id: 'quota.race',
      title: 'Sessions that race for the last of the quota do not overshoot it',
      ...judgeRace(race, spending, history),
    },
    {
      id: 'quota.consumption',
      title: 'Only sessions that were admitted are counted',
      ...(await judgeConsumption(history, spending, race)),
    },
    {
      id: 'quota.sharing',
      title: 'Whose the quota is: keys and accounts',
      ...(await judgeSharing(history, spending)),
    },
    {
      id: 'quota.precedence',
      title: 'With quota and rate limit both spent, it is always the same refusal that comes',
      ...(await judgePrecedence(history)),
    },
  ];
}

interface Race {
  readonly role: 'quota' | 'twin';
  /** The largest number of attempts that went out in one instant. */
  readonly atOnce: number;
  readonly admitted: Found;
  readonly ambiguous: number;
  readonly refused: Found;
}

const raceRow = z.object({
  role: z.enum(['quota', 'twin']),
  at_once: z.number(),
  admitted: z.number(),
  admitted_seqs: seqsColumn,
  ambiguous: z.number(),
  refused: z.number(),
  refused_seqs: seqsColumn,
});

/** Fewer at once are no race. */
const leastRace = 8;

/** The key that sessions raced on, with all its attempts. */
async function readRace(history: History): Promise<Race | undefined> {
  const [row] = await history.rows(
    raceRow,
    `WITH attempts AS (
       SELECT * FROM requests
       WHERE endpoint = 'create-session' AND credential IN ('quota', 'twin') AND sent_ns IS NOT NULL
         AND phase = ${sqlText(studyPhases.quotaEdge)}),
     volleys AS (SELECT credential, intended_ns, count(*) AS n FROM attempts GROUP BY ALL)
     SELECT credential AS role, (SELECT max(n) FROM volleys v WHERE v.credential = a.credential) AS at_once,
            count(*) FILTER (${admitted}) AS admitted, ${firstSeqs} FILTER (${admitted}) AS admitted_seqs,
            count(*) FILTER (${ambiguous}) AS ambiguous,
            count(*) FILTER (status = 402) AS refused, ${firstSeqs} FILTER (status = 402) AS refused_seqs
     FROM attempts a GROUP BY credential HAVING at_once >= ${leastRace} ORDER BY at_once DESC LIMIT 1`,
  );
  if (row === undefined) return undefined;
  return {
    role: row.role,
    atOnce: row.at_once,
    admitted: { total: row.admitted, seqs: row.admitted_seqs },
    ambiguous: row.ambiguous,
    refused: { total: row.refused, seqs: row.refused_seqs },
  };
}

/** The quota: as told, or as found in sequence on the `quota` key, which is no more than a part of it where requests are redelivered. */
function quotaOf(spending: Spending, { profile }: History): number | undefined {
  const told = profile.quota.sessions;
  if (told !== undefined || profile.redeliveries > 0) return told;
  return spending.refused.total > 0 && spending.ambiguous.total === 0 ? spending.admitted.total : undefined;
}

function judgeRace(race: Race | undefined, spending: Spending, history: History): Judged {
  const quota = race?.role === 'quota' ? history.profile.quota.sessions : quotaOf(spending, history);
  if (race === undefined || quota === undefined) {
    return {
      verdict: 'inconclusive',
      expected: 'no more sessions than the quota',
      observed: null,
      explanation:
        race === undefined
          ? 'No race took place: it needs a quota that is told or found, and sessions left on that key or on a twin.'
          : 'The quota is not known, so nobody can tell how many should win.',
      evidence: [],
    };
  }
  const { redeliveries } = history.profile;
  const most = race.admitted.total + race.ambiguous;
  const over = race.admitted.total - quota;
  // A quota that was found may be what earlier runs had left of it.
  const isTold = history.profile.quota.sessions !== undefined || history.profile.quota.fresh;
  const verdict: Verdict =
    over > 0
      ? isTold
        ? 'fail'
        : 'inconclusive'
      : race.ambiguous > 0 || most < quota || race.refused.total === 0
        ? 'inconclusive'
        : 'pass';
  return {
    verdict,
    expected: { admitted: quota },
    observed: {
      key: race.role,
      'at once': race.atOnce,
      admitted: race.ambiguous === 0 ? race.admitted.total : { min: race.admitted.total, max: most },
      'refused with 402': race.refused.total,
    },
    explanation:
      over > 0
        ? `With ${race.atOnce} sessions racing, ${race.admitted.total} were admitted on ${race.role}, ${over} more than the quota of ${quota}: it is checked and then counted.`
        : verdict === 'pass'
          ? `With ${race.atOnce} sessions racing for the last ones, exactly ${quota} were admitted on ${race.role}.`
          : `With ${race.atOnce} sessions racing, ${race.admitted.total} were admitted on ${race.role}, of a quota of ${quota}; ${race.refused.total === 0 ? 'none was refused with 402' : `${redeliveries > 0 ? `${redeliveryText(history.profile)}, or ` : ''}others may have used the rest`}.`,
    evidence: [...evidenceOf('admitted', race.admitted), ...evidenceOf('refused with 402', race.refused)],
  };
}

const nothingRow = z.object({ what: z.string(), total: z.number(), seqs: seqsColumn });

/** What came before the first session and ought to have spent nothing, against the edge that was found afterwards. */
async function judgeConsumption(
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
  const told = history.profile.quota.fresh ? history.profile.quota.sessions : undefined;
  const { redeliveries } = history.profile;
  const twin =
    redeliveries === 0 && race?.role === 'twin' && race.ambiguous === 0 && race.refused.total > 0
      ? race.admitted.total
      : undefined;
  const wanted = told ?? twin;
  const found = spending.admitted.total;
  const most = found + spending.ambiguous.total;
  const mostMade = Math.max(most, spending.mostMade);
  const isKnown = wanted !== undefined && rows.length > 0 && spending.refused.total > 0;
  const isFresh = history.profile.quota.fresh;
  const verdict: Verdict = !isKnown
    ? 'inconclusive'
    : most < wanted && (!isFresh || mostMade + spending.onOtherKeys >= wanted)
      ? 'inconclusive'
      : most < wanted
        ? 'fail'
        : found <= wanted
          ? 'pass'
          : 'inconclusive';
  const list = rows.map(({ what, total }) => `${total} × ${what}`).join(', ');
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
        ? `Only ${most} of ${wanted} sessions were admitted after ${list}: ${wanted - most} of these were counted as sessions.`
        : verdict === 'pass'
          ? `After ${list}, all ${wanted} sessions were still there.`
          : `${found} sessions were admitted of ${wanted}${mostMade > most ? `; ${redeliveryText(history.profile)}` : ''}, so nothing can be said of what else was counted.`,
    evidence: rows.flatMap((row) => evidenceOf(row.what, row)),
  };
}

async function judgePrecedence(history: History): Promise<Judged> {
  const [order] = await quotaOrder(history, 429);
  return {
    verdict: order?.verdict ?? 'inconclusive',
    expected: 'always 402, or always 429',
    observed: order?.text ?? null,
    explanation:
      order === undefined
        ? 'No session was asked for with both spent.'
        : order.verdict === 'fail'
          ? `With quota and rate limit both spent, sessions were refused with ${order.text}.`
          : `With quota and rate limit both spent: ${order.text}.`,
    evidence:
      order === undefined
        ? []
        : [
            {
              what: 'sessions asked for with both spent',
              seqs: order.seqs.slice(0, 10),
              total: order.seqs.length,
            },
          ],
  };
}

import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { sqlText } from '../../history/tables.ts';
import { studyPhases } from '../../vocabulary/phases.ts';
import type { Role } from '../../vocabulary/roles.ts';
import { fits, type Suspect, shown } from '../causes/cause.ts';
import { admitted, evidenceOf, type Found, firstSeqs, seqsColumn } from '../core/found.ts';
import type { Verdict } from '../core/verdict.ts';
import { expects } from '../reasons/expected.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { attemptOn, quotaPeriod } from './account.ts';
import { ambiguous } from './made.ts';
import type { QuotaFinding, QuotaSpending } from './spending.ts';

export interface Race {
  /** The keys of one account that sessions raced on. */
  readonly keys: readonly Role[];
  /** The largest number of attempts that went out in one instant. */
  readonly atOnce: number;
  readonly admitted: Found;
  readonly ambiguous: number;
  readonly rejected: Found;
  readonly volley: Volley;
}

/** The attempts that went out in one instant, where most did. */
interface Volley {
  /** Admitted before it. */
  readonly before: number;
  readonly admitted: Found;
  readonly rejected: Found;
}

const raceRow = z.object({
  at_once: z.number().nullable(),
  admitted: z.number(),
  admitted_seqs: seqsColumn,
  ambiguous: z.number(),
  rejected: z.number(),
  rejected_seqs: seqsColumn,
  before: z.number(),
  won: z.number(),
  won_seqs: seqsColumn,
  lost: z.number(),
  lost_seqs: seqsColumn,
});

/** Fewer at once are no race. */
const leastRace = 8;

/** The account that most sessions raced on, with all its attempts: that of the `quota` key, or that of the twin. */
export async function readRace(history: History, { account }: QuotaSpending): Promise<Race | undefined> {
  const races = [await raceOn(history, account.keys)];
  if (!account.keys.includes('twin')) races.push(await raceOn(history, ['twin']));
  return races
    .filter((race) => race !== undefined)
    .sort((a, b) => b.atOnce - a.atOnce)
    .find(({ atOnce }) => atOnce >= leastRace);
}

async function raceOn(history: History, keys: readonly Role[]): Promise<Race | undefined> {
  const { within } = await quotaPeriod(history);
  const [row] = await history.rows(
    raceRow,
    `WITH attempts AS (SELECT * FROM requests WHERE ${attemptOn(keys)} ${within}),
     volley AS (
       SELECT intended_ns AS at_ns, count(*) AS n FROM attempts WHERE phase = ${sqlText(studyPhases.quotaEdge)}
       GROUP BY intended_ns ORDER BY n DESC, at_ns LIMIT 1)
     SELECT any_value(n) AS at_once,
            count(*) FILTER (${admitted}) AS admitted, ${firstSeqs} FILTER (${admitted}) AS admitted_seqs,
            count(*) FILTER (${ambiguous}) AS ambiguous,
            count(*) FILTER (status = 402) AS rejected, ${firstSeqs} FILTER (status = 402) AS rejected_seqs,
            count(*) FILTER (${admitted} AND intended_ns < at_ns) AS before,
            count(*) FILTER (${admitted} AND intended_ns = at_ns) AS won,
            ${firstSeqs} FILTER (${admitted} AND intended_ns = at_ns) AS won_seqs,
            count(*) FILTER (status = 402 AND intended_ns = at_ns) AS lost,
            ${firstSeqs} FILTER (status = 402 AND intended_ns = at_ns) AS lost_seqs
     FROM attempts LEFT JOIN volley ON true`,
  );
  if (row === undefined || row.at_once === null) return undefined;
  return {
    keys,
    atOnce: row.at_once,
    admitted: { total: row.admitted, seqs: row.admitted_seqs },
    ambiguous: row.ambiguous,
    rejected: { total: row.rejected, seqs: row.rejected_seqs },
    volley: {
      before: row.before,
      admitted: { total: row.won, seqs: row.won_seqs },
      rejected: { total: row.lost, seqs: row.lost_seqs },
    },
  };
}

interface QuotaRange {
  readonly least: number;
  readonly most: number;
}

/** The quota: as told, or as found in sequence on the `quota` key's account. `most`: keys that may be of the account spent it, too. */
function quotaOf(spending: QuotaSpending, { profile }: History): QuotaRange | undefined {
  const told = profile.quota.sessions;
  if (told !== undefined) return { least: told, most: told };
  // Where requests are redelivered, the sessions that were admitted are only a part of it.
  if (profile.redeliveries > 0 || spending.rejected.total === 0 || spending.ambiguous.total > 0)
    return undefined;
  const least = spending.admitted.total;
  return { least, most: least + spending.elsewhere.reduce((sum, on) => sum + on.most, 0) };
}

export function judgeRace(race: Race | undefined, spending: QuotaSpending, history: History): QuotaFinding {
  const isOwn = race?.keys.includes('quota') === true;
  const told = history.profile.quota.sessions;
  const quota = isOwn && told === undefined ? undefined : quotaOf(spending, history);
  if (race === undefined || quota === undefined) {
    return {
      verdict: 'inconclusive',
      expected: expects('quota.race'),
      observed: null,
      reasons: [race === undefined ? whyNoRace(spending, told) : reason('quota-race-unknown')],
    };
  }
  const most = race.admitted.total + race.ambiguous;
  // Of the keys that sessions raced on, some may only look as though they spent this quota.
  const over = (isOwn ? spending.admittedTold : race.admitted.total) - quota.most;
  // A quota that was found may be what earlier runs had left of it.
  const isTold = told !== undefined || history.profile.quota.fresh;
  const isExact = quota.least === quota.most && race.admitted.total === quota.least && race.ambiguous === 0;
  const verdict: Verdict =
    over > 0
      ? isTold
        ? 'fail'
        : 'inconclusive'
      : isExact && race.rejected.total > 0
        ? 'pass'
        : 'inconclusive';
  const causes = over > 0 ? overshot(over, quota.most, race, spending) : [];
  return {
    verdict,
    expected: {
      'created in all': quota.least === quota.most ? quota.most : { min: quota.least, max: quota.most },
    },
    observed: {
      key: race.keys.join(' and '),
      'created before the race': race.volley.before,
      'sent at once': race.atOnce,
      'created in the race': race.volley.admitted.total,
      '402 in the race': race.volley.rejected.total,
      'created in all': race.ambiguous === 0 ? race.admitted.total : { min: race.admitted.total, max: most },
    },
    reasons: reasonsOf(race, quota, {
      over,
      verdict,
      isRaced: causes.some(({ cause }) => cause.code === 'check-then-increment'),
      redeliveries: history.profile.redeliveries,
    }),
    evidence: [
      ...evidenceOf('created in the race', race.volley.admitted),
      ...evidenceOf('402 in the race', race.volley.rejected),
    ],
    causes,
  };
}

interface RaceOutcome {
  readonly over: number;
  readonly verdict: Verdict;
  /** Too many may have been admitted because they came at the same time. */
  readonly isRaced: boolean;
  readonly redeliveries: number;
}

function reasonsOf(
  { admitted, atOnce, keys, rejected, volley }: Race,
  { least, most }: QuotaRange,
  { isRaced, over, redeliveries, verdict }: RaceOutcome,
): Reason[] {
  if (over > 0) {
    return [
      reason('quota-race-over', {
        atOnce,
        before: volley.before,
        won: volley.admitted.total,
        lost: volley.rejected.total,
        admitted: most + over,
        quota: most,
        keys,
      }),
      ...(isRaced ? [reason('quota-race-cause')] : []),
      ...(verdict === 'fail' ? [] : [reason('quota-not-fresh')]),
    ];
  }
  if (verdict === 'pass') return [reason('quota-race-exact', { atOnce, quota: most, keys })];
  const short = { atOnce, admitted: admitted.total, quota: { min: least, max: most }, keys };
  return [
    reason('quota-race-short', short),
    ...(rejected.total === 0
      ? [reason('quota-race-without-402')]
      : [
          ...(redeliveries > 0 ? [reason('redelivered', { deliveries: redeliveries + 1 })] : []),
          reason('quota-race-others'),
        ]),
  ];
}

/** As many too many as one after another are no matter of the race. */
function overshot(
  over: number,
  quota: number,
  { rejected, volley }: Race,
  { admittedBeyond, admittedLate }: QuotaSpending,
): Suspect[] {
  const differs = fits('quota-differs', { found: quota + over, promised: quota }, admittedBeyond.seqs);
  if (over <= admittedBeyond.total) return [differs];
  // A race admits any number too many. Just as many as the whole quota, at once, are no race: nothing was spent any more.
  if (volley.before > 0 && volley.admitted.total === quota)
    return [shown('quota-comes-back', { before: volley.before, quota }, volley.admitted.seqs)];
  // A race explains none of those that came one after another.
  if (admittedBeyond.total > 0) {
    const exceeded = { admitted: quota + over, quota, inTurn: admittedBeyond.total };
    return [fits('quota-exceeded', exceeded, admittedBeyond.seqs)];
  }
  const raced = { over, quota };
  // As many as there is quota may all find room, if what was spent before has come back, as it does after a 402.
  const race = fits('check-then-increment', raced, rejected.seqs);
  return over === 1 && (admittedLate.total === 0 || volley.admitted.total > quota) ? [differs, race] : [race];
}

/** Why there was no race, and what to say in the profile for the next run. */
function whyNoRace({ account }: QuotaSpending, quota: number | undefined): Reason {
  if (account.of.twin.found !== 'same-account' || account.of.twin.isSameKey) return reason('quota-race-none');
  const fields = [
    ...(quota === undefined ? ['quota.sessions'] : []),
    ...(account.of.twin.told === 'same-account' ? [] : ['quota.twin: same-account']),
  ];
  return reason('quota-race-unsaid', { fields });
}

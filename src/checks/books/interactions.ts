import { z } from 'zod';
import { all as everyOne, verb } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { caused, fits } from '../diagnosis/cause.ts';
import { evidenceOf, type Found, firstSeqs, nothing, seqsColumn } from '../found.ts';
import type { CheckResult } from '../verdict.ts';
import { blame, cutOff } from './cut-off.ts';
import { areNumbersTheirOwn } from './distinct.ts';

const foundRow = z.object({ total: z.number(), seqs: seqsColumn });

/** Every act of a shopper belongs to the request that carried it, and each request has as many as it says. Nothing where nobody acted. */
export async function checkInteractions(history: History): Promise<CheckResult[]> {
  const isEven = ((await areNumbersTheirOwn(history)) ?? false) && (await areAlike(history));
  const strays = isEven ? nothing : await findStrays(history);
  const unequal = isEven ? nothing : await findUnequal(history);
  const [row] = await history.rows(
    z.object({ acts: z.number() }),
    'SELECT count(*) AS acts FROM interactions',
  );
  const acts = row?.acts ?? 0;
  const reason = cutOff(history);
  const wrong = strays.total + unequal.total;
  if (acts === 0 && wrong === 0) return [];
  return [
    {
      id: 'books.interactions',
      title: 'Every event belongs to the request that sent it',
      // The files are written side by side, so a cut may leave one ahead of the other.
      verdict: wrong === 0 ? 'pass' : reason === undefined ? 'fail' : 'inconclusive',
      expected: { 'acts without their request': 0, 'requests with another number of acts': 0 },
      observed: {
        acts,
        'acts without their request': strays.total,
        'requests with another number of acts': unequal.total,
      },
      explanation:
        wrong === 0
          ? `${everyOne(acts, 'act')} ${verb(acts, 'belongs', 'belong')} to the request that carried ${verb(acts, 'it', 'them')}.`
          : reason === undefined
            ? `Acts and requests do not match, ${blame}.`
            : `Acts and requests do not match; ${reason}.`,
      evidence: [
        ...evidenceOf('acts without their request', strays),
        ...evidenceOf('requests with another number of acts', unequal),
      ],
      ...(wrong > 0 &&
        reason === undefined &&
        caused([fits('records-incomplete', { what: ['interactions'] }, [...strays.seqs, ...unequal.seqs])])),
    },
  ];
}

/** For a sum of 52 bits each that stays exact: times the acts of a request, over as many requests as there may be. */
const digest = 'CAST(hash(seq, session_id) >> 12 AS BIGINT)';

/**
 * Whether acts and the requests that say they carried them are the same, by the sum of their digests: where the numbers of
 * requests are their own, a sum that is the same by accident is less likely than a fault of the machine. Joining them
 * takes ten times as long, and is only for saying which.
 */
async function areAlike(history: History): Promise<boolean> {
  const [same] = await history.rows(
    z.object({ same: z.boolean().nullable() }),
    `SELECT acts.n = carried.n AND acts.digest = carried.digest AND carried.least >= 0 AS same
     FROM (SELECT count(*) AS n, coalesce(sum(${digest}), 0) AS digest FROM interactions) acts,
          (SELECT coalesce(sum(items), 0) AS n, coalesce(sum(${digest} * coalesce(items, 0)), 0) AS digest,
                  coalesce(min(items), 0) AS least
           FROM requests WHERE endpoint = 'interact') carried`,
  );
  return same?.same === true;
}

async function findStrays(history: History): Promise<Found> {
  const [found] = await history.rows(
    foundRow,
    `SELECT count(*) AS total, min(i.seq, 10) AS seqs FROM interactions i
     ANTI JOIN (SELECT seq, session_id FROM requests WHERE endpoint = 'interact') r
       ON r.seq = i.seq AND r.session_id IS NOT DISTINCT FROM i.session_id`,
  );
  return found ?? nothing;
}

/** Acts of a request that was never sent may or may not have been noted; they never happened. */
async function findUnequal(history: History): Promise<Found> {
  const [found] = await history.rows(
    foundRow,
    `WITH acts AS (SELECT seq, count(*) AS acts FROM interactions GROUP BY seq)
     SELECT count(*) AS total, ${firstSeqs} AS seqs FROM requests LEFT JOIN acts USING (seq)
     WHERE endpoint = 'interact' AND coalesce(acts, 0) <> coalesce(items, 0)
       AND NOT (not_sent IS NOT NULL AND acts IS NULL)`,
  );
  return found ?? nothing;
}

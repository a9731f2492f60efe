import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { caused, fits } from '../causes/cause.ts';
import { evidenceOf, type Found, firstSeqs, nothing, seqsColumn } from '../core/found.ts';
import type { CheckFinding } from '../core/verdict.ts';
import { reason } from '../reasons/reason.ts';
import { areNumbersUnique, cutOff } from './planned.ts';

const foundRow = z.object({ total: z.number(), seqs: seqsColumn });

/** Every event belongs to the request that sent it, and each request has as many as it says. Nothing for a run without events. */
export async function checkInteractions(history: History): Promise<CheckFinding[]> {
  const isEven = ((await areNumbersUnique(history)) ?? false) && (await match(history));
  const strays = isEven ? nothing : await findStrays(history);
  const unequal = isEven ? nothing : await findUnequal(history);
  const [row] = await history.rows(
    z.object({ events: z.number() }),
    'SELECT count(*) AS events FROM interactions',
  );
  const events = row?.events ?? 0;
  const cut = cutOff(history);
  const wrong = strays.total + unequal.total;
  if (events === 0 && wrong === 0) return [];
  return [
    {
      id: 'books.interactions',
      // The files are written side by side, so a cut may leave one ahead of the other.
      verdict: wrong === 0 ? 'pass' : cut === undefined ? 'fail' : 'inconclusive',
      expected: { 'events without their request': 0, 'requests with another number of events': 0 },
      observed: {
        events,
        'events without their request': strays.total,
        'requests with another number of events': unequal.total,
      },
      reasons:
        wrong === 0
          ? [reason('accounting-events', { events })]
          : [
              reason('accounting-events-differ', { strays: strays.total, unequal: unequal.total }),
              ...(cut === undefined ? [] : [cut]),
            ],
      evidence: [
        ...evidenceOf('events without their request', strays),
        ...evidenceOf('requests with another number of events', unequal),
      ],
      ...(wrong > 0 &&
        cut === undefined &&
        caused([fits('records-incomplete', { what: ['interactions'] }, [...strays.seqs, ...unequal.seqs])])),
    },
  ];
}

/** For a sum of 52 bits each that stays exact: times the events of a request, over as many requests as there may be. */
const digest = 'CAST(hash(seq, session_id) >> 12 AS BIGINT)';

/**
 * Whether events and the requests that sent them match, by the sum of their digests. With unique numbers, an equal sum by
 * accident is less likely than a fault of the machine. A join takes ten times as long, and is needed only to say which differ.
 */
async function match(history: History): Promise<boolean> {
  const [same] = await history.rows(
    z.object({ same: z.boolean().nullable() }),
    `SELECT events.n = sent.n AND events.digest = sent.digest AND sent.least >= 0 AS same
     FROM (SELECT count(*) AS n, coalesce(sum(${digest}), 0) AS digest FROM interactions) events,
          (SELECT coalesce(sum(items), 0) AS n, coalesce(sum(${digest} * coalesce(items, 0)), 0) AS digest,
                  coalesce(min(items), 0) AS least
           FROM requests WHERE endpoint = 'interact') sent`,
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

/** Events of a request that was never sent may or may not have a record; they never happened. */
async function findUnequal(history: History): Promise<Found> {
  const [found] = await history.rows(
    foundRow,
    `WITH counts AS (SELECT seq, count(*) AS events FROM interactions GROUP BY seq)
     SELECT count(*) AS total, ${firstSeqs} AS seqs FROM requests LEFT JOIN counts USING (seq)
     WHERE endpoint = 'interact' AND coalesce(events, 0) <> coalesce(items, 0)
       AND NOT (not_sent IS NOT NULL AND events IS NULL)`,
  );
  return found ?? nothing;
}

import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { allSlower, crossedPairs, crossedTrials, newConnections } from '../../vocabulary/crossed.ts';
import { caused, fits } from '../causes/cause.ts';
import { admitted } from '../core/found.ts';
import { isProbe, isProbeOf } from '../core/probes.ts';
import { type CheckFinding, evidence } from '../core/verdict.ts';
import { reason } from '../reasons/reason.ts';
import { toMicroseconds } from './table.ts';

/**
 * One request in two situations, several times each: whether it is slower each time in the one than ever in the other. Chance and a busy machine hold up
 * single requests, so each time has to be slower than all of the others.
 */

/** Of the trials of a slow pair, and of new connections, one may be lost to the network. */
const fewest = { crossed: crossedTrials.again, connections: newConnections - 1 } as const;

const trialRow = z.object({
  seq: z.number(),
  endpoint: z.string(),
  probe: z.string(),
  took_ms: z.number().transform(toMicroseconds),
  quickest_ms: z.number().nullable(),
});
type TrialRow = z.output<typeof trialRow>;

function readTrials(history: History, probes: string): Promise<TrialRow[]> {
  return history.rows(
    trialRow,
    `WITH quickest AS (
       SELECT endpoint, min(answered_ns - sent_ns) / 1e6 AS quickest_ms FROM requests WHERE ${admitted} GROUP BY endpoint)
     SELECT seq, endpoint, probe, (answered_ns - sent_ns) / 1e6 AS took_ms, quickest_ms
     FROM requests LEFT JOIN quickest USING (endpoint)
     WHERE ${probes} AND (${admitted} OR lost = 'timeout') AND sent_ns IS NOT NULL ORDER BY seq`,
  );
}

const timesOf = (trials: readonly TrialRow[]): readonly number[] => trials.map(({ took_ms }) => took_ms);

/** No endpoint is slow each time that another one works. No finding where no pair was asked. */
export async function checkNeighbours(history: History): Promise<CheckFinding[]> {
  const trials = await readTrials(history, isProbeOf('crossed'));
  if (trials.length === 0) return [];
  const of = (endpoint: string, meanwhile: string): readonly TrialRow[] =>
    trials.filter((each) => each.endpoint === endpoint && each.probe === `crossed:${meanwhile}`);
  const crossings = crossedPairs.map(([other, endpoint]) => {
    const [alone, besides] = [timesOf(of(endpoint, 'alone')), of(endpoint, other)];
    const beside = timesOf(besides);
    const figures = {
      ...{ endpoint, other, times: beside.length },
      ...{ aloneMs: Math.max(...alone), besideMs: Math.min(...beside) },
    };
    // The request that was to work is the one before.
    const seqs = besides.flatMap(({ seq }) => [seq - 1, seq]);
    // A longer wait each time is excluded: without it, an answer would have been quicker than any of this endpoint.
    const mostWaitMs = figures.besideMs - (besides[0]?.quickest_ms ?? 0);
    return { alone, beside, figures, seqs, mostWaitMs };
  });
  const tried = crossings.filter(({ alone, beside }) => alone.length > 0 && beside.length > 0);
  const slow = tried
    .filter(({ alone, beside }) => allSlower(beside, alone))
    .toSorted((a, b) => b.figures.besideMs - a.figures.besideMs);
  const certain = slow.filter(({ alone, beside }) => Math.min(alone.length, beside.length) >= fewest.crossed);
  const [worst] = certain;
  const reasons =
    worst !== undefined
      ? certain.map(({ figures }) => reason('neighbours-wait', figures))
      : slow.map(({ figures }) => reason('neighbours-in-doubt', figures));
  const mostWaitMs = toMicroseconds(Math.max(...tried.map((each) => each.mostWaitMs)));
  const otherwise =
    tried.length === 0
      ? reason('neighbours-too-few')
      : reason('neighbours-free', { pairs: tried.length, mostWaitMs });
  return [
    {
      id: 'latency.neighbours',
      verdict: worst !== undefined ? 'fail' : slow.length > 0 || tried.length === 0 ? 'inconclusive' : 'pass',
      expected: { 'endpoints that wait for another one': 0 },
      observed: {
        'pairs tried': tried.length,
        'endpoints that wait for another one': certain.length,
        ...Object.fromEntries(
          slow.map(({ alone, beside, figures: { endpoint, other } }) => [
            `${endpoint} beside ${other}`,
            { 'alone, ms': alone, 'beside it, ms': beside },
          ]),
        ),
      },
      reasons: reasons.length > 0 ? reasons : [otherwise],
      evidence: slow.map(({ figures: { endpoint, other }, seqs }) =>
        evidence(`${endpoint} at the same time as ${other}`, seqs),
      ),
      ...(worst !== undefined &&
        caused([
          fits(
            'endpoints-wait',
            {
              waiting: [...new Set(certain.map(({ figures }) => figures.endpoint))],
              working: [...new Set(certain.map(({ figures }) => figures.other))],
              ...{ aloneMs: worst.figures.aloneMs, besideMs: worst.figures.besideMs },
            },
            worst.seqs,
          ),
        ])),
    },
  ];
}

/**
 * The first request of a new connection is not slow each time. A service time begins when the request is sent, so opening the
 * connection is not a part of it. No finding where no connection was opened for this.
 */
export async function checkConnections(history: History): Promise<CheckFinding[]> {
  const trials = await readTrials(history, isProbe('connection:first', 'connection:next'));
  if (trials.length === 0) return [];
  const { true: firsts = [], false: others = [] } = Object.groupBy(trials, ({ probe }) =>
    String(probe === 'connection:first'),
  );
  const [first, next] = [timesOf(firsts), timesOf(others)];
  const connections = Math.min(first.length, next.length);
  const figures = {
    connections,
    fastestFirstMs: Math.min(...first),
    slowestFirstMs: Math.max(...first),
    slowestNextMs: Math.max(...next),
  };
  const isUnknown = connections < fewest.connections;
  const isSlower = !isUnknown && allSlower(first, next);
  const { fastestFirstMs: firstMs, slowestNextMs: nextMs } = figures;
  const seqs = trials.map(({ seq }) => seq);
  return [
    {
      id: 'latency.connections',
      verdict: isUnknown ? 'inconclusive' : isSlower ? 'fail' : 'pass',
      expected: { 'first requests slower than all others': false },
      observed: { 'first request, ms': first, 'request after it, ms': next },
      reasons: [
        isUnknown
          ? reason('connections-too-few', { connections, fewest: fewest.connections })
          : reason(isSlower ? 'connections-slow-at-first' : 'connections-alike', figures),
      ],
      evidence: [
        evidence(
          'first requests of new connections',
          firsts.map(({ seq }) => seq),
        ),
      ],
      ...(isSlower && caused([fits('new-connections-slow', { connections, firstMs, nextMs }, seqs)])),
    },
  ];
}

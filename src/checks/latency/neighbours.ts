import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { allSlower, crossedPairs, crossedTrials } from '../../vocabulary/crossed.ts';
import { caused, fits } from '../causes/cause.ts';
import { admitted } from '../core/found.ts';
import { isProbeOf } from '../core/probe-names.ts';
import { type CheckFinding, evidence } from '../core/verdict.ts';
import type { CrossingFigures } from '../reasons/latency.ts';
import { reason } from '../reasons/reason.ts';
import { toMicroseconds } from './table.ts';

/** Of the trials of a slow pair, one may be lost to the network. */
const fewest = crossedTrials.again;

const trialRow = z.object({
  seq: z.number(),
  endpoint: z.string(),
  probe: z.string(),
  took_ms: z.number(),
  quickest_ms: z.number().nullable(),
});
type TrialRow = z.output<typeof trialRow>;

/** An endpoint alone, and while another one works. */
interface Crossing {
  readonly endpoint: string;
  readonly other: string;
  readonly alone: readonly number[];
  readonly beside: readonly number[];
  readonly seqs: readonly number[];
  readonly isSlower: boolean;
  /** A longer wait each time is excluded: without it, an answer would have been quicker than any of this endpoint. */
  readonly mostWaitMs: number;
}

/**
 * No endpoint is slow each time that another one works. Chance and a busy machine hold up single
 * requests, so each time has to be slower than all without the other. No finding where no pair was asked.
 */
export async function checkNeighbours(history: History): Promise<CheckFinding[]> {
  const trials = await history.rows(
    trialRow,
    `WITH quickest AS (
       SELECT endpoint, min(answered_ns - sent_ns) / 1e6 AS quickest_ms FROM requests WHERE ${admitted} GROUP BY endpoint)
     SELECT seq, endpoint, probe, (answered_ns - sent_ns) / 1e6 AS took_ms, quickest_ms
     FROM requests LEFT JOIN quickest USING (endpoint)
     WHERE ${isProbeOf('crossed')} AND (${admitted} OR lost = 'timeout') AND sent_ns IS NOT NULL ORDER BY seq`,
  );
  if (trials.length === 0) return [];
  const crossings = crossingsOf(trials);
  const tried = crossings.filter(({ alone, beside }) => alone.length > 0 && beside.length > 0);
  const slow = crossings
    .filter(({ isSlower }) => isSlower)
    .toSorted((a, b) => Math.min(...b.beside) - Math.min(...a.beside));
  const certain = slow.filter(({ alone, beside }) => Math.min(alone.length, beside.length) >= fewest);
  const [worst] = certain;
  const verdict =
    worst !== undefined ? 'fail' : slow.length > 0 || tried.length === 0 ? 'inconclusive' : 'pass';
  return [
    {
      id: 'latency.neighbours',
      verdict,
      expected: { 'endpoints that wait for another one': 0 },
      observed: {
        'pairs tried': tried.length,
        'endpoints that wait for another one': certain.length,
        ...Object.fromEntries(
          slow.map((each) => [
            `${each.endpoint} beside ${each.other}`,
            { 'alone, ms': each.alone.map(toMicroseconds), 'beside it, ms': each.beside.map(toMicroseconds) },
          ]),
        ),
      },
      reasons:
        worst !== undefined
          ? certain.map((each) => reason('neighbours-wait', figures(each)))
          : slow.length > 0
            ? slow.map((each) => reason('neighbours-in-doubt', figures(each)))
            : tried.length === 0
              ? [reason('neighbours-too-few')]
              : [
                  reason('neighbours-free', {
                    pairs: tried.length,
                    mostWaitMs: toMicroseconds(Math.max(...tried.map(({ mostWaitMs }) => mostWaitMs))),
                  }),
                ],
      evidence: slow.map(({ endpoint, other, seqs }) =>
        evidence(`${endpoint} at the same time as ${other}`, seqs),
      ),
      ...(worst !== undefined &&
        caused([
          fits(
            'endpoints-wait',
            {
              waiting: [...new Set(certain.map(({ endpoint }) => endpoint))],
              working: [...new Set(certain.map(({ other }) => other))],
              aloneMs: figures(worst).aloneMs,
              besideMs: figures(worst).besideMs,
            },
            worst.seqs,
          ),
        ])),
    },
  ];
}

function crossingsOf(trials: readonly TrialRow[]): Crossing[] {
  const of = (endpoint: string, meanwhile: string): readonly TrialRow[] =>
    trials.filter((each) => each.endpoint === endpoint && each.probe === `crossed:${meanwhile}`);
  return crossedPairs.map(([working, waiting]): Crossing => {
    const alone = of(waiting, 'alone').map(({ took_ms }) => took_ms);
    const trials = of(waiting, working);
    const beside = trials.map(({ took_ms }) => took_ms);
    return {
      endpoint: waiting,
      other: working,
      alone,
      beside,
      // The request that was to work is the one before.
      seqs: trials.flatMap(({ seq }) => [seq - 1, seq]),
      isSlower: allSlower(beside, alone),
      mostWaitMs: Math.min(...beside) - (trials[0]?.quickest_ms ?? 0),
    };
  });
}

function figures({ alone, beside, endpoint, other }: Crossing): CrossingFigures {
  return {
    endpoint,
    other,
    times: beside.length,
    aloneMs: toMicroseconds(Math.max(...alone)),
    besideMs: toMicroseconds(Math.min(...beside)),
  };
}

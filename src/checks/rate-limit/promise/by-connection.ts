import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { traceOfRows, traceOptions } from '../../../sent/charged.ts';
import { fits, kindOf, type Suspect } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { type JudgedStream, judgeStream } from '../traces/judged.ts';
import { judgeEnforced } from './enforced.ts';
import { judgeWrongful } from './wrongful.ts';

/** Longer streams are not divided. */
const mostDivided = 200_000;
/** With fewer rejections, each connection by itself explains little. */
const fewestRejections = 3;
/** Nodes that may get the connections in turn. */
const mostNodes = 6;

const portRow = z.object({ seq: z.number(), place: z.number() });

/** A way in which connections may be counted apart. */
interface Division {
  /** Of a connection, by its place in the order of first use. */
  readonly counterOf: (connection: number) => number;
  /** The limit of each counter. */
  readonly requests: number;
  readonly nodes?: number;
}

/** Each connection by itself; and nodes that get connections in turn, each with the limit or its share of it. */
function divisionsOf(requests: number): Division[] {
  return [
    { counterOf: (connection) => connection, requests },
    ...Array.from({ length: mostNodes - 1 }, (_, n) => n + 2).flatMap((nodes) =>
      [Math.ceil(requests / nodes), Math.floor(requests / nodes), requests].map((share) => ({
        counterOf: (connection: number) => connection % nodes,
        requests: share,
        nodes,
      })),
    ),
  ];
}

/**
 * Streams that no limiter explains, where a limiter of the promised kind explains the requests of some connections by
 * themselves: connections, or the nodes that they lead to, are counted apart.
 */
export async function countedByConnection(
  history: History,
  past: readonly JudgedStream[],
): Promise<Suspect | undefined> {
  const broken = past.filter(
    (judged) =>
      judged.fit.limited >= fewestRejections &&
      judged.trace.length <= mostDivided &&
      (judgeEnforced([judged]).verdict === 'fail' || judgeWrongful([judged]).verdict === 'fail'),
  );
  if (broken.length === 0) return undefined;
  const rows = await history.rows(
    portRow,
    `WITH opened AS (
       SELECT local_port, row_number() OVER (ORDER BY min(coalesce(first_sent_ns, sent_ns))) - 1 AS place
       FROM requests WHERE local_port IS NOT NULL AND sent_ns IS NOT NULL GROUP BY local_port)
     SELECT seq, place FROM requests JOIN opened USING (local_port) WHERE status IS NOT NULL`,
  );
  const places = new Map(rows.map(({ place, seq }) => [seq, place]));
  for (const division of divisionsOf(history.profile.rate_limit.requests)) {
    const counters = broken.map((judged) => countersThatLimit(history, judged, places, division));
    if (!counters.every((each) => each !== undefined && each >= 2)) continue;
    const seqs = broken.flatMap(({ stream: { rows: some, sent } }) =>
      Array.from(some.slice(0, 2), (row) => sent.seq[row] as number),
    );
    const { nodes } = division;
    const connections = counters.reduce((sum: number, each) => sum + (each ?? 0), 0);
    return fits('limit-by-connection', nodes === undefined ? { connections } : { nodes }, seqs);
  }
  return undefined;
}

/** How many counters reject, if each of them explains its requests. */
function countersThatLimit(
  history: History,
  { stream }: JudgedStream,
  places: ReadonlyMap<number, number>,
  { counterOf, requests }: Division,
): number | undefined {
  const { charge, sent } = stream;
  const of = (row: number): number => counterOf(places.get(sent.seq[row] as number) ?? 0);
  const { profile, run } = history;
  const told = { run, profile: { ...profile, rate_limit: { ...profile.rate_limit, requests } } };
  const options = traceOptions(history, 429);
  let limiting = 0;
  for (const own of Map.groupBy(stream.rows, of).values()) {
    const rows = Int32Array.from(own);
    const judged = judgeStream({ ...stream, rows, trace: traceOfRows(sent, rows, charge, options) }, told);
    if (judgeWrongful([judged]).verdict === 'fail') return undefined;
    if (judged.fit.limited === 0) continue;
    if (judgeEnforced([judged]).verdict === 'fail') return undefined;
    limiting++;
  }
  return limiting;
}

/** What one limit for each connection would explain as well. */
export function orByConnection(result: CheckFinding, suspect: Suspect): CheckFinding {
  const { causes = [], id, verdict } = result;
  const isOfLimit = kindOf(suspect.cause).explains.includes(id);
  return verdict !== 'fail' || !isOfLimit ? result : { ...result, causes: [...causes, suspect] };
}

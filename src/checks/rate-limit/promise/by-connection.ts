import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { traceOfRows, traceOptions } from '../../../sent/traces.ts';
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

const portRow = z.object({ seq: z.number(), place: z.number(), address: z.number() });
type Port = Omit<z.output<typeof portRow>, 'seq'>;

/** A way in which connections may be counted apart. */
interface Division {
  /** Of a connection, by its place in the order of first use, and by the number of the address that it leads to. */
  readonly counterOf: (port: Port) => number;
  /** The limit of each counter. */
  readonly requests: number;
  readonly nodes?: number;
  readonly addresses?: number;
}

/**
 * Each address, and each connection, by itself; and nodes that get connections in turn. Each address and node has the limit or
 * its share of it.
 */
function divisionsOf(requests: number, addresses: number): Division[] {
  const sharesOf = (parts: number): number[] => [
    Math.ceil(requests / parts),
    Math.floor(requests / parts),
    requests,
  ];
  return [
    ...(addresses < 2 ? [] : sharesOf(addresses)).map((share) => ({
      counterOf: ({ address }: Port) => address,
      requests: share,
      addresses,
    })),
    { counterOf: ({ place }) => place, requests },
    ...Array.from({ length: mostNodes - 1 }, (_, n) => n + 2).flatMap((nodes) =>
      sharesOf(nodes).map((share) => ({
        counterOf: ({ place }: Port) => place % nodes,
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
     SELECT seq, place, dense_rank() OVER (ORDER BY remote_address) - 1 AS address
     FROM requests JOIN opened USING (local_port) WHERE status IS NOT NULL`,
  );
  const ports = new Map(rows.map(({ seq, ...port }) => [seq, port]));
  const addresses = new Set(rows.map(({ address }) => address)).size;
  for (const division of divisionsOf(history.profile.rate_limit.requests, addresses)) {
    const counters = broken.map((judged) => countersThatLimit(history, judged, ports, division));
    if (!counters.every((each) => each !== undefined && each >= 2)) continue;
    const seqs = broken.flatMap(({ stream: { rows: some, sent } }) =>
      Array.from(some.slice(0, 2), (row) => sent.seq[row] as number),
    );
    const { addresses: each, nodes } = division;
    const connections = counters.reduce((sum: number, limiting) => sum + (limiting ?? 0), 0);
    const found =
      each !== undefined ? { addresses: each } : nodes === undefined ? { connections } : { nodes };
    return fits('limit-by-connection', found, seqs);
  }
  return undefined;
}

/** How many counters reject, if each of them explains its requests. */
function countersThatLimit(
  history: History,
  { stream }: JudgedStream,
  ports: ReadonlyMap<number, Port>,
  { counterOf, requests }: Division,
): number | undefined {
  const { charge, sent } = stream;
  const of = (row: number): number =>
    counterOf(ports.get(sent.seq[row] as number) ?? { place: 0, address: 0 });
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

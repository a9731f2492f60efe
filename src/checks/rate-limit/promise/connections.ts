import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import type { SentRequests } from '../../../limits/sent/columns.ts';
import { fits } from '../../causes/cause.ts';
import { judgeStream, survivors, wrongfulSeqs } from '../traces/judged.ts';
import { type Assumption, type Circumstances, type Port, traceOf } from './explanation.ts';

/** Longer streams are not divided. */
const mostDivided = 200_000;
/** With fewer rejections, each connection by itself explains little. */
const fewestRejections = 3;
/** Nodes that may get the connections in turn. */
const mostNodes = 6;

const portRow = z.object({ seq: z.number(), place: z.number(), address: z.number() });

/** Over which connection each request went; none where no limiter rejected any. */
export async function portsOf(
  history: History,
  { length, status }: SentRequests,
): Promise<Circumstances['ports']> {
  if (length > mostDivided || !status.includes(429)) return new Map();
  const rows = await history.rows(
    portRow,
    `WITH opened AS (
       SELECT local_port, row_number() OVER (ORDER BY min(coalesce(first_sent_ns, sent_ns))) - 1 AS place
       FROM requests WHERE local_port IS NOT NULL AND sent_ns IS NOT NULL GROUP BY local_port)
     SELECT seq, place, dense_rank() OVER (ORDER BY remote_address) - 1 AS address
     FROM requests JOIN opened USING (local_port) WHERE status IS NOT NULL`,
  );
  return new Map(rows.map(({ seq, ...port }) => [seq, port]));
}

/** A way in which connections may be counted apart, and the limit of each counter. */
interface Division {
  readonly counterOf: (port: Port) => number;
  readonly requests: number;
  readonly found: { readonly nodes?: number; readonly addresses?: number };
}

/** Each address, and each connection, by itself; and nodes that get connections in turn. Each address and node has the limit or its share of it. */
function divisionsOf(requests: number, addresses: number): Division[] {
  const shares = (parts: number): Set<number> =>
    new Set([Math.ceil(requests / parts), Math.floor(requests / parts), requests]);
  const nodes = Array.from({ length: mostNodes - 1 }, (_, n) => n + 2);
  return [
    ...(addresses < 2 ? [] : [...shares(addresses)]).map((share) => ({
      counterOf: ({ address }: Port) => address,
      requests: share,
      found: { addresses },
    })),
    { counterOf: ({ place }) => place, requests, found: {} },
    ...nodes.flatMap((count) =>
      [...shares(count)].map((share) => ({
        counterOf: ({ place }: Port) => place % count,
        requests: share,
        found: { nodes: count },
      })),
    ),
  ];
}

/** A limiter of the promised kind explains the requests of each connection, or of each node that they lead to, by themselves. */
export const countedByConnection: Assumption = {
  what: 'connections are counted apart',
  price: 2.5,
  explains(judged, around) {
    const { fit, stream } = judged;
    if (fit.limited < fewestRejections || around.ports.size === 0) return undefined;
    const addresses = new Set([...around.ports.values()].map(({ address }) => address)).size;
    for (const division of divisionsOf(around.profile.rate_limit.requests, addresses)) {
      const connections = countersThatLimit(judged, around, division);
      if (connections === undefined || connections < 2) continue;
      const { found } = division;
      const seqs = Array.from(stream.rows.slice(0, 2), (row) => stream.sent.seq[row] as number);
      const params = Object.keys(found).length === 0 ? { connections } : found;
      return {
        price: 2.5,
        verdict: 'fail',
        reasons: [],
        causes: [fits('limit-by-connection', params, seqs)],
      };
    }
    return undefined;
  },
};

/** How many counters reject, if each of them explains its requests. */
function countersThatLimit(
  judged: Parameters<Assumption['explains']>[0],
  around: Circumstances,
  { counterOf, requests }: Division,
): number | undefined {
  const { profile, ports, run } = around;
  const { stream } = judged;
  const counter = (row: number): number =>
    counterOf(ports.get(stream.sent.seq[row] as number) ?? { place: 0, address: 0 });
  const told = { run, profile: { ...profile, rate_limit: { ...profile.rate_limit, requests } } };
  let limiting = 0;
  for (const own of Map.groupBy(stream.rows, counter).values()) {
    const rows = Int32Array.from(own);
    const alone = judgeStream({ ...stream, rows, trace: traceOf(judged, rows) }, told);
    if (alone.fit.limited === 0) continue;
    if (wrongfulSeqs(alone).length > 0 || survivors(alone.fit).length === 0) return undefined;
    limiting++;
  }
  return limiting;
}

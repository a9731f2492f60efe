import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { fitLimiters } from '../../../limits/fit.ts';
import { promisable } from '../../../limits/kinds/table.ts';
import type { SentRequests } from '../../../limits/sent/columns.ts';
import { limited } from '../../../limits/trace.ts';
import { fits } from '../../causes/cause.ts';
import type { JudgedStream } from '../traces/judged.ts';
import { type Assumption, type Circumstances, type Port, traceOf } from './explanation.ts';

/** Limits of a part of a key's requests: those over one connection, or to one address. */

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
      const connections = countersThatLimit(judged, around.ports, division) ?? 0;
      if (connections < 2) continue;
      const { found } = division;
      const seqs = Array.from(stream.rows.slice(0, 2), (row) => stream.sent.seq[row] as number);
      const params = Object.keys(found).length === 0 ? { connections } : found;
      return { causes: [fits('limit-by-connection', params, seqs)] };
    }
    return undefined;
  },
};

/** How many counters reject, if each of them explains its requests. */
function countersThatLimit(
  judged: JudgedStream,
  ports: Circumstances['ports'],
  { counterOf, requests }: Division,
): number | undefined {
  const { algorithm, promised, stream } = judged;
  const counter = (row: number): number =>
    counterOf(ports.get(stream.sent.seq[row] as number) ?? { place: 0, address: 0 });
  const limiting = [...Map.groupBy(stream.rows, counter).values()]
    .map((own) => traceOf(judged, Int32Array.from(own)))
    .filter(({ outcome }) => outcome.includes(limited));
  const size = { requests, windowNs: promised.windowNs };
  const areExplained = limiting.every((trace) =>
    fitLimiters(trace, size, promisable(algorithm)).candidates.some(({ fitsPromise }) => fitsPromise),
  );
  return areExplained ? limiting.length : undefined;
}

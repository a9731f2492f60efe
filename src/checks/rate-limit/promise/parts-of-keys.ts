import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { countBelow } from '../../../limits/arrays.ts';
import type { SentRequests } from '../../../limits/sent/columns.ts';
import { fits, shown } from '../../causes/cause.ts';
import { judgeStream, survivors, wrongfulSeqs } from '../traces/judged.ts';
import type { Stream } from '../traces/streams.ts';
import { type Assumption, type Circumstances, type Port, traceOf } from './explanation.ts';

/** Limits of a part of a key's requests: those over one connection or to one address, or to some endpoints. */

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

/** An endpoint that is rejected while requests to others pass. */
interface SomeEndpoints {
  readonly rejected: string;
  readonly passing: readonly string[];
  readonly passed: number;
  readonly seqs: readonly number[];
}

/** Under one limit for all, those that pass would do so by chance with at most this probability; fewer are not considered. */
const mostChance = 1e-4;
const fewestPassing = 10;
/** The limit for all may reject this part of the requests to an endpoint that has none. */
const mostRejections = 0.05;
const shownOnes = 4;

/**
 * Endpoints whose requests pass between two rejections, the one right before and the one right after among those to the endpoint
 * that is rejected most. Undefined where they could pass by chance: by the share that passes of that endpoint itself.
 */
export function someEndpointsLimited({
  rows,
  sent: { endpoint, seq, status },
}: Pick<Stream, 'rows' | 'sent'>): SomeEndpoints | undefined {
  const answered = Array.from(rows).filter((row) => status[row] !== 0);
  const codeOf = (row: number): number => endpoint.code[row] as number;
  const nameOf = (code: number): string => endpoint.words[code] ?? '';
  const isRejected = (row: number): boolean => status[row] === 429;
  const byRejections = [...Map.groupBy(answered.filter(isRejected), codeOf)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  const [[most, rejections] = [-1, []]] = byRejections;
  const own = Float64Array.from(answered.filter((row) => codeOf(row) === most));
  const passShare =
    1 - rejections.length / (own.indexOf(rejections.at(-1) ?? 0) - own.indexOf(rejections[0] ?? 0) + 1);
  const between = answered.flatMap((row) => {
    const next = countBelow(own, row);
    const [before = -1, after = -1] = [own[next - 1], own[next]];
    return codeOf(row) !== most && isRejected(before) && isRejected(after) ? [{ row, after }] : [];
  });
  const free = [...Map.groupBy(between, ({ row }) => codeOf(row))].flatMap(([code, all]) => {
    const passed = all.filter(({ row }) => !isRejected(row));
    const isFew =
      passed.length < fewestPassing || all.length - passed.length > mostRejections * passed.length;
    return isFew || passShare ** passed.length > mostChance ? [] : [{ code, passed }];
  });
  if (free.length === 0) return undefined;
  const frequent = free.toSorted((a, b) => b.passed.length - a.passed.length);
  const examples = frequent.flatMap(({ passed }) => passed.slice(0, shownOnes));
  return {
    rejected: nameOf(most),
    passing: frequent.map(({ code }) => nameOf(code)),
    passed: frequent.reduce((sum, { passed }) => sum + passed.length, 0),
    seqs: examples.flatMap(({ after, row }) => [seq[row] as number, seq[after] as number]),
  };
}

/** It explains no rejection by itself, but other users of the key would be rejected as well. */
export const someEndpoints: Assumption = {
  what: 'some endpoints have a limit, and others have none',
  price: 3,
  explains(judged) {
    const found = judged.fit.limited === 0 ? undefined : someEndpointsLimited(judged.stream);
    if (found === undefined) return undefined;
    const { seqs, ...params } = found;
    return {
      causes: [shown('some-endpoints-limited', params, seqs)],
    };
  },
};

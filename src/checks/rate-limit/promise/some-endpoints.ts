import type { Rows, SentRequests } from '../../../limits/sent/columns.ts';
import { shown } from '../../causes/cause.ts';
import type { Stream } from '../traces/streams.ts';
import type { Assumption } from './explanation.ts';

/** An endpoint that is rejected while requests to others pass. */
export interface SomeEndpoints {
  readonly rejected: string;
  readonly passing: readonly string[];
  readonly passed: number;
  readonly seqs: readonly number[];
}

/** Under one limit for all, those that pass would do so by chance with at most this probability; fewer are not considered. */
const mostChance = 1e-4;
const fewest = 10;
/** The limit for all may reject this part of the requests to an endpoint that has none. */
const mostRejections = 0.05;
const shownOnes = 4;

/** What happened to requests to one endpoint while another one was rejected, and the first of them with the rejections after them. */
interface Meanwhile {
  passed: number;
  rejected: number;
  readonly seqs: number[];
}

/**
 * Endpoints whose requests pass between two rejections, the one right before and the one right after among those to the endpoint
 * that is rejected most. Undefined where they could pass by chance: by the share that passes of that endpoint itself.
 */
export function someEndpointsLimited({
  rows,
  sent,
}: Pick<Stream, 'rows' | 'sent'>): SomeEndpoints | undefined {
  const { code } = sent.endpoint;
  const most = mostRejected(rows, sent);
  const others = new Map<number, Meanwhile>();
  // Of the endpoint itself, from its first rejection to its last.
  let [admitted, rejections, admittedSince] = [0, 0, 0];
  let isAtLimit = false;
  let since: number[] = [];
  for (const row of rows) {
    const status = sent.status[row] as number;
    if (code[row] !== most) {
      if (isAtLimit && status !== 0) since.push(row);
      continue;
    }
    isAtLimit = status === 429;
    if (isAtLimit) {
      rejections++;
      admitted += admittedSince;
      admittedSince = 0;
      for (const each of since) note(others, sent, each, row);
    } else if (rejections > 0 && status !== 0) admittedSince++;
    since = [];
  }
  const passShare = admitted / (admitted + rejections);
  const free = [...others].filter(
    ([, { passed, rejected }]) =>
      passed >= fewest && rejected <= mostRejections * passed && passShare ** passed <= mostChance,
  );
  if (free.length === 0) return undefined;
  const frequent = free.toSorted(([, a], [, b]) => b.passed - a.passed);
  return {
    rejected: sent.endpoint.words[most] ?? '',
    passing: frequent.map(([endpoint]) => sent.endpoint.words[endpoint] ?? ''),
    passed: frequent.reduce((sum, [, { passed }]) => sum + passed, 0),
    seqs: frequent.flatMap(([, { seqs }]) => seqs),
  };
}

function note(others: Map<number, Meanwhile>, sent: SentRequests, row: number, rejection: number): void {
  const endpoint = sent.endpoint.code[row] as number;
  const known = others.get(endpoint) ?? { passed: 0, rejected: 0, seqs: [] };
  others.set(endpoint, known);
  if (sent.status[row] === 429) known.rejected++;
  else if (known.passed++ < shownOnes)
    known.seqs.push(sent.seq[row] as number, sent.seq[rejection] as number);
}

/** The code of the endpoint with the most rejections. */
function mostRejected(rows: Rows, sent: SentRequests): number {
  const rejections = new Uint32Array(sent.endpoint.words.length);
  for (const row of rows)
    if (sent.status[row] === 429) (rejections[sent.endpoint.code[row] as number] as number)++;
  return rejections.indexOf(Math.max(...rejections));
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
      price: 3,
      verdict: 'fail',
      reasons: [],
      causes: [shown('some-endpoints-limited', params, seqs)],
    };
  },
};

import { type Rows, type SentRequests, wordAt } from '../../../sent/columns.ts';
import type { Stream } from '../traces/streams.ts';

/** An endpoint that is rejected while requests to others pass. */
export interface SomeEndpoints {
  readonly rejected: string;
  readonly passing: readonly string[];
  readonly passed: number;
  readonly seqs: readonly number[];
}

/** Under one limit for all, each of at least this number of requests would have to come just as a place became free. */
const fewest = 20;
/** The limit for all may reject this part of the others. */
const mostOthers = 0.05;
const shownOnes = 4;

/**
 * Requests to other endpoints between two rejections, the one right before and the one right after among those to the endpoint
 * that is rejected most. Undefined where few pass there, or some are rejected as well.
 */
export function someEndpointsLimited({
  rows,
  sent,
}: Pick<Stream, 'rows' | 'sent'>): SomeEndpoints | undefined {
  const { code } = sent.endpoint;
  const most = mostRejected(rows, sent);
  const passing = new Map<string, number>();
  const seqs: number[] = [];
  let [passed, rejected] = [0, 0];
  let isAtLimit = false;
  let since: number[] = [];
  for (const row of rows) {
    const status = sent.status[row] as number;
    if (code[row] !== most) {
      if (isAtLimit && status !== 0) since.push(row);
      continue;
    }
    if (status === 429)
      for (const each of since) {
        if (sent.status[each] === 429) {
          rejected++;
          continue;
        }
        passed++;
        const endpoint = wordAt(sent.endpoint, each) ?? '';
        passing.set(endpoint, (passing.get(endpoint) ?? 0) + 1);
        if (seqs.length < shownOnes) seqs.push(sent.seq[each] as number, sent.seq[row] as number);
      }
    isAtLimit = status === 429;
    since = [];
  }
  if (passed < fewest || rejected > mostOthers * passed) return undefined;
  const frequent = [...passing].toSorted(([, a], [, b]) => b - a).map(([endpoint]) => endpoint);
  return { rejected: sent.endpoint.words[most] ?? '', passing: frequent, passed, seqs };
}

/** The code of the endpoint with the most rejections. */
function mostRejected(rows: Rows, sent: SentRequests): number {
  const rejections = new Uint32Array(sent.endpoint.words.length);
  for (const row of rows)
    if (sent.status[row] === 429) (rejections[sent.endpoint.code[row] as number] as number)++;
  return rejections.indexOf(Math.max(...rejections));
}

import { wordAt } from '../../../sent/columns.ts';
import type { Stream } from '../traces/streams.ts';

/** Endpoints of which alone requests are rejected, and the others, which pass meanwhile. */
export interface SomeEndpoints {
  readonly rejected: readonly string[];
  readonly passing: readonly string[];
  readonly passed: number;
  readonly seqs: readonly number[];
}

/** Under one limit for all, each of so many requests would have to come just as a place became free. */
const fewest = 20;
const shownOnes = 4;

/**
 * Requests that pass between two rejections, one right before and one right after among those to the endpoints that get
 * rejections. Undefined where there are few, or every endpoint gets rejections.
 */
export function someEndpointsLimited({
  rows,
  sent,
}: Pick<Stream, 'rows' | 'sent'>): SomeEndpoints | undefined {
  const { code } = sent.endpoint;
  const rejected = new Set<number>();
  for (const row of rows) if (sent.status[row] === 429) rejected.add(code[row] as number);
  const passing = new Map<string, number>();
  const seqs: number[] = [];
  let isAtLimit = false;
  let since: number[] = [];
  for (const row of rows) {
    if (!rejected.has(code[row] as number)) {
      if (isAtLimit && sent.status[row] !== 0) since.push(row);
      continue;
    }
    const isRejected = sent.status[row] === 429;
    if (isRejected && since.length > 0) {
      for (const each of since) {
        const endpoint = wordAt(sent.endpoint, each) ?? '';
        passing.set(endpoint, (passing.get(endpoint) ?? 0) + 1);
      }
      if (seqs.length < shownOnes) seqs.push(sent.seq[since[0] as number] as number, sent.seq[row] as number);
    }
    isAtLimit = isRejected;
    since = [];
  }
  const passed = [...passing.values()].reduce((sum, each) => sum + each, 0);
  if (passed < fewest) return undefined;
  return {
    rejected: [...rejected].map((each) => sent.endpoint.words[each] ?? ''),
    passing: [...passing.keys()],
    passed,
    seqs,
  };
}

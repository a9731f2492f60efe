import { countBelow } from '../../../limits/arrays.ts';
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
    const isFew = passed.length < fewest || all.length - passed.length > mostRejections * passed.length;
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
      price: 3,
      verdict: 'fail',
      reasons: [],
      causes: [shown('some-endpoints-limited', params, seqs)],
    };
  },
};

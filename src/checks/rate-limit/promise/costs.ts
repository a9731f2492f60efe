import { wordAt } from '../../../sent/columns.ts';
import { readingsOf } from '../headers/dialects.ts';
import type { JudgedStream } from '../traces/judged.ts';

/** An endpoint whose requests take several places of the limit each, by what remains before and after. */
export interface EndpointCost {
  readonly endpoint: string;
  readonly places: number;
  readonly seqs: readonly number[];
}

/** Requests that show it, and their part of those that came alone: requests of other users do not come one by one with them. */
const fewest = 15;
const leastPart = 0.9;

/**
 * What a request costs, where that is more than one place: `remaining` falls by as much at nearly each request of the endpoint
 * that came alone. Such a request and the one before it do not overlap, and nothing that this run sent lies beside them. Headers
 * that state another limit than the promised one may count in another unit.
 */
export function costsIn({ promised, stream: { rows, sent } }: JudgedStream): EndpointCost[] {
  const { code } = sent.limitHeaders;
  const left = readingsOf(sent.limitHeaders).map(
    (said) => said.find(({ limit }) => limit === promised.requests)?.remaining,
  );
  const falls = new Map<string | null, { readonly by: number; readonly seq: number }[]>();
  const owned = new Uint8Array(sent.length);
  for (const row of rows) owned[row] = 1;
  /** Until when everything before the last request was answered, and everything before this one. */
  let [earlierNs, beforeNs] = [0, 0];
  for (let row = 0; row < sent.length; row++) {
    const sentNs = sent.sentNs[row] as number;
    const isAlone =
      row > 0 &&
      earlierNs <= (sent.sentNs[row - 1] as number) &&
      beforeNs <= sentNs &&
      (sent.sentNs[row + 1] ?? Number.POSITIVE_INFINITY) >= (sent.answeredNs[row] as number);
    earlierNs = beforeNs;
    beforeNs = Math.max(beforeNs, sent.answeredNs[row] as number);
    if (!isAlone || owned[row - 1] !== 1 || owned[row] !== 1) continue;
    const by = (left[code[row - 1] as number] ?? Number.NaN) - (left[code[row] as number] ?? Number.NaN);
    if (!(by >= 1)) continue;
    const endpoint = wordAt(sent.endpoint, row);
    const fall = { by, seq: sent.seq[row] as number };
    const known = falls.get(endpoint);
    if (known === undefined) falls.set(endpoint, [fall]);
    else known.push(fall);
  }
  return [...falls].flatMap(([endpoint, all]) => costOf(endpoint ?? '', all));
}

function costOf(
  endpoint: string,
  falls: readonly { readonly by: number; readonly seq: number }[],
): EndpointCost[] {
  const alike = [...Map.groupBy(falls, ({ by }) => by)].toSorted(([, a], [, b]) => b.length - a.length);
  const [places, most] = alike[0] ?? [0, []];
  return places < 2 || most.length < Math.max(fewest, leastPart * falls.length)
    ? []
    : [{ endpoint, places, seqs: most.map(({ seq }) => seq) }];
}

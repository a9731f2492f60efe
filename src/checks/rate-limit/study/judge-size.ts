import { number, range } from '../../../amounts.ts';
import type { Bounds, Survivor } from '../../../limits/inference.ts';
import type { RateLimit } from '../../../scenario/quantities.ts';
import { type Suspect, shown } from '../../diagnosis/cause.ts';
import type { CheckResult, Shown } from '../../verdict.ts';
import { capital } from '../words.ts';
import { contains, excusedBy, windowBoundsOf } from './as-promised.ts';
import type { LimiterFindings } from './findings.ts';

/** One kind as likely as this is taken for found out. */
export const certain = 0.95;
/** A limit, or a window, that is known no better than to this part of the promised one is not confirmed. */
const vagueness = 0.02;
/** Nodes that count by themselves let through a multiple of the limit, of which this is the least that is no other defect. */
export const nodesOver = 1.5;
/** How near a limit has to be to a multiple of the promised one, as a part of that, to be put down to nodes. */
const multipleWithin = 0.05;
/** How narrow bounds have to be, as a part of the promised limit, for a multiple within them to be put down to nodes. */
const boundsWithin = 0.2;
/** Anything is near a multiple as high as that of more nodes. */
const mostNodes = 64;

/** `possible`: the kinds that are likely enough to matter, the likeliest first. */
export function judgeSize(
  what: 'limit' | 'window',
  { asPromised, inference }: LimiterFindings,
  possible: readonly Survivor[],
  promised: RateLimit,
): CheckResult {
  const wanted = what === 'limit' ? promised.requests : promised.windowMs;
  const boundsOf = (each: Survivor): Bounds | null =>
    what === 'limit' ? each.limitBounds : windowBoundsOf(each, promised.requests);
  const shown = (bounds: Bounds): Shown => (what === 'limit' ? { ...bounds } : { ...bounds, unit: 'ms' });
  const sized = possible.filter((each) => boundsOf(each) !== null && hasSize(each, promised));
  const head = {
    id: what === 'limit' ? 'rate-limit.limit' : 'rate-limit.window',
    title: what === 'limit' ? 'The limit is as promised' : 'The window is as promised',
    expected: what === 'limit' ? wanted : `${number(wanted)} ms`,
    observed: Object.fromEntries(
      sized.flatMap((each) => {
        const bounds = boundsOf(each);
        return bounds === null ? [] : [[each.name, shown(bounds)]];
      }),
    ),
    evidence: [],
  } as const;
  const [best] = sized;
  const bounds = best === undefined ? null : boundsOf(best);
  if (best === undefined || bounds === null) {
    return {
      ...head,
      verdict: 'inconclusive',
      explanation:
        inference.limited === 0
          ? `Nothing was refused, so nothing bounds the ${what}.`
          : `No kind of limiter with a ${what} explains every answer.`,
    };
  }
  const isOneMore =
    what === 'limit' &&
    sized.some((each) => each.refillPerS !== null && contains(each.limitBounds, wanted + 1, what));
  if (isOneMore && !sized.some((each) => contains(boundsOf(each), wanted, what))) {
    return {
      ...head,
      verdict: 'inconclusive',
      explanation: `A ${best.name} that lets ${number(wanted + 1)} through from idle, as some do that are set to ${number(wanted)}, and refills at the promised rate.`,
    };
  }
  if (!sized.some((each) => contains(boundsOf(each), wanted, what))) {
    const excuse = asPromised === undefined ? undefined : excusedBy(asPromised);
    return {
      ...head,
      verdict: excuse === undefined ? 'fail' : 'inconclusive',
      explanation: `${capital(what)} of a ${best.name}: ${inWords(bounds, what)}, and ${inWords({ min: wanted, max: wanted }, what)} is promised${what === 'limit' ? asOfNodes(nodesOf(best, promised)) : ''}. ${excuse ?? `No kind that explains the answers has the promised ${what}.`}`,
      causes: [whyOther(what, best, bounds, promised)],
    };
  }
  const others = sized.filter((each) => !contains(boundsOf(each), wanted, what));
  const isVague = bounds.max === undefined || bounds.max - bounds.min > 2 + 2 * vagueness * wanted;
  const isOpen = others.reduce((sum, { confidence }) => sum + confidence, 0) > 1 - certain;
  return {
    ...head,
    verdict: isVague || isOpen ? 'inconclusive' : 'pass',
    explanation: isOpen
      ? `The ${what} depends on the kind of limiter, which is not certain.`
      : isVague
        ? `The answers narrow the ${what} no further than to ${inWords(bounds, what)}.`
        : `A ${best.name} with a ${what} of ${inWords(bounds, what)} explains every answer.`,
  };
}

/** What another size than the promised one suggests. */
function whyOther(
  what: 'limit' | 'window',
  best: Survivor,
  { min, max }: Bounds,
  promised: RateLimit,
): Suspect {
  const { requests, windowMs } = promised;
  const nodes = nodesOf(best, promised);
  if (what === 'limit' && nodes !== undefined) return shown('counters-per-node', { nodes });
  return what === 'limit'
    ? shown('limit-differs', {
        least: min,
        ...(max === undefined ? {} : { most: max }),
        promised: requests,
        windowMs,
      })
    : shown('window-differs', {
        leastMs: min,
        ...(max === undefined ? {} : { mostMs: max }),
        promisedMs: windowMs,
      });
}

/**
 * How many nodes a limit suggests that is a multiple of the promised one, or of which one is within its narrow bounds. They let
 * more through in the same time: a limit that is as much higher as its window is longer is no matter of theirs.
 */
export function nodesOf(
  { limit, limitBounds, windowMs }: Survivor,
  { requests, windowMs: promisedMs }: RateLimit,
): number | undefined {
  const { min = 0, max } = limitBounds ?? {};
  const size = limit ?? max ?? 0;
  const times = Math.round(size / requests);
  const multiple = times * requests;
  const isNear = limit !== null && Math.abs(limit - multiple) <= multipleWithin * requests;
  const isWithin =
    max !== undefined && min <= multiple && multiple <= max && max - min <= boundsWithin * requests;
  const isMore = windowMs === null || (size / windowMs) * promisedMs > nodesOver * requests;
  return times >= 2 && times <= mostNodes && isMore && (isNear || isWithin) ? times : undefined;
}

/** Of several nodes only a limit that is far too high says anything. */
function hasSize({ algorithm, limit }: Survivor, promised: RateLimit): boolean {
  return algorithm === 'several-nodes'
    ? limit !== null && limit > nodesOver * promised.requests
    : algorithm !== 'concurrency';
}

function inWords({ min, max }: Bounds, what: 'limit' | 'window'): string {
  const one = (value: number): string =>
    what === 'limit' ? number(value) : `${number(Math.round(value))} ms`;
  return range({ min, ...(max === undefined ? {} : { max }) }, one);
}

function asOfNodes(nodes: number | undefined): string {
  return nodes === undefined
    ? ''
    : `: ${nodes} times as much, as where several nodes (${nodes}) count by themselves`;
}

import { number } from '../../../amounts.ts';
import type { OpenBounds, Survivor } from '../../../limits/inference.ts';
import { promisable } from '../../../limits/kinds/table.ts';
import type { RateLimit } from '../../../vocabulary/quantities.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { type CheckFinding, evidence, type Shown } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { contains, windowBoundsOf } from './as-promised.ts';
import type { LimiterFindings } from './findings.ts';

/** One kind as likely as this is taken for found out. */
export const certain = 0.95;
/** A limit, or a window, that is known no better than to this part of the promised one is not confirmed. */
const vagueness = 0.02;
/** Nodes that count by themselves let through a multiple of the limit, of which this is the least that is no other defect. */
const nodesOver = 1.5;
/** How near a limit has to be to a multiple of the promised one, as a part of that, to be put down to nodes. */
const multipleWithin = 0.05;
/** How narrow bounds have to be, as a part of the promised limit, for a multiple within them to be put down to nodes. */
const boundsWithin = 0.2;
/** Anything is near a multiple as high as that of more nodes. */
const mostNodes = 64;

/** `possible`: the kinds that are likely enough to matter, the likeliest first. */
export function judgeSize(
  what: 'limit' | 'window',
  { asPromised, drift, inference, kindsAsPromised, rejected }: LimiterFindings,
  possible: readonly Survivor[],
  promised: RateLimit,
): CheckFinding {
  const wanted = what === 'limit' ? promised.requests : promised.windowMs;
  const boundsOf = (each: Survivor): OpenBounds | null =>
    what === 'limit' ? each.limitBounds : windowBoundsOf(each, promised);
  const shown = (bounds: OpenBounds): Shown => {
    const { min, max } = bounds;
    if (what === 'limit') return { ...bounds };
    return { min: Math.round(min), ...(max === undefined ? {} : { max: Math.round(max) }), unit: 'ms' };
  };
  const sized = possible.filter((each) => boundsOf(each) !== null && hasSize(each, promised));
  const head = {
    id: what === 'limit' ? 'rate-limit.limit' : 'rate-limit.window',
    expected: what === 'limit' ? wanted : `${number(wanted)} ms`,
    observed: Object.fromEntries(
      sized.flatMap((each) => {
        const bounds = boundsOf(each);
        return bounds === null ? [] : [[each.name, shown(bounds)]];
      }),
    ),
    evidence: [],
  } as const;
  if (what === 'limit' && drift !== undefined) {
    const { seqs, ...change } = drift;
    return {
      ...head,
      verdict: 'fail',
      reasons: [reason('size-drifts', change)],
      evidence: [evidence('one admitted, and one rejected with fewer requests counted', seqs)],
      causes: [fits('limit-drifts', change, seqs)],
    };
  }
  const [best] = sized;
  const bounds = best === undefined ? null : boundsOf(best);
  if (best === undefined || bounds === null) {
    return {
      ...head,
      verdict: 'inconclusive',
      reasons: [
        inference.limited === 0
          ? reason('size-none-rejected', { what, rejected })
          : reason('size-no-kind', { what }),
      ],
    };
  }
  const isOneMore =
    what === 'limit' &&
    sized.some((each) => each.refillPerS !== null && contains(each.limitBounds, wanted + 1, what));
  // Its bounds hold for the limit with any window.
  const mayHaveBoth = (survivor: Survivor): boolean =>
    what === 'window' ||
    kindsAsPromised?.includes(survivor.algorithm) !== false ||
    !contains(windowBoundsOf(survivor, promised), promised.windowMs, 'window') ||
    promisable(undefined).every(({ id }) => id !== survivor.algorithm);
  const isPromised = (each: Survivor): boolean => contains(boundsOf(each), wanted, what) && mayHaveBoth(each);
  if (isOneMore && !sized.some(isPromised)) {
    return {
      ...head,
      verdict: 'inconclusive',
      reasons: [reason('size-one-more', { name: best.name, promised: wanted })],
    };
  }
  // A kind that is as good as excluded does not keep open what the likely ones show.
  const others = sized.filter((each) => !isPromised(each));
  const isExcluded = sumOf(sized) - sumOf(others) <= (1 - certain) * sumOf(sized);
  if (isExcluded) {
    const nodes = what === 'limit' ? nodesOf(best, promised) : undefined;
    // It is not known when a request that waited reached the queue.
    const isAssumed = best.algorithm === 'queueing';
    return {
      ...head,
      verdict: asPromised === undefined && !isAssumed ? 'fail' : 'inconclusive',
      reasons: [
        reason('size-differs', { what, name: best.name, bounds, promised: wanted }),
        ...(nodes === undefined ? [] : [reason('size-of-nodes', { nodes })]),
        asPromised === undefined
          ? reason('size-none-as-promised', { what, isCertain: others.length === sized.length })
          : reason('study-also-as-promised', asPromised),
        ...(isAssumed ? [reason('size-assumed')] : []),
      ],
      causes: [whyOther(what, best, bounds, promised)],
    };
  }
  const isVague = bounds.max === undefined || bounds.max - bounds.min > 2 + 2 * vagueness * wanted;
  const isOpen = sumOf(others) > 1 - certain;
  return {
    ...head,
    verdict: isVague || isOpen ? 'inconclusive' : 'pass',
    reasons: [
      isOpen
        ? reason('size-undecided', {
            what,
            kinds: sized.flatMap((each) => {
              const own = boundsOf(each);
              return own === null ? [] : [{ name: each.name, bounds: own }];
            }),
          })
        : isVague
          ? reason('size-vague', { what, bounds })
          : reason('size-as-promised', { what, name: best.name, bounds }),
    ],
  };
}

function sumOf(survivors: readonly Survivor[]): number {
  return survivors.reduce((sum, { confidence }) => sum + confidence, 0);
}

/** What another size than the promised one suggests. */
function whyOther(
  what: 'limit' | 'window',
  best: Survivor,
  { min, max }: OpenBounds,
  promised: RateLimit,
): Suspect {
  const { requests, windowMs } = promised;
  const nodes = nodesOf(best, promised);
  if (what === 'limit' && nodes !== undefined) return fits('counters-per-node', { nodes });
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
 * How many nodes a limit suggests: it is a multiple of the promised one, or a multiple is within its narrow bounds. Nodes
 * admit more in the same time, so a limit that is higher only because its window is longer suggests none.
 */
export function nodesOf(
  { limit, limitBounds, windowMs }: Pick<Survivor, 'limit' | 'limitBounds' | 'windowMs'>,
  { requests, windowMs: promisedMs }: RateLimit,
): number | undefined {
  const { min = 0, max } = limitBounds ?? {};
  const size = limit ?? max ?? 0;
  const times = Math.round(size / requests);
  const multiple = times * requests;
  const isNear = limit !== null && Math.abs(limit - multiple) <= multipleWithin * requests;
  const isWithin =
    max !== undefined && min <= multiple && multiple <= max && max - min <= boundsWithin * requests;
  const isMore = admitsLikeNodes({ limit: size, windowMs }, { requests, windowMs: promisedMs });
  return times >= 2 && times <= mostNodes && isMore && (isNear || isWithin) ? times : undefined;
}

type Sized = Pick<Survivor, 'limit' | 'windowMs'>;

/** How many requests a limiter admits in each promised window, its own rate kept. Never more than its limit; null if unknown. */
export function admitsInPromised({ limit, windowMs }: Sized, promised: RateLimit): number | null {
  if (limit === null || windowMs === null) return limit;
  return Math.min(limit, (limit / windowMs) * promised.windowMs);
}

/** Whether so much more than promised is admitted in the same time that it suggests several nodes. */
export function admitsLikeNodes(survivor: Sized, promised: RateLimit): boolean {
  return (admitsInPromised(survivor, promised) ?? 0) > nodesOver * promised.requests;
}

/**
 * Of several nodes only a limit that is far too high says anything. Bounds of a pair hold for one size with the other as it was
 * found, which is no proof.
 */
function hasSize(survivor: Survivor, promised: RateLimit): boolean {
  const { algorithm } = survivor;
  return algorithm === 'several-nodes'
    ? admitsLikeNodes(survivor, promised)
    : algorithm !== 'concurrency' && algorithm !== 'two-limits';
}

import { guessesOf, loadBounds, loadsOf, standIn } from '../../../limits/arrivals.ts';
import type { Refuted, Survivor } from '../../../limits/inference.ts';
import { type LoadBounds, type Settled, windowNsOf } from '../../../limits/kinds/kind.ts';
import { kindOf, kinds } from '../../../limits/kinds/table.ts';
import { outsiders } from '../../../limits/outside/table.ts';
import { admitted, ambiguous, limited, type Trace } from '../../../limits/trace.ts';
import { type View, viewsOf } from '../../../limits/view.ts';
import type { RateLimit } from '../../../vocabulary/quantities.ts';
import type { LimiterFindings } from './findings.ts';
import { slotOf, type TimeSlots } from './time-slots.ts';

/** A kind of limiter beside what it would have counted. */
export interface DrawnCandidate {
  readonly algorithm: string;
  /** For sentences: "a ⟨name⟩ of …". */
  readonly name: string;
  readonly standing: Standing;
  /** Absent for kinds that are no count of requests: none at all, a queue, several nodes, requests in work at once. */
  readonly load?: CandidateLoad;
}

type Standing =
  | { readonly kind: 'possible'; readonly confidence: number; readonly mismatches: number }
  | { readonly kind: 'refuted'; readonly because: string; readonly evidence: readonly number[] };

/** What a kind of limiter would have counted, key by key, when requests reached it, had it given the answers that were observed. */
export interface CandidateLoad {
  /** What it was reckoned for: its own limit and window if it is possible, those of the likeliest kind or the promised ones if refuted. */
  readonly limit: number;
  readonly windowMs: number;
  /** Answers that differ from its own, by the likeliest guess at arrivals. */
  readonly mismatches: number;
  /** Answers that it cannot have given, whenever requests arrived: admitted at its limit or past it, or rejected below it. None of a possible kind. */
  readonly contradicted: number;
  /** By slot, the counts that tell most: the highest at an admission, the lowest at a rejection, and the furthest on the wrong side. */
  readonly admitted: readonly (number | null)[];
  readonly refused: readonly (number | null)[];
  readonly wrong: readonly (number | null)[];
}

/** Every kind that was held against the run, the likeliest first, then the refuted ones. */
export function candidateLoads(
  { inference, traces }: LimiterFindings,
  promised: RateLimit,
  slots: TimeSlots,
): DrawnCandidate[] {
  const scales = scalesOf(inference.survivors, promised);
  const guesses = guessesOf(traces);
  const views = viewsOf(traces);
  const possible = inference.survivors.map((survivor): DrawnCandidate => {
    const { algorithm, name, confidence, mismatches, settled } = survivor;
    const standing = { kind: 'possible', confidence, mismatches } as const;
    if (settled === undefined) return { algorithm, name, standing };
    return { algorithm, name, standing, load: loadOf(views, { settled, mismatches }, slots, true) };
  });
  const refuted = inference.refuted.map(({ algorithm, because, evidence }: Refuted): DrawnCandidate => {
    const standing = { kind: 'refuted', because, evidence } as const;
    const kind = kinds.find(({ id }) => id === algorithm);
    if (kind === undefined)
      return { algorithm, name: outsiders.find(({ id }) => id === algorithm)?.name ?? algorithm, standing };
    const { name } = kind;
    const [nearest] = scales
      .map((scale) => standIn(guesses, kind, scale))
      .toSorted((a, b) => a.mismatches - b.mismatches);
    if (nearest === undefined) throw new Error('there is always a limit and a window to reckon for');
    return {
      algorithm,
      name,
      standing,
      load: loadOf(views, nearest, slots, false),
    };
  });
  return [...possible, ...refuted];
}

/** Limits and windows that a refuted kind is drawn at. */
function scalesOf(survivors: readonly Survivor[], { requests, windowMs }: RateLimit): Scale[] {
  const scales = [{ limit: requests, windowNs: windowMs * 1e6 }];
  const found = survivors.find(({ settled }) => settled !== undefined);
  if (found?.limit == null || found.windowMs === null) return scales;
  const isPromised = found.limit === requests && found.windowMs === windowMs;
  return isPromised ? scales : [...scales, { limit: found.limit, windowNs: found.windowMs * 1e6 }];
}

interface Scale {
  readonly limit: number;
  readonly windowNs: number;
}

function loadOf(
  views: readonly View[],
  { mismatches, settled }: { readonly settled: Settled; readonly mismatches: number },
  slots: TimeSlots,
  isPossible: boolean,
): CandidateLoad {
  const { limit, scaleNs } = settled;
  const empty = (): (number | null)[] => new Array<number | null>(slots.count).fill(null);
  const points = { admitted: empty(), refused: empty(), wrong: empty() };
  let contradicted = 0;
  for (const view of views) {
    const { trace } = view;
    const likely = loadsOf(trace, settled);
    const bounds = isPossible ? undefined : loadBounds(view, settled);
    for (let i = 0; i < trace.length; i++) {
      if (trace.outcome[i] === ambiguous) continue;
      const isWrong = bounds !== undefined && contradicts(trace, bounds, i, limit);
      if (isWrong) contradicted++;
      const slot = slotOf(slots, trace.sentNs[i] as number);
      if (slot === undefined) continue;
      const load = Math.round((likely[i] as number) * 10) / 10;
      const lane = isWrong ? 'wrong' : trace.outcome[i] === limited ? 'refused' : 'admitted';
      points[lane][slot] = telling[lane](load, points[lane][slot] ?? load, limit);
    }
  }
  const windowMs = Math.round(windowNsOf(kindOf(settled), limit, scaleNs) / 1e3) / 1e3;
  return { limit, windowMs, mismatches, contradicted, ...points };
}

/** Of two counts in a slot, the one that tells more. */
const telling: Readonly<
  Record<'admitted' | 'refused' | 'wrong', (a: number, b: number, limit: number) => number>
> = {
  admitted: (a, b) => Math.max(a, b),
  refused: (a, b) => Math.min(a, b),
  wrong: (a, b, limit) => (Math.abs(a - limit) > Math.abs(b - limit) ? a : b),
};

/** Deployed limiters differ in whether the request itself has to fit as well, so the last one below the limit may go either way. */
function contradicts(trace: Trace, { least, most }: LoadBounds, i: number, limit: number): boolean {
  return trace.outcome[i] === admitted ? (least[i] as number) >= limit : (most[i] as number) <= limit - 1;
}

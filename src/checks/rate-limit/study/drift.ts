import { guessesOf, loadBounds, standIn } from '../../../limits/arrivals.ts';
import type { LimiterKind, LoadBounds, PromisedLimit } from '../../../limits/kinds/kind.ts';
import { admitted, isDecided, type Trace } from '../../../limits/trace.ts';
import { type View, viewsOf } from '../../../limits/view.ts';

/** A limit that shrinks or grows: two answers that no constant limit gives. */
export interface Drift {
  readonly isShrinking: boolean;
  /** Requests that had been counted when one was admitted: the limit is higher then. */
  readonly admittedAt: number;
  /** Requests that had been counted when one was rejected: the limit is not higher then. */
  readonly rejectedAt: number;
  readonly seqs: readonly number[];
}

/** What an answer tells of the limit at its time. */
interface ToldLoad {
  readonly ns: number;
  readonly seq: number;
  readonly isAdmitted: boolean;
  /** What the limiter had counted: at least, at an admission, and at most, at a rejection. */
  readonly load: number;
}

/** Smaller differences, in requests and as a part of the limit, may come of arrivals that are not known exactly. */
const least = { requests: 2, part: 0.015 } as const;
/** Fewer answers may come of other users of the key. */
const fewestAnswers = 3;

/**
 * Whether a limit that only shrinks, or only grows, explains the answers that no constant one does: whatever contradicts
 * it is an admission and a later rejection, or a rejection and a later admission, and never both.
 */
export function driftOf(
  traces: readonly Trace[],
  promised: PromisedLimit,
  kinds: readonly LimiterKind[],
): Drift | undefined {
  const views = viewsOf(traces);
  const guesses = guessesOf(traces);
  const enough = Math.max(least.requests, least.part * promised.requests);
  const gap = ({ admittedAt, rejectedAt }: Drift): number => admittedAt - rejectedAt;
  for (const kind of kinds) {
    const { settled } = standIn(guesses, kind, { limit: promised.requests, windowNs: promised.windowNs });
    const told = views
      .flatMap((view) => toldBy(view, loadBounds(view, settled)))
      .toSorted((a, b) => a.ns - b.ns);
    const [shrinking = [], growing = []] = [true, false].map((isShrinking) =>
      contradictions(told, isShrinking).filter((each) => gap(each) >= enough / 2),
    );
    const [one, other] = shrinking.length > 0 ? [shrinking, growing] : [growing, shrinking];
    const clear = one.filter((each) => gap(each) >= enough);
    if (other.length === 0 && clear.length >= fewestAnswers)
      return clear.reduce((a, b) => (gap(b) > gap(a) ? b : a));
  }
  return undefined;
}

function toldBy({ trace }: View, bounds: LoadBounds): ToldLoad[] {
  const told: ToldLoad[] = [];
  for (let i = 0; i < trace.length; i++) {
    if (!isDecided(trace.outcome[i])) continue;
    const isAdmitted = trace.outcome[i] === admitted;
    const load = (isAdmitted ? bounds.least : bounds.most)[i] as number;
    told.push({ ns: trace.sentNs[i] as number, seq: trace.seq[i] as number, isAdmitted, load });
  }
  return told;
}

/** Each rejection with the admission before it at the highest count; or each admission with the rejection at the lowest. */
function contradictions(told: readonly ToldLoad[], isShrinking: boolean): Drift[] {
  const found: Drift[] = [];
  let before: ToldLoad | undefined;
  for (const each of told) {
    if (each.isAdmitted !== isShrinking) {
      if (before === undefined) continue;
      const [one, other] = isShrinking ? [before, each] : [each, before];
      found.push({ isShrinking, admittedAt: one.load, rejectedAt: other.load, seqs: [before.seq, each.seq] });
    } else if (before === undefined || each.load > before.load === isShrinking) before = each;
  }
  return found;
}

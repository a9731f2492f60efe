import { type KnownLimiter, knownStates } from '../../../limits/fit.ts';
import type { LimiterInference, Survivor } from '../../../limits/inference.ts';
import {
  eitherState,
  type PromisedLimit,
  type State,
  type StateAfter,
  scaleNsOf,
} from '../../../limits/kinds/kind.ts';
import { kindOf, kinds } from '../../../limits/kinds/table.ts';
import { type Rows, rowsWhere, type SentRequests } from '../../../limits/sent/columns.ts';
import { traceOfRows } from '../../../limits/sent/traces.ts';
import { exactly } from '../../../limits/span.ts';
import { withStandingClock } from '../../../limits/standing-clock.ts';
import { ambiguous, isDecided, type Trace } from '../../../limits/trace.ts';
import { viewOf } from '../../../limits/view.ts';
import type { Profile } from '../../../target/profile.ts';
import type { FittedKinds } from '../../reasons/words/limits.ts';
import { contains, windowBoundsOf } from '../study/as-promised.ts';
import { isTight, type JudgedStream, paceOf, survivors } from '../traces/judged.ts';

/** The limiter that explains every answer of a stream, with the states that it can have been in. */
export interface KnownState {
  /** The kinds that are still possible, and their size. */
  readonly fitted: FittedKinds;
  /** After this many windows, no earlier request counts. */
  readonly remembersWindows: 1 | 2;
  /** Nothing else can have spent the limit unseen. */
  readonly seesAll: boolean;
  /** It counts in windows, whose end it knows. */
  readonly hasWindows: boolean;
  /** Nothing is known of what was spent before the run: from here on that counts no more. */
  readonly knownFromNs: number;
  /** Where a study found it, each limiter that it can be: one of them has to have said all that was said. */
  readonly possible: readonly PossibleLimiter[];
  /**
   * Those that it can be besides, if its windows begin at other times for other keys. No promise says that they do not, but a
   * study may show it.
   */
  readonly apart: () => readonly PossibleLimiter[];
}

/** The state right after a row was answered; undefined where nothing is known of it. */
export type PossibleLimiter = (row: number) => State | undefined;

/** What the study and the profile say of the limiter. */
interface LimiterKnowledge {
  readonly profile: Pick<Profile, 'exclusive_keys' | 'limiter' | 'redeliveries' | 'shared_keys'>;
  /** The launch checks explain what the target did by the promised limiter. */
  readonly isAcceptable: boolean;
  /** Each key has one limit, by the profile or by a study. */
  readonly isPerKey: boolean;
  /** The stream is that of a key with a limit to itself, by the profile. */
  readonly hasOwnLimit: (judged: JudgedStream) => boolean;
  /** It is known of every interaction whether it counts against the limit. */
  readonly areInteractionsKnown: boolean;
  /** Of a run that studied the limiter. */
  readonly inference: LimiterInference | undefined;
  /** What the study's keys left, each with a separate count in the same windows. */
  readonly studied: readonly Trace[];
}

/** Longer streams are not held against the limiter's states: that takes some hundred bytes a request. */
const mostCompared = 200_000;
const refusalStatus = 429;
/** Of many kinds, the phases of each are told apart coarsely. */
const finestPart = { ofAny: 1 / 20, ofMany: 1 / 200, ofFound: 1 / 1_000 };
/** Kinds less likely than this are no longer counted as possible, unless they explain the promise. */
const leastConfidence = 0.01;

/** States by rows, of a limiter that has them by the indexes of those rows in a trace. */
function byRow(
  rows: Rows,
  isKnown: (index: number) => boolean = () => true,
): (after: StateAfter) => PossibleLimiter {
  const indexes = new Map(Array.from(rows, (row, index) => [row, index]));
  return (after) => (row) => {
    const index = indexes.get(row);
    return index === undefined || !isKnown(index) ? undefined : after(index);
  };
}

/**
 * The limiter of a stream: of the kinds that the study left possible; without a study, of every kind that explains all
 * answers at the promised limit. Undefined where none is known, or where others may spend the limit unseen. All kinds that
 * are still possible have a say: a state is what any of them allows.
 */
export function knownStateOf(judged: JudgedStream, knowledge: LimiterKnowledge): KnownState | undefined {
  const { fit, promised } = judged;
  const { inference, isPerKey, profile } = knowledge;
  // A key that was never at its limit shows nothing of the limiter. What a study found with others holds for it too, where it
  // has a limit to itself: of two keys of one account only a promise tells.
  const isKnown = fit.limited > 0 || (inference !== undefined && knowledge.hasOwnLimit(judged));
  if (!isKnown || profile.shared_keys || profile.redeliveries > 0) return undefined;
  if (judged.trace.length > mostCompared) return undefined;
  const { rows, trace } = withCompetitors(judged, isPerKey);
  if (trace.length > mostCompared) return undefined;
  const possible = inference === undefined ? undefined : stillPossible(inference.survivors, promised);
  const tried = possible === undefined ? unstudied(judged, knowledge) : studied(possible, promised);
  if (tried.length === 0) return undefined;
  const view = viewOf(trace);
  const beside = isPerKey ? knowledge.studied.filter((each) => each !== judged.trace) : [];
  const views = beside.map((each) => viewOf(each));
  const found = tried.flatMap((known) => {
    const jointly = views.length === 0 ? [] : knownStates(view, known, views);
    const states = jointly.length > 0 ? jointly : knownStates(view, known);
    const isApart = jointly.length > 0 && known.mayBeginApart;
    return states.length === 0 ? [] : [{ kind: known.kind, states, apart: isApart ? [known] : [] }];
  });
  if (found.length === 0) return undefined;
  // The promised size where a kind that may be the target's has it, else that of the likeliest.
  const [best] = possible ?? [];
  const pace = paceOf(promised);
  const size =
    best === undefined || possible?.some((each) => explainsPromise(each, promised))
      ? pace
      : { requests: best.limit ?? pace.requests, windowMs: best.windowMs ?? pace.windowMs };
  const states = found.flatMap((each) => each.states);
  const either: StateAfter = (index) => states.map((after) => after(index)).reduce(eitherState);
  const remembersWindows = found.some(({ kind }) => kind.remembersWindows === 2) ? 2 : 1;
  const ofRow = byRow(rows, (index) => isDecided(trace.outcome[index]));
  return {
    fitted: { kinds: found.map(({ kind }) => kind.name), ...size },
    remembersWindows,
    seesAll: profile.exclusive_keys && knowledge.areInteractionsKnown,
    hasWindows: found.every(({ kind }) => kind.startsAnew === true),
    knownFromNs: profile.exclusive_keys
      ? Number.NEGATIVE_INFINITY
      : (trace.sentNs[0] ?? 0) + remembersWindows * Math.max(promised.windowNs, size.windowMs * 1e6),
    // Without a study it may be an unknown kind: then every state counts as possible that one of the kinds has.
    possible: (inference === undefined ? [either] : states).map(ofRow),
    apart: () => found.flatMap(({ apart }) => apart.flatMap((each) => knownStates(view, each)).map(ofRow)),
  };
}

/** As many requests are held against any limiter: of these there are hundreds, by where their windows may begin. */
const mostOfAny = 20_000;

/**
 * Each limiter of a size, as if no one else had used the key: whatever else spends it leaves less. For where the limiter is not
 * known, or the key was never at its limit. `spending`: rows of admitted requests; `lagNs`: when each is counted at the latest.
 */
export function* anyLimiter(
  sent: SentRequests,
  spending: Rows,
  { requests, windowNs }: PromisedLimit,
  lagNs: number,
): Generator<PossibleLimiter> {
  const rows = spending.subarray(0, mostOfAny);
  const trace = traceOfRows(sent, rows, () => 'certain', { windowNs, refusalStatus, unknownNs: 0 });
  const view = viewOf({ ...trace, answeredNs: trace.answeredNs.map((ns) => ns + lagNs) });
  const limits = { least: requests, most: requests };
  // Nothing was rejected that could count.
  for (const kind of kinds.filter(({ rejectsCount }) => rejectsCount !== true)) {
    const scale = exactly(scaleNsOf(kind, requests, windowNs));
    yield* knownStates(view, { kind, scale, limits, finestPart: finestPart.ofAny }).map(byRow(rows));
  }
}

/** The stream's requests among those of other keys, where all may share one limit: those may have been counted. */
function withCompetitors(
  { promised, stream, trace }: JudgedStream,
  isPerKey: boolean,
): { readonly rows: Rows; readonly trace: Trace } {
  const { sent, rows: own } = stream;
  const indexes = new Map(Array.from(own, (row, index) => [row, index]));
  const rows = isPerKey ? own : rowsWhere(sent, (row) => indexes.has(row) || stream.charge(row) !== 'not');
  if (rows.length === own.length) return { rows, trace };
  const options = { windowNs: promised.windowNs, refusalStatus, unknownNs: 0 };
  const together = traceOfRows(sent, rows, () => 'certain', options);
  for (const [place, row] of rows.entries()) {
    const index = indexes.get(row);
    together.outcome[place] = index === undefined ? ambiguous : (trace.outcome[index] as number);
  }
  const [standing = together] = withStandingClock([together]);
  return { rows, trace: standing };
}

/** A limiter, and whether its windows may begin at other times for other keys. */
type TriedLimiter = KnownLimiter & { readonly mayBeginApart: boolean };

/** Every kind at the promised limit, where the launch checks found one to be so. */
function unstudied(
  { algorithm, fit, promised }: JudgedStream,
  { isAcceptable }: LimiterKnowledge,
): TriedLimiter[] {
  const { requests, windowNs } = promised;
  if (!isAcceptable || !survivors(fit).some((each) => isTight(each, promised))) return [];
  return kinds
    .filter(({ keeps }) => algorithm === undefined || keeps === algorithm)
    .map((kind) => ({
      kind,
      scale: exactly(scaleNsOf(kind, requests, windowNs)),
      limits: { least: 0, most: Number.POSITIVE_INFINITY },
      including: requests,
      finestPart: finestPart.ofMany,
      mayBeginApart: kind.phase === 'unaligned',
    }));
}

/**
 * Kinds that may be the target's: the likely ones, and those that explain every answer at the promised limit and window.
 * Likelihood is no proof, so a header that agrees with the promise is not false as long as the promise may be kept.
 */
export function stillPossible(all: readonly Survivor[], promised: PromisedLimit): readonly Survivor[] {
  return all.filter(
    (survivor) =>
      survivor.confidence >= leastConfidence ||
      (survivor.settled !== undefined && explainsPromise(survivor, promised)),
  );
}

function explainsPromise(survivor: Survivor, promised: PromisedLimit): boolean {
  const { requests, windowMs } = paceOf(promised);
  const windows = windowBoundsOf(survivor, { requests, windowMs });
  return contains(survivor.limitBounds, requests, 'limit') && contains(windows, windowMs, 'window');
}

/** Windows that are not the promised ones are known to this part. */
const foundWithin = 0.005;

/** The kinds that a study found; each at the promised window where that is one of those it found. */
function studied(possible: readonly Survivor[], promised: PromisedLimit): TriedLimiter[] {
  // A queue, or several nodes, have no state that could be told.
  if (possible.some(({ settled }) => settled === undefined)) return [];
  return possible.flatMap((survivor): TriedLimiter[] => {
    const { limitBounds, settled, windowMsBounds } = survivor;
    if (settled === undefined || limitBounds === null || windowMsBounds === null) return [];
    const kind = kindOf(settled);
    const { scaleNs } = settled;
    return [
      {
        kind,
        scale: explainsPromise(survivor, promised)
          ? exactly(scaleNsOf(kind, promised.requests, promised.windowNs))
          : { loNs: scaleNs * (1 - foundWithin), hiNs: scaleNs * (1 + foundWithin) },
        limits: { least: limitBounds.min, most: limitBounds.max ?? Number.POSITIVE_INFINITY },
        finestPart: finestPart.ofFound,
        mayBeginApart: kind.phase === 'unaligned' && survivor.phase !== 'clock-aligned',
      },
    ];
  });
}

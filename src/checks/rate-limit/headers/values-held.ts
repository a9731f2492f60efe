import type { Between, State } from '../../../limits/kinds/kind.ts';
import type { HeaderFault, HeldValues, Wrong } from './finding.ts';
import type { FittedLimiter, PossibleLimiter } from './fitted.ts';
import { faultIfSystematic } from './held.ts';
import { type AnswerTime, instantOf, jitterNs, roundingNs } from './instant.ts';
import { type HeaderContext, limitOf, type Saying, type Series, type Told, windowNsOf } from './series.ts';

/**
 * Each `remaining` beside what the fitted limiter had left right after the answer. Parts of a request may be rounded either
 * way. Absent where the series speaks of another limit than the fitted one, or nothing is known.
 */
export function holdRemaining(series: Series, context: HeaderContext): HeldValues | undefined {
  return hold(series, context, ({ said: { remaining } }, { left }) =>
    remaining === undefined || !isKnown(left) ? undefined : beside(Math.max(0, remaining), roundedOut(left)),
  );
}

/** Each reset beside the end of the limiter's window, or the time in which places come free. In milliseconds. */
export function holdReset(series: Series, context: HeaderContext): HeldValues | undefined {
  return hold(series, context, ({ said: { limit, remaining, reset } }, state, given) => {
    // A limiter that has nothing to reset may leave the last instant standing.
    const isUntouched = remaining !== undefined && limit !== undefined && remaining >= limit - 1;
    if (reset === undefined || isUntouched || !Number.isFinite(state.reset.hiNs)) return undefined;
    const named = instantOf(reset, given, context.clock);
    // Some name a whole window, whenever they are asked: unhelpful, and remarked upon elsewhere.
    const { windowNs } = context.promised;
    const isWindow =
      named.hiNs + roundingNs >= given.sentNs + windowNs &&
      named.loNs - roundingNs <= given.answeredNs + windowNs;
    if (isWindow) return { above: 0, below: 0 };
    // Where places come free one by one, it may be any instant from the next of them to when the last of the past is
    // forgotten.
    return {
      above: (named.loNs - roundingNs - state.reset.hiNs) / 1e6,
      below: (state.reset.loNs - named.hiNs - roundingNs) / 1e6,
    };
  });
}

/** By how much a value is beyond doubt too high, or too low; neither if not above 0. */
type Distances = Readonly<Record<'above' | 'below', number>>;

type BesideOfValue = (saying: Saying, state: State, given: AnswerTime) => Distances | undefined;

/**
 * By the limiter, of those that it can be, with which most of the values agree. By windows that begin at another time than those
 * of other keys only if then all values agree.
 */
function hold(series: Series, context: HeaderContext, besideOfValue: BesideOfValue): HeldValues | undefined {
  const { fitted, told } = series;
  if (fitted === undefined || !speaksOfFitted(series, fitted, context)) return undefined;
  const wrong = ({ above, below }: HeldValues): number => above.length + below.length;
  const best = (possible: readonly PossibleLimiter[]): HeldValues | undefined =>
    possible
      .flatMap((after) => holdBy(after, told, fitted, besideOfValue) ?? [])
      .toSorted((a, b) => wrong(a) - wrong(b) || a.compared - b.compared)[0];
  const held = best(fitted.possible);
  if (held === undefined || wrong(held) === 0) return held;
  const apart = best(fitted.apart());
  const isWhole = apart !== undefined && apart.compared >= held.compared;
  return isWhole && wrong(apart) === 0 ? apart : held;
}

function holdBy(
  after: PossibleLimiter,
  told: Told,
  fitted: FittedLimiter,
  besideOfValue: BesideOfValue,
): HeldValues | undefined {
  const above: number[] = [];
  const below: number[] = [];
  let aboveBy = 0;
  let belowBy = 0;
  let compared = 0;
  for (let i = 0; i < told.length; i++) {
    const given = { sentNs: told.sentNs[i] as number, answeredNs: told.answeredNs[i] as number };
    if (given.sentNs < fitted.knownFromNs) continue;
    const state = after(told.rows[i] as number);
    const by = state === undefined ? undefined : besideOfValue(told.sayings[i] as Saying, state, given);
    if (by === undefined) continue;
    compared++;
    if (by.above > 0) above.push(told.seq[i] as number);
    else if (by.below > 0) below.push(told.seq[i] as number);
    aboveBy = Math.max(aboveBy, by.above);
    belowBy = Math.max(belowBy, by.below);
  }
  return compared === 0 ? undefined : { fitted: fitted.fitted, compared, above, aboveBy, below, belowBy };
}

/** Another policy of the same header may have another limit. */
function speaksOfFitted(series: Series, { fitted }: FittedLimiter, context: HeaderContext): boolean {
  const { requests, windowNs } = context.promised;
  const [limit, window] = [limitOf(series, context), windowNsOf(series, context)];
  if (limit === requests && window === windowNs) return true;
  return limit === fitted.requests && (window === undefined || near(window, fitted.windowMs * 1e6));
}

/** Headers give windows in whole seconds. */
function near(aNs: number, bNs: number): boolean {
  return Math.abs(aNs - bNs) < roundingNs;
}

function isKnown({ least, most }: Between): boolean {
  return Number.isFinite(least) && Number.isFinite(most);
}

function roundedOut({ least, most }: Between): Between {
  return { least: Math.max(0, Math.floor(least)), most: Math.max(0, Math.ceil(most)) };
}

function beside(value: number, { least, most }: Between): Distances {
  return { above: value - most, below: least - value };
}

/** More than there is, is wrong. Less may be due to other users of the key, unless there can be none. */
export function heldRemainingFaults(held: HeldValues | undefined, { fitted }: Series): HeaderFault[] {
  if (held === undefined) return [];
  const { above, below, compared } = held;
  const params = { fitted: held.fitted };
  return [
    ...faultIfSystematic<Wrong>({ compared, wrong: above }, { code: 'headers-remaining-too-high', params }),
    ...(fitted?.seesAll === true
      ? faultIfSystematic<Wrong>({ compared, wrong: below }, { code: 'headers-remaining-too-low', params })
      : []),
  ];
}

export function heldResetFaults(held: HeldValues | undefined, { promised }: HeaderContext): HeaderFault[] {
  if (held === undefined) return [];
  const { above, below, compared, fitted } = held;
  const params = { fitted };
  return [
    ...(mayBeJitter(held, promised.windowNs)
      ? []
      : faultIfSystematic<Wrong>({ compared, wrong: above }, { code: 'headers-reset-too-late', params })),
    ...faultIfSystematic<Wrong>({ compared, wrong: below }, { code: 'headers-reset-too-early', params }),
  ];
}

/** The drafts suggest a random delay on top of resets: some are then late, by a little, and others are not. */
function mayBeJitter({ above, aboveBy, compared }: HeldValues, windowNs: number): boolean {
  return above.length <= mostJittered * compared && aboveBy * 1e6 <= jitterNs(windowNs);
}

/** Of resets with a random delay, this part at the most is late beyond doubt. */
const mostJittered = 0.9;

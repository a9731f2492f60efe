import type { Between, State } from '../../../limits/state.ts';
import type { Fault, HeldValues, Wrong } from './finding.ts';
import { faultIfSystematic } from './held.ts';
import { type Given, instantOf, roundingNs } from './instant.ts';
import { type HeaderContext, limitOf, type Saying, type Series, windowNsOf } from './series.ts';

/**
 * Each `remaining` beside what the fitted limiter had left right after the answer. Parts of a request may be rounded either
 * way. Absent where the series speaks of another limit than the fitted one, or nothing is known.
 */
export function holdRemaining(series: Series, context: HeaderContext): HeldValues | undefined {
  return hold(series, context, ({ said: { remaining } }, { left }) =>
    remaining === undefined || !isKnown(left) ? undefined : sideOf(Math.max(0, remaining), roundedOut(left)),
  );
}

/** Each reset beside the end of the limiter's window, or the time in which places come free. */
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
    if (isWindow) return 'within';
    // Where places come free one by one, a reset may be the instant at which the last of the past is forgotten.
    if (series.fitted?.hasWindows === true && named.loNs - roundingNs > state.reset.hiNs) return 'above';
    return named.hiNs + roundingNs < state.reset.loNs ? 'below' : 'within';
  });
}

type Side = 'above' | 'below' | 'within';

function hold(
  series: Series,
  context: HeaderContext,
  sideOfValue: (saying: Saying, state: State, given: Given) => Side | undefined,
): HeldValues | undefined {
  const { fitted, told } = series;
  if (fitted === undefined || !speaksOfFitted(series, context)) return undefined;
  const sides = { above: [] as number[], below: [] as number[], within: 0 };
  for (let i = 0; i < told.length; i++) {
    const given = { sentNs: told.sentNs[i] as number, answeredNs: told.answeredNs[i] as number };
    const state = fitted.after(told.rows[i] as number);
    if (state === undefined || given.sentNs < fitted.knownFromNs) continue;
    const side = sideOfValue(told.sayings[i] as Saying, state, given);
    if (side === 'within') sides.within++;
    else if (side !== undefined) sides[side].push(told.seq[i] as number);
  }
  const { above, below, within } = sides;
  const compared = above.length + below.length + within;
  return compared === 0 ? undefined : { fitted: fitted.fitted, compared, above, below };
}

/** Another policy of the same header may have another limit. */
function speaksOfFitted(series: Series, context: HeaderContext): boolean {
  const { requests, windowNs } = context.promised;
  return limitOf(series, context) === requests && windowNsOf(series, context) === windowNs;
}

function isKnown({ least, most }: Between): boolean {
  return Number.isFinite(least) && Number.isFinite(most);
}

function roundedOut({ least, most }: Between): Between {
  return { least: Math.max(0, Math.floor(least)), most: Math.max(0, Math.ceil(most)) };
}

function sideOf(value: number, { least, most }: Between): Side {
  return value > most ? 'above' : value < least ? 'below' : 'within';
}

/** More than there is, is wrong. Less may be due to other users of the key, unless there can be none. */
export function heldRemainingFaults(held: HeldValues | undefined, { fitted }: Series): Fault[] {
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

export function heldResetFaults(held: HeldValues | undefined): Fault[] {
  if (held === undefined) return [];
  const { above, below, compared, fitted } = held;
  const params = { fitted };
  return [
    ...faultIfSystematic<Wrong>({ compared, wrong: above }, { code: 'headers-reset-too-late', params }),
    ...faultIfSystematic<Wrong>({ compared, wrong: below }, { code: 'headers-reset-too-early', params }),
  ];
}

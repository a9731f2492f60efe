import { number } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import {
  endRisk,
  kneeConfidence,
  kneeInterval,
  type Trial,
  upperTail,
} from '../../limits/capacity/search.ts';
import type { CapacitySlo } from '../../limits/capacity/step.ts';
import { shown } from '../causes/cause.ts';
import { type CheckFinding, type Conclusion, evidence, type Shown } from '../core/verdict.ts';
import type { LoadUnit } from '../reasons/capacity.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { type Capacity, type CapacitySearch, type CapacityStepSeen, whyOf } from './steps.ts';

/** How often the promise was kept in the repeats of a load. */
interface KeptLoad {
  readonly load: number;
  readonly kept: number;
  readonly unclear: number;
  readonly of: number;
}

/** Where the knee lies, in loads; an end that nothing is certain about is absent. */
export interface KneeFound {
  readonly keeps: number | undefined;
  readonly breaks: number | undefined;
}

/** The highest rate, or the most connections of a closed loop, with which the target keeps its promise. Only a rate is promised. */
export function checkSearch(history: History, { slo, ...capacity }: Capacity, unit: LoadUnit): CheckFinding {
  const search = capacity[unit];
  const { steps } = search;
  const { requests, windowMs } = history.profile.rate_limit;
  const promised = unit === 'rate' ? (requests / windowMs) * 1e3 : undefined;
  const { reasons, verdict } = judgeKnee(search, promised);
  const found = kneeOf(search);
  // Where the first step broke the promise, no load is known to keep or to break it.
  const broken =
    steps.findLast(({ load }) => load === found.breaks) ?? (verdict === 'fail' ? steps[0] : undefined);
  const slowest = broken?.slowest ?? [];
  return {
    id: unit === 'rate' ? 'capacity.rate' : 'capacity.concurrency',
    verdict,
    expected: {
      promise: promiseOf(slo, search),
      ...(promised !== undefined && {
        'requests per second within it': { min: Math.ceil(promised * 10) / 10 },
      }),
    },
    observed: shownKnee(search, found),
    reasons,
    evidence:
      broken === undefined || slowest.length === 0
        ? []
        : [
            {
              ...evidence(`the slowest at ${number(broken.load)} a second`, slowest),
              total: broken.figures.over,
            },
          ],
    ...(verdict === 'fail' &&
      promised !== undefined && {
        causes: [
          shown('capacity-below-promise', { found: found.keeps, promised: rounded(promised) }, slowest),
        ],
      }),
  };
}

export function kneeOf({ loads, steps }: CapacitySearch): KneeFound {
  const trials = steps.map(
    ({ judged, place, purpose }): Trial => ({ place, purpose, outcome: judged.outcome }),
  );
  const { breaks, keeps } = kneeInterval(trials);
  return {
    keeps: keeps === undefined ? undefined : loads[keeps],
    breaks: breaks === undefined ? undefined : loads[breaks],
  };
}

/** The repeats by load, lowest first. */
export function keptOf(steps: readonly CapacityStepSeen[]): KeptLoad[] {
  const repeats = repeatsOf(steps);
  const loads = [...new Set(repeats.map(({ load }) => load))].toSorted((a, b) => a - b);
  return loads.map((load) => {
    const own = repeats.filter((each) => each.load === load);
    return {
      load,
      kept: own.filter(({ judged }) => judged.outcome === 'good').length,
      unclear: own.filter(({ judged }) => judged.outcome === 'unclear').length,
      of: own.length,
    };
  });
}

/** `p99 of response time at most 50 ms, and at most 0.1 % of requests failing`. */
export function promiseOf(slo: CapacitySlo, { latency }: Pick<CapacitySearch, 'latency'>): string {
  const share = Number((slo.errorShare * 100).toPrecision(6));
  return `p${slo.percentile} of ${latency} at most ${number(slo.maxMs)} ms, and at most ${number(share)} % of requests failing`;
}

function judgeKnee(search: CapacitySearch, promised: number | undefined): Conclusion {
  const { steps, unit } = search;
  const obstacle = obstacleTo(search, promised);
  if (obstacle !== undefined) return obstacle;
  const { breaks, keeps } = kneeOf(search);
  if (keeps === undefined || breaks === undefined) return unfound(steps, unit, { keeps, breaks });
  if (keeps >= breaks) return inconclusive(reason('knee-contradiction', { unit, keeps, breaks }));
  const found = reason('knee-found', {
    ...{ unit, keeps, breaks },
    confidence: kneeConfidence,
    repeats: repeatsOf(steps).length,
  });
  if (promised === undefined || keeps >= promised) return { verdict: 'pass', reasons: [found] };
  const limit = { promised: rounded(promised) };
  return breaks <= promised
    ? { verdict: 'fail', reasons: [reason('knee-below', limit), found] }
    : inconclusive(found, reason('knee-either-side', limit));
}

/** What kept the search from getting anywhere near the knee. */
function obstacleTo(
  { loads, steps, unit }: CapacitySearch,
  promised: number | undefined,
): Conclusion | undefined {
  const [first] = steps;
  if (first === undefined) return inconclusive(reason('knee-untried', { unit }));
  const limited = steps.find(({ judged }) => judged.outcome === 'limited');
  if (limited !== undefined) {
    const { judged, load } = limited;
    return inconclusive(reason('knee-limited', { unit, load }), ...whyOf(judged.why));
  }
  if (steps.some(({ judged }) => judged.outcome === 'unfinished'))
    return inconclusive(reason('knee-unfinished'));
  const good = steps.filter(({ judged }) => judged.outcome === 'good');
  if (good.length === 0) {
    if (steps.some(({ judged }) => judged.outcome === 'unclear')) return unfound(steps, unit, {});
    const why = [reason('knee-first-broke', { unit, load: first.load }), ...whyOf(first.judged.why)];
    return promised !== undefined && first.load <= promised
      ? { verdict: 'fail', reasons: why }
      : inconclusive(...why, reason('knee-start-lower'));
  }
  const top = loads.length - 1;
  if (!good.some(({ place, purpose }) => place === top && purpose === 'climb')) return undefined;
  const unreached = reason('knee-not-reached', { unit, load: loads[top] ?? 0 });
  return promised !== undefined && isKept(steps, promised)
    ? {
        verdict: 'pass',
        reasons: [reason('knee-promise-kept', { promised: rounded(promised) }), unreached],
      }
    : inconclusive(unreached);
}

/** Whether a climb of which no step was broken shows that a load is kept: by the sign test of `certainlyKeeps`. */
function isKept(steps: readonly CapacityStepSeen[], promised: number): boolean {
  const above = steps.filter(({ load }) => load >= promised);
  const isGood = above.every(({ judged }) => judged.outcome === 'good');
  return isGood && upperTail(above.length, above.length) <= endRisk;
}

/** The search ended, and an end of the interval is not known. */
function unfound(
  steps: readonly CapacityStepSeen[],
  unit: LoadUnit,
  { breaks, keeps }: Partial<KneeFound>,
): Conclusion {
  const certain = [
    ...(keeps === undefined ? [] : [reason('knee-keeps', { unit, load: keeps })]),
    ...(breaks === undefined ? [] : [reason('knee-breaks', { unit, load: breaks })]),
  ];
  const { length: unclear } = steps.filter(({ judged }) => judged.outcome === 'unclear');
  const { length: clearlyBad } = steps.filter(({ judged }) => judged.outcome === 'bad');
  if (unclear > 0 && unclear >= clearlyBad) {
    const late = { unit, unclear, steps: steps.length };
    return inconclusive(reason('knee-generator-late', late), ...certain);
  }
  const { length: repeats } = repeatsOf(steps);
  return inconclusive(
    repeats === 0 ? reason('knee-without-repeats') : reason('knee-few-repeats', { repeats }),
    ...certain,
  );
}

function repeatsOf(steps: readonly CapacityStepSeen[]): readonly CapacityStepSeen[] {
  return steps.filter(({ purpose }) => purpose === 'repeat');
}

function inconclusive(...reasons: Reason[]): Conclusion {
  return { verdict: 'inconclusive', reasons };
}

function shownKnee({ steps, unit }: CapacitySearch, { breaks, keeps }: KneeFound): Shown {
  const name = unit === 'rate' ? 'requests per second' : unit;
  const isUnknown = keeps === undefined && breaks === undefined;
  return {
    [`knee, ${name}`]: isUnknown
      ? null
      : { ...(keeps !== undefined && { min: keeps }), ...(breaks !== undefined && { max: breaks }) },
    confidence: kneeConfidence,
    steps: steps.length,
    repeats: keptOf(steps).map(({ kept, load, of, unclear }) => ({ [name]: load, kept, unclear, of })),
  };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

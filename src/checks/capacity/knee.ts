import { number } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import {
  endRisk,
  kneeConfidence,
  kneeInterval,
  type Trial,
  upperTail,
} from '../../limits/capacity/search.ts';
import { shown } from '../causes/cause.ts';
import { type CheckFinding, type Conclusion, type Evidence, evidence, type Shown } from '../core/verdict.ts';
import type { LoadUnit } from '../reasons/capacity.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { type Capacity, type OpenStepSeen, whyOf } from './steps.ts';

/** One of the two searches. */
interface LoadModel {
  readonly unit: LoadUnit;
  readonly loads: readonly number[];
  /** Under this it is a failure. */
  readonly promised: number | undefined;
}

/** A step as the judge of a knee needs it. */
type KneeStep = Pick<OpenStepSeen, 'figures' | 'judged' | 'load' | 'place' | 'purpose'>;

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

/** The highest rate at which the target keeps its promise, in the open model. */
export function checkRate(history: History, capacity: Capacity): CheckFinding {
  const { requests, windowMs } = history.profile.rate_limit;
  const promised = (requests / windowMs) * 1e3;
  const model: LoadModel = { unit: 'rate', loads: capacity.plan.rates, promised };
  const { reasons, verdict } = judgeKnee(capacity.open, model);
  const found = kneeOf(capacity.open, capacity.plan.rates);
  // Where the first step broke the promise, no load is known to keep or to break it.
  const broken =
    capacity.open.findLast(({ load }) => load === found.breaks) ??
    (verdict === 'fail' ? capacity.open[0] : undefined);
  return {
    id: 'capacity.rate',
    verdict,
    expected: {
      promise: promiseOf(capacity, 'response time'),
      'requests per second within it': { min: Math.ceil(promised * 10) / 10 },
    },
    observed: shownKnee(capacity.open, found, 'requests per second'),
    reasons,
    evidence: evidenceOf(broken),
    ...(verdict === 'fail'
      ? {
          causes: [
            shown(
              'capacity-below-promise',
              { found: found.keeps, promised: rounded(promised) },
              broken?.slowest ?? [],
            ),
          ],
        }
      : {}),
  };
}

/** The most connections of a closed loop with which the target keeps its promise. */
export function checkConcurrency(capacity: Capacity): CheckFinding {
  const loads = capacity.plan.connections;
  const { reasons, verdict } = judgeKnee(capacity.closed, {
    unit: 'connections',
    loads,
    promised: undefined,
  });
  return {
    id: 'capacity.concurrency',
    verdict,
    expected: { promise: promiseOf(capacity, 'service time') },
    observed: shownKnee(capacity.closed, kneeOf(capacity.closed, loads), 'connections'),
    reasons,
  };
}

export function kneeOf(steps: readonly KneeStep[], loads: readonly number[]): KneeFound {
  const { breaks, keeps } = kneeInterval(trialsOf(steps));
  return {
    keeps: keeps === undefined ? undefined : loads[keeps],
    breaks: breaks === undefined ? undefined : loads[breaks],
  };
}

/** The repeats by load, lowest first. */
export function keptOf(steps: readonly KneeStep[]): KeptLoad[] {
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
export function promiseOf({ slo }: Pick<Capacity, 'slo'>, what: string): string {
  const share = Number((slo.errorShare * 100).toPrecision(6));
  return `p${slo.percentile} of ${what} at most ${number(slo.maxMs)} ms, and at most ${number(share)} % of requests failing`;
}

function trialsOf(steps: readonly KneeStep[]): Trial[] {
  return steps.map(({ judged, place, purpose }) => ({ place, purpose, outcome: judged.outcome }));
}

function judgeKnee(steps: readonly KneeStep[], model: LoadModel): Conclusion {
  const obstacle = obstacleTo(steps, model);
  if (obstacle !== undefined) return obstacle;
  const { promised, unit } = model;
  const { breaks, keeps } = kneeOf(steps, model.loads);
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
  steps: readonly KneeStep[],
  { loads, promised, unit }: LoadModel,
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
function isKept(steps: readonly KneeStep[], promised: number): boolean {
  const above = steps.filter(({ load }) => load >= promised);
  const isGood = above.every(({ judged }) => judged.outcome === 'good');
  return isGood && upperTail(above.length, above.length) <= endRisk;
}

/** The search ended, and an end of the interval is not known. */
function unfound(
  steps: readonly KneeStep[],
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

function repeatsOf(steps: readonly KneeStep[]): readonly KneeStep[] {
  return steps.filter(({ purpose }) => purpose === 'repeat');
}

function inconclusive(...reasons: Reason[]): Conclusion {
  return { verdict: 'inconclusive', reasons };
}

function shownKnee(steps: readonly KneeStep[], { breaks, keeps }: KneeFound, unit: string): Shown {
  return {
    [`knee, ${unit}`]:
      keeps === undefined && breaks === undefined
        ? null
        : {
            ...(keeps === undefined ? {} : { min: keeps }),
            ...(breaks === undefined ? {} : { max: breaks }),
          },
    confidence: kneeConfidence,
    steps: steps.length,
    repeats: keptOf(steps).map(({ kept, load, of, unclear }) => ({ [unit]: load, kept, unclear, of })),
  };
}

function evidenceOf(broken: OpenStepSeen | undefined): Evidence[] {
  return broken === undefined || broken.slowest.length === 0
    ? []
    : [
        {
          ...evidence(`the slowest at ${number(broken.load)} a second`, broken.slowest),
          total: broken.figures.over,
        },
      ];
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

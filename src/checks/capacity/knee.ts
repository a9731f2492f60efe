import { counted, number, verb } from '../../amounts.ts';
import { endRisk, kneeConfidence, kneeInterval, type Trial, upperTail } from '../../capacity/knee.ts';
import type { History } from '../../history/history.ts';
import { shown } from '../diagnosis/cause.ts';
import { type CheckResult, type Evidence, evidence, type Shown, type Verdict } from '../verdict.ts';
import type { Capacity, OpenStepSeen } from './steps.ts';

/** What the loads of a search are called. */
interface Model {
  readonly name: string;
  /** `120 requests a second`. */
  readonly loadInWords: (load: number) => string;
  readonly loads: readonly number[];
  /** Under this it is a failure. */
  readonly promised: number | undefined;
}

/** A step as the judge of a knee needs it. */
type Step = Pick<OpenStepSeen, 'figures' | 'judged' | 'load' | 'place' | 'purpose'>;

/** How often the promise was kept in the repeats of a load. */
export interface Kept {
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
export function checkRate(history: History, capacity: Capacity): CheckResult {
  const { requests, windowMs } = history.profile.rate_limit;
  const promised = (requests / windowMs) * 1e3;
  const model: Model = {
    name: 'the open model',
    loadInWords: (load) => `${counted(load, 'request')} a second`,
    loads: capacity.plan.rates,
    promised,
  };
  const { explanation, verdict } = judgeKnee(capacity.open, model);
  const found = kneeOf(capacity.open, capacity.plan.rates);
  const broken = capacity.open.findLast(({ load }) => load === found.breaks);
  return {
    id: 'capacity.rate',
    title: 'Response time keeps its promise at the promised request rate',
    verdict,
    expected: {
      promise: promiseOf(capacity, 'response time'),
      'requests per second within it': { min: Math.ceil(promised * 10) / 10 },
    },
    observed: shownKnee(capacity.open, found, 'requests per second'),
    explanation,
    evidence: evidenceOf(broken),
    ...(verdict === 'fail'
      ? {
          causes: [
            shown(
              'capacity-below-promise',
              { found: found.keeps, promised: rounded(promised) },
              broken?.slowest ?? capacity.open[0]?.slowest ?? [],
            ),
          ],
        }
      : {}),
  };
}

/** The most connections of a closed loop with which the target keeps its promise. */
export function checkConcurrency(capacity: Capacity): CheckResult {
  const loads = capacity.plan.connections;
  const { explanation, verdict } = judgeKnee(capacity.closed, {
    name: 'the closed loop',
    loadInWords: (load) => `${counted(load, 'connection')}`,
    loads,
    promised: undefined,
  });
  return {
    id: 'capacity.concurrency',
    title: 'The most connections that keep the promise on service time are known',
    verdict,
    expected: { promise: promiseOf(capacity, 'service time') },
    observed: shownKnee(capacity.closed, kneeOf(capacity.closed, loads), 'connections'),
    explanation,
    evidence: [],
  };
}

export function kneeOf(steps: readonly Step[], loads: readonly number[]): KneeFound {
  const { breaks, keeps } = kneeInterval(trialsOf(steps));
  return {
    keeps: keeps === undefined ? undefined : loads[keeps],
    breaks: breaks === undefined ? undefined : loads[breaks],
  };
}

/** The repeats by load, lowest first. */
export function keptOf(steps: readonly Step[]): Kept[] {
  const repeats = steps.filter(({ purpose }) => purpose === 'repeat');
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

function trialsOf(steps: readonly Step[]): Trial[] {
  return steps.map(({ judged, place, purpose }) => ({ place, purpose, outcome: judged.outcome }));
}

interface Judged {
  readonly verdict: Verdict;
  readonly explanation: string;
}

function judgeKnee(steps: readonly Step[], model: Model): Judged {
  const obstacle = obstacleTo(steps, model);
  if (obstacle !== undefined) return obstacle;
  const { loadInWords, promised } = model;
  const { breaks, keeps } = kneeOf(steps, model.loads);
  const { length: repeats } = steps.filter(({ purpose }) => purpose === 'repeat');
  if (keeps === undefined || breaks === undefined) return unfound(steps, model, { keeps, breaks });
  if (keeps >= breaks)
    return inconclusive(
      `The repeats contradict each other: ${loadInWords(keeps)} certainly kept the promise and ${loadInWords(breaks)} certainly broke it, so the target was not the same throughout.`,
    );
  const found = `The knee lies between ${loadInWords(keeps)}, which certainly keeps the promise, and ${loadInWords(breaks)}, which certainly breaks it (${number(Math.round(kneeConfidence * 100))} % confidence, ${number(repeats)} repeats)`;
  if (promised === undefined || keeps >= promised) return { verdict: 'pass', explanation: `${found}.` };
  const limit = `the promised ${counted(rounded(promised), 'request')} a second`;
  return breaks <= promised
    ? { verdict: 'fail', explanation: `${found}: below ${limit}.` }
    : inconclusive(`${found}: ${limit} may lie on either side.`);
}

/** What kept the search from getting anywhere near the knee. */
function obstacleTo(
  steps: readonly Step[],
  { loadInWords, loads, name, promised }: Model,
): Judged | undefined {
  const [first] = steps;
  if (first === undefined) return inconclusive(`No step of ${name} was driven.`);
  const limited = steps.find(({ judged }) => judged.outcome === 'limited');
  if (limited !== undefined)
    return inconclusive(
      `A limit is in the way: at ${loadInWords(limited.load)} ${limited.judged.why}. Give a pool of keys (profile: pool).`,
    );
  if (steps.some(({ judged }) => judged.outcome === 'unfinished'))
    return inconclusive('The run was ended before the knee was found.');
  const good = steps.filter(({ judged }) => judged.outcome === 'good');
  if (good.length === 0) {
    if (steps.some(({ judged }) => judged.outcome === 'unclear')) return unfound(steps, { name }, {});
    const why = `The first step, ${loadInWords(first.load)}, broke the promise already: ${first.judged.why}`;
    return promised !== undefined && first.load <= promised
      ? { verdict: 'fail', explanation: `${why}.` }
      : inconclusive(`${why}. The knee lies below it; begin lower.`);
  }
  const top = loads.length - 1;
  if (!good.some(({ place, purpose }) => place === top && purpose === 'climb')) return undefined;
  const unreached = `The knee was not reached: ${loadInWords(loads[top] ?? 0)} kept the promise, and the scenario goes no higher`;
  return promised !== undefined && isKept(steps, promised)
    ? {
        verdict: 'pass',
        explanation: `The promised ${counted(rounded(promised), 'request')} a second ${verb(rounded(promised), 'was', 'were')} kept in every step at and above them. ${unreached}.`,
      }
    : inconclusive(`${unreached}.`);
}

/** Whether a climb of which no step was broken shows that a load is kept: by the sign test of `certainlyKeeps`. */
function isKept(steps: readonly Step[], promised: number): boolean {
  const above = steps.filter(({ load }) => load >= promised);
  const isGood = above.every(({ judged }) => judged.outcome === 'good');
  return isGood && upperTail(above.length, above.length) <= endRisk;
}

/** The search came to its end with an end of the interval open. */
function unfound(
  steps: readonly Step[],
  { loadInWords = String, name }: Partial<Model> & Pick<Model, 'name'>,
  { breaks, keeps }: Partial<KneeFound>,
): Judged {
  const certain = [
    ...(keeps === undefined ? [] : [`${loadInWords(keeps)} certainly keeps it`]),
    ...(breaks === undefined ? [] : [`${loadInWords(breaks)} certainly breaks it`]),
  ];
  const known = certain.length === 0 ? '' : ` What is certain: ${certain.join(', ')}.`;
  const unclear = steps.filter(({ judged }) => judged.outcome === 'unclear');
  const clearlyBad = steps.filter(({ judged }) => judged.outcome === 'bad');
  if (unclear.length > 0 && unclear.length >= clearlyBad.length)
    return inconclusive(
      `generator-bound: in ${number(unclear.length)} of ${counted(steps.length, 'step')} of ${name} the promise broke no more often than the generator, or its machine, was late or held requests back (profile: in_flight); the target may not be to blame.${known}`,
    );
  const repeats = steps.filter(({ purpose }) => purpose === 'repeat');
  return inconclusive(
    repeats.length === 0
      ? `The time of the study was up before any step was repeated near the knee.${known}`
      : `${number(repeats.length)} repeats were too few for certainty: they are kept now and broken then over too wide a range, or the time of the study was up.${known}`,
  );
}

function inconclusive(explanation: string): Judged {
  return { verdict: 'inconclusive', explanation };
}

function shownKnee(steps: readonly Step[], { breaks, keeps }: KneeFound, unit: string): Shown {
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

import type { Bounds, Survivor } from '../../../limits/inference.ts';
import { admissionsNeedOver } from '../../../limits/one-sided.ts';
import { coarseGrain } from '../../../limits/slack.ts';
import type { RateLimit } from '../../../scenario/quantities.ts';
import type { Profile } from '../../../target/profile.ts';
import { type CheckResult, evidence, type Shown, type Verdict } from '../../verdict.ts';
import { capital, count, pace, seconds } from '../words.ts';
import type { LimiterFindings } from './findings.ts';

/** Kinds less likely than this are not what keeps a verdict open. */
const negligible = 0.001;
/** One kind as likely as this is taken for found out. */
const certain = 0.95;
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
/** Algorithms of the profile, and the kinds that decide as they do. */
const kindsOf: Readonly<Record<Exclude<Profile['limiter'], 'unspecified'>, readonly string[]>> = {
  'fixed-window': ['fixed-window', 'fixed-window-first-request', 'token-bucket-window-lumps'],
  'sliding-log': ['sliding-log'],
  'sliding-counter': ['sliding-counter', 'sliding-counter-all', 'sliding-counter-block-cache'],
  'token-bucket': ['token-bucket', 'token-bucket-second-lumps', 'token-bucket-lumps'],
};

/** The algorithm of the profile that a kind decides as; undefined where it has none. */
export function promisedKind(kind: string): keyof typeof kindsOf | undefined {
  const names = Object.keys(kindsOf) as (keyof typeof kindsOf)[];
  return names.find((name) => kindsOf[name].includes(kind));
}

/** The limiter that was found out, against what the profile promises: its kind, its limit and its window. */
export function judgeKind(findings: LimiterFindings, profile: Profile): CheckResult[] {
  const possible = findings.inference.survivors.filter(({ confidence }) => confidence >= negligible);
  return [
    judgeAlgorithm(findings, possible, profile),
    judgeSize('limit', findings, possible, profile.rate_limit),
    judgeSize('window', findings, possible, profile.rate_limit),
  ];
}

function judgeAlgorithm(
  { inference, refusalStatus, keysDiffer, traces }: LimiterFindings,
  possible: readonly Survivor[],
  { limiter, rate_limit }: Profile,
): CheckResult {
  const promised = limiter === 'unspecified' ? undefined : limiter;
  const head = {
    id: 'rate-limit.algorithm',
    title: 'What kind of limiter it is',
    expected: promised ?? 'any limiter of requests per time',
    observed: {
      requests: inference.requests,
      'still possible': Object.fromEntries(
        possible.map((each) => [each.name, `${Math.round(each.confidence * 1000) / 10} %`]),
      ),
      refuted: inference.refuted.length,
    },
    evidence: inference.refuted
      .filter(({ evidence: seqs }) => seqs.length > 0)
      .map(({ algorithm, because, evidence: seqs }) => evidence(`${algorithm}: ${because}`, seqs)),
  } as const;
  const say = (verdict: Verdict, explanation: string): CheckResult => ({
    ...head,
    verdict,
    explanation: `${explanation}${keysDiffer ? ' (The keys have different limits; this is that of load.)' : ''}`,
  });
  const [best] = possible;
  const isOver = traces.some(
    (trace) =>
      admissionsNeedOver(trace, { requests: rate_limit.requests, windowNs: rate_limit.windowMs * 1e6 }) !==
      undefined,
  );
  const perTime = {
    requests: rate_limit.requests,
    windowNs: rate_limit.windowMs * 1e6,
  };
  if (best === undefined) {
    return say(
      'inconclusive',
      'No known kind of limiter explains every answer. Other users of the same key would look like this, too.',
    );
  }
  if (possible.every(({ algorithm }) => algorithm === 'queueing') && inference.limited > 0) {
    return say(
      'inconclusive',
      'What is admitted waits its turn, and some is refused: a queue that refuses when it is full, or a slow target behind a limiter.',
    );
  }
  if (possible.every(({ algorithm }) => algorithm === 'queueing')) {
    return say(
      'fail',
      `Past ${pace(perTime)} requests are not refused: they wait in a queue that goes on at ${best.refillPerS ?? '?'} a second. Exceeding the limit should give 429.`,
    );
  }
  if (possible.every(({ algorithm }) => algorithm === 'none')) {
    return say(
      isOver ? 'fail' : 'inconclusive',
      `${isOver ? '' : 'The promised limit was never surely passed. '}No limit was found: all ${count(inference.admitted)} requests of the probes were admitted.`,
    );
  }
  if (possible.every(({ algorithm }) => algorithm === 'several-nodes')) {
    // Nothing is known of them but that they mix: that alone breaks no promise.
    const isMore = best.limit !== null && best.limit > nodesOver * rate_limit.requests;
    return say(
      isMore ? 'fail' : 'inconclusive',
      `Admissions and refusals mix as if several nodes counted by themselves${isMore ? '' : ', or a limiter of a kind that is not known here'}: together they let ${best.limit === null ? 'more' : count(best.limit)} through, and ${pace(perTime)} are promised.`,
    );
  }
  if (possible.every(({ algorithm }) => algorithm === 'concurrency')) {
    return say(
      // Under overload any service may answer 5xx.
      refusalStatus === 429 ? 'fail' : 'inconclusive',
      `What is limited is the number of requests in work at once (about ${best.limit}), not requests per time.`,
    );
  }
  const status = refusalStatus === 429 ? '' : ` It refuses with ${refusalStatus} in place of 429.`;
  if (promised !== undefined && !possible.some(({ algorithm }) => kindsOf[promised].includes(algorithm))) {
    return say('fail', `A ${promised} is promised; it is a ${best.name}.${status}`);
  }
  if (refusalStatus !== 429) {
    const isSure = best.confidence >= certain && contains(best.limitBounds, rate_limit.requests, 'limit');
    return say(isSure ? 'fail' : 'inconclusive', `It looks like a ${best.name}.${status}`);
  }
  if (best.confidence < certain) {
    const names = possible.map(({ name }) => `a ${name}`).join(', ');
    return say(
      'inconclusive',
      `Several kinds explain every answer: ${names}. More probes (--budget) would tell.`,
    );
  }
  return say(
    'pass',
    `It is a ${best.name} of ${sizeOf(best)}: it explains all ${count(inference.requests)} requests of the keys, and ${inference.refuted.length} other kinds are refuted.`,
  );
}

function sizeOf({ limit, windowMs, refillPerS }: Survivor): string {
  if (limit === null || windowMs === null) return 'unknown size';
  return `${count(limit)} per ${seconds(windowMs * 1e6)}${refillPerS === null ? '' : `, refilled at ${refillPerS} a second`}`;
}

function judgeSize(
  what: 'limit' | 'window',
  { inference }: LimiterFindings,
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
    title: what === 'limit' ? 'The limit is the promised one' : 'The window is the promised one',
    expected: what === 'limit' ? wanted : `${wanted} ms`,
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
      explanation: `A ${best.name} that lets ${count(wanted + 1)} through from idle, as some do that are set to ${count(wanted)}, and refills at the promised rate.`,
    };
  }
  if (!sized.some((each) => contains(boundsOf(each), wanted, what))) {
    return {
      ...head,
      verdict: 'fail',
      explanation: `${capital(what)} of a ${best.name}: ${inWords(bounds, what)}, and ${inWords({ min: wanted, max: wanted }, what)} is promised${what === 'limit' ? asOfNodes(bounds, best.limit, wanted) : ''}. No kind that explains the answers has the promised ${what}.`,
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

/** Of several nodes only a limit that is far too high says anything. */
function hasSize({ algorithm, limit }: Survivor, promised: RateLimit): boolean {
  return algorithm === 'several-nodes'
    ? limit !== null && limit > nodesOver * promised.requests
    : algorithm !== 'concurrency';
}

/** What a limit suggests that is a multiple of the promised one, or of which one is within its narrow bounds. */
function asOfNodes({ min, max }: Bounds, limit: number | null, promised: number): string {
  const times = Math.round((limit ?? max ?? 0) / promised);
  const multiple = times * promised;
  const isNear = limit !== null && Math.abs(limit - multiple) <= multipleWithin * promised;
  const isWithin =
    max !== undefined && min <= multiple && multiple <= max && max - min <= boundsWithin * promised;
  return times >= 2 && times <= mostNodes && (isNear || isWithin)
    ? `: ${times} times as much, as where several nodes (${times}) count by themselves`
    : '';
}

/** Windows are found as intervals of reals; the promised one may stand at their very edge. */
const windowTolerance = 1e-4;

/**
 * The time in which a bucket refills the promised limit: some let one more through from idle (nginx, GCRA), which makes them
 * no slower, and some round down what drains, which makes them slower by a grain. Of other kinds, the window itself.
 */
function windowBoundsOf({ limit, refillPerS, windowMsBounds }: Survivor, promised: number): Bounds | null {
  if (windowMsBounds === null || refillPerS === null || limit === null) return windowMsBounds;
  const part = limit === promised + 1 ? promised / limit : 1;
  const rounded = Math.max(0, 1 - coarseGrain - coarseGrain / refillPerS);
  const { min, max } = windowMsBounds;
  return { min: min * part * rounded, ...(max === undefined ? {} : { max: max * part }) };
}

function contains(bounds: Bounds | null, wanted: number, what: 'limit' | 'window'): boolean {
  if (bounds === null) return false;
  const slack = what === 'limit' ? 0 : wanted * windowTolerance;
  return bounds.min - slack <= wanted && wanted <= (bounds.max ?? Number.POSITIVE_INFINITY) + slack;
}

function inWords({ min, max }: Bounds, what: 'limit' | 'window'): string {
  const one = (value: number): string => (what === 'limit' ? count(value) : `${count(Math.round(value))} ms`);
  if (max === undefined) return `at least ${one(min)}`;
  return one(min) === one(max) ? one(min) : `${one(min)} to ${one(max)}`;
}

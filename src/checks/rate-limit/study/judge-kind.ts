import { counted, number, percent, verb } from '../../../amounts.ts';
import type { LimiterInference, Survivor } from '../../../limits/inference.ts';
import { admissionsNeedOver } from '../../../limits/one-sided.ts';
import type { Trace } from '../../../limits/trace.ts';
import { trailingMost } from '../../../limits/trailing.ts';
import type { Profile } from '../../../target/profile.ts';
import { fits, type Suspect, shown } from '../../diagnosis/cause.ts';
import { type CheckResult, evidence, type Verdict } from '../../verdict.ts';
import { pace } from '../words.ts';
import { contains, excusedBy, kindsOf } from './as-promised.ts';
import type { LimiterFindings } from './findings.ts';
import { certain, judgeSize, nodesOf, nodesOver } from './judge-size.ts';
import { sizeOf } from './size-of.ts';

/** Kinds less likely than this are not what keeps a verdict open. */
const negligible = 0.001;

/** The algorithm of the profile that a kind decides as; undefined where it has none. */
export function promisedKind(kind: string): keyof typeof kindsOf | undefined {
  const names = Object.keys(kindsOf) as (keyof typeof kindsOf)[];
  return names.find((name) => kindsOf[name].includes(kind));
}

/** The limiter that was found out, against what the profile promises: its kind, its limit and its window. */
export function judgeKind(findings: LimiterFindings, profile: Profile): CheckResult[] {
  const possible = findings.inference.survivors.filter(({ confidence }) => confidence >= negligible);
  const { rate_limit } = profile;
  const sizes = [
    judgeSize('limit', findings, possible, rate_limit),
    judgeSize('window', findings, possible, rate_limit),
  ];
  return [
    judgeAlgorithm(findings, possible, profile),
    ...(sizes.every(({ verdict }) => verdict === 'fail')
      ? sizes.map((size) => ({ ...size, causes: otherRate(possible, rate_limit) ?? size.causes ?? [] }))
      : sizes),
  ];
}

/** Limit and window together: another rate than the promised one, or the same in other parts. */
function otherRate([best]: readonly Survivor[], promised: Profile['rate_limit']): Suspect[] | undefined {
  const { limit, windowMs } = best ?? {};
  if (best === undefined || limit == null || windowMs == null) return undefined;
  if (nodesOf(best, promised) !== undefined) return undefined;
  const { requests, windowMs: promisedMs } = promised;
  return [shown('rate-differs', { limit, windowMs: Math.round(windowMs), promised: requests, promisedMs })];
}

function judgeAlgorithm(
  { asPromised, inference, refusalStatus, keysDiffer, traces }: LimiterFindings,
  possible: readonly Survivor[],
  { limiter, rate_limit }: Profile,
): CheckResult {
  const promised = limiter === 'unspecified' ? undefined : limiter;
  const head = {
    id: 'rate-limit.algorithm',
    title: 'The limiter is of the promised kind',
    expected: promised ?? 'any limiter of requests per time',
    observed: {
      requests: inference.requests,
      'still possible': Object.fromEntries(possible.map((each) => [each.name, percent(each.confidence)])),
      refuted: inference.refuted.length,
    },
    data: { possible: possible.map(({ name }) => name) },
    evidence: inference.refuted
      .filter(({ evidence: seqs }) => seqs.length > 0)
      .map(({ algorithm, because, evidence: seqs }) => evidence(`${algorithm}: ${because}`, seqs)),
  } as const;
  const say = (verdict: Verdict, explanation: string, causes: readonly Suspect[] = []): CheckResult => ({
    ...head,
    verdict,
    causes,
    explanation: `${explanation}${keysDiffer ? ' (The keys have different limits; this is that of load.)' : ''}`,
  });
  /** A fail, unless the promised limiter may have given the same answers. */
  const sayBroken = (explanation: string, causes: readonly Suspect[]): CheckResult =>
    asPromised === undefined
      ? say('fail', explanation, causes)
      : say('inconclusive', `${explanation} ${excusedBy(asPromised)}`);
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
      `Past ${pace(perTime)} requests are not refused: they wait in a queue that goes on at ${best.refillPerS === null ? '?' : number(best.refillPerS)} a second. Exceeding the limit should give 429.`,
      [
        shown(
          'requests-queued',
          { ...(best.refillPerS === null ? {} : { perSecond: best.refillPerS }) },
          slowest(traces),
        ),
      ],
    );
  }
  if (possible.every(({ algorithm }) => algorithm === 'none')) {
    return say(
      isOver ? 'fail' : 'inconclusive',
      `${isOver ? '' : 'The promised limit was never surely passed. '}No limit was found: ${counted(inference.admitted, 'request')} of the probes ${verb(inference.admitted, 'was', 'were')} admitted and none was refused.`,
      [
        shown('limit-not-enforced', {
          admitted: Math.max(
            ...traces.map((trace) => trailingMost(trace, 'admitted', perTime.windowNs).atLeast),
          ),
          limit: rate_limit.requests,
          windowMs: rate_limit.windowMs,
        }),
      ],
    );
  }
  if (possible.every(({ algorithm }) => algorithm === 'several-nodes')) {
    // Nothing is known of them but that they mix: that alone breaks no promise.
    const isMore = best.limit !== null && best.limit > nodesOver * rate_limit.requests;
    const judge = isMore ? sayBroken : (explanation: string) => say('inconclusive', explanation);
    return judge(
      `Admissions and refusals mix as if several nodes counted by themselves${isMore ? '' : ', or a limiter of a kind that is not known here'}: together they let ${best.limit === null ? 'more' : number(best.limit)} through, and ${pace(perTime)} are promised.`,
      [shown('counters-per-node', { nodes: Math.round((best.limit ?? 0) / rate_limit.requests) })],
    );
  }
  if (possible.every(({ algorithm }) => algorithm === 'concurrency')) {
    const explanation = `What is limited is the number of requests in work at once (about ${best.limit === null ? '?' : number(best.limit)}), not requests per time.`;
    // Under overload any service may answer 5xx.
    return refusalStatus === 429
      ? sayBroken(explanation, [
          shown('limits-concurrency', { ...(best.limit === null ? {} : { atOnce: best.limit }) }),
        ])
      : say('inconclusive', explanation);
  }
  const status = refusalStatus === 429 ? '' : ` It refuses with ${refusalStatus} in place of 429.`;
  if (promised !== undefined && !possible.some(({ algorithm }) => kindsOf[promised].includes(algorithm))) {
    return sayBroken(`A ${promised} is promised; it is a ${best.name}.${status}`, [
      whyOther(best, promised, rate_limit, refuting(inference, promised)),
    ]);
  }
  if (refusalStatus !== 429) {
    const isSure = best.confidence >= certain && contains(best.limitBounds, rate_limit.requests, 'limit');
    return say(isSure ? 'fail' : 'inconclusive', `It looks like a ${best.name}.${status}`, [
      shown('rejection-status-wrong', { status: refusalStatus, refused: inference.limited }),
    ]);
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
    `It is a ${best.name} of ${sizeOf(best)}: it explains ${counted(inference.requests, 'request')} of the keys, every one, and ${counted(inference.refuted.length, 'other kind')} ${verb(inference.refuted.length, 'is', 'are')} refuted.`,
  );
}

/** What a limiter of another kind than the promised one suggests. */
function whyOther(
  best: Survivor,
  promised: string,
  rate: Profile['rate_limit'],
  seqs: readonly number[],
): Suspect {
  const nodes = nodesOf(best, rate);
  if (nodes !== undefined) return fits('counters-per-node', { nodes }, seqs);
  return best.rejectsCount === true
    ? shown('window-extended-by-rejections', { windowMs: rate.windowMs }, seqs)
    : shown('algorithm-differs', { found: best.name, promised }, seqs);
}

/** Answers that the promised algorithm cannot have given. */
function refuting({ refuted }: LimiterInference, promised: keyof typeof kindsOf): readonly number[] {
  return refuted.find(({ algorithm }) => kindsOf[promised].includes(algorithm))?.evidence ?? [];
}

/** The answers that were waited for longest. */
function slowest(traces: readonly Trace[]): number[] {
  const took = traces.flatMap(({ answeredNs, sentNs, seq }) =>
    Array.from(seq, (each, i) => ({ seq: each, ns: (answeredNs[i] as number) - (sentNs[i] as number) })),
  );
  return took
    .toSorted((a, b) => b.ns - a.ns)
    .slice(0, 4)
    .map(({ seq }) => seq);
}

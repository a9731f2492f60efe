import { percent } from '../../../amounts.ts';
import { trailingMost } from '../../../limits/counts.ts';
import type { LimiterInference, Survivor } from '../../../limits/inference.ts';
import type { Algorithm } from '../../../limits/kinds/kind.ts';
import { algorithmOf } from '../../../limits/kinds/table.ts';
import { nameOfKind } from '../../../limits/outside/table.ts';
import { mostUnanswered } from '../../../limits/probes.ts';
import type { Trace } from '../../../limits/trace.ts';
import { admissionsNeedOver } from '../../../limits/window-search.ts';
import type { Profile } from '../../../target/profile.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { type CheckFinding, evidence, type Verdict } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { kindText } from '../../reasons/words/limits.ts';
import { besidePromised, contains, sizeOf } from './as-promised.ts';
import type { LimiterFindings } from './findings.ts';
import { admitsInPromised, admitsLikeNodes, certain, judgeSize, nodesOf } from './judge-size.ts';

/** Kinds less likely than this are not what keeps a verdict open. */
const negligible = 0.001;

/** The limiter that was found against what the profile promises: its kind, its limit and its window. */
export function judgeKind(findings: LimiterFindings, profile: Profile): CheckFinding[] {
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

/** A queue that serves this many times the promised rate keeps to no limit: a burst waits for a service that works as fast as it can. */
const fastQueue = 3;

function judgeAlgorithm(
  { asPromised, inference, mostAsked, refusalStatus, keysDiffer, traces }: LimiterFindings,
  possible: readonly Survivor[],
  { limiter, rate_limit }: Profile,
): CheckFinding {
  const promised = limiter === 'unspecified' ? undefined : limiter;
  const head = {
    id: 'rate-limit.algorithm',
    ...(promised !== undefined && { expected: kindText(promised) }),
    observed: {
      requests: inference.requests,
      'still possible': Object.fromEntries(possible.map((each) => [each.name, percent(each.confidence)])),
      refuted: inference.refuted.length,
    },
    data: { possible: possible.map(({ name }) => name) },
    evidence: inference.refuted
      .filter(({ evidence: seqs }) => seqs.length > 0)
      .map(({ algorithm, because, evidence: seqs }) =>
        evidence(`${nameOfKind(algorithm)}: ${because}`, seqs),
      ),
  } as const;
  const say = (
    verdict: Verdict,
    reasons: readonly Reason[],
    causes: readonly Suspect[] = [],
  ): CheckFinding => ({
    ...head,
    verdict,
    causes,
    reasons: [...reasons, ...(keysDiffer ? [reason('study-keys-differ')] : [])],
  });
  /** A fail, unless the promised limiter may have given the same answers. */
  const sayBroken = (reasons: readonly Reason[], causes: readonly Suspect[]): CheckFinding =>
    asPromised === undefined
      ? say('fail', reasons, causes)
      : say('inconclusive', [...reasons, reason('study-also-as-promised', asPromised)]);
  const [best] = possible;
  const { requests, windowMs } = rate_limit;
  const rate = { requests, windowMs };
  const perTime = { requests, windowNs: windowMs * 1e6 };
  const isEvery = (kind: string): boolean => possible.every(({ algorithm }) => algorithm === kind);
  if (best === undefined) return say('inconclusive', [reason('algorithm-unknown')]);
  // A bucket that explains the rejections and the waits admits what a token bucket admits; only its answers are late.
  const isFullQueue = best.limit !== null && promised === undefined;
  if (isEvery('queueing') && inference.limited > 0 && !isFullQueue) {
    return say('inconclusive', [reason('algorithm-queue-rejects')]);
  }
  const perSecond = best.refillPerS;
  const isAsFastAsItCan = perSecond !== null && perSecond > (fastQueue * 1e3 * requests) / windowMs;
  if (isEvery('queueing') && inference.limited === 0 && !isAsFastAsItCan) {
    // Fewer than the limit need no limiter to wait: so do answers of any target, or machine, that is busy.
    const isOver = inference.admitted > requests;
    return say(
      isOver ? 'fail' : 'inconclusive',
      [reason('algorithm-queue', { ...rate, perSecond })],
      isOver ? [shown('requests-queued', perSecond === null ? {} : { perSecond }, slowest(traces))] : [],
    );
  }
  if (isEvery('none') || (isEvery('queueing') && inference.limited === 0)) {
    const isOver = traces.some((trace) => admissionsNeedOver(trace, perTime) !== undefined);
    const { admitted } = inference;
    return say(
      isOver ? 'fail' : 'inconclusive',
      [reason('algorithm-none', { ...rate, admitted, atOnce: mostUnanswered(traces), isOver })],
      [
        shown('limit-not-enforced', {
          admitted: Math.max(
            ...traces.map((trace) => trailingMost(trace, 'admitted', perTime.windowNs).atLeast),
          ),
          limit: requests,
          windowMs,
          ...(mostAsked !== undefined && { endpoint: mostAsked }),
        }),
      ],
    );
  }
  if (isEvery('several-nodes')) {
    // That answers of several nodes mix breaks no promise; more than one limit does.
    const isMore = admitsLikeNodes(best, rate_limit);
    const admits = admitsInPromised(best, rate_limit);
    const reasons = [
      reason('algorithm-nodes', { ...rate, admits: admits === null ? null : Math.round(admits), isMore }),
    ];
    return isMore
      ? sayBroken(reasons, [fits('counters-per-node', { nodes: Math.round((best.limit ?? 0) / requests) })])
      : say('inconclusive', reasons);
  }
  if (isEvery('concurrency')) {
    const reasons = [reason('algorithm-concurrency', { atOnce: best.limit })];
    // Under overload any service may answer 5xx.
    return refusalStatus === 429
      ? sayBroken(reasons, [shown('limits-concurrency', best.limit === null ? {} : { atOnce: best.limit })])
      : say('inconclusive', reasons);
  }
  if (promised !== undefined && !possible.some(({ algorithm }) => algorithmOf(algorithm) === promised)) {
    return sayBroken(
      [
        reason('algorithm-differs', { promised, name: best.name }),
        ...(refusalStatus === 429 ? [] : [reason('algorithm-rejection-status', { status: refusalStatus })]),
      ],
      [whyOther(best, promised, rate_limit, refuting(inference, promised))],
    );
  }
  if (refusalStatus !== 429) {
    const isSure = best.confidence >= certain && contains(best.limitBounds, requests, 'limit');
    return say(
      isSure ? 'fail' : 'inconclusive',
      [reason('algorithm-status', { name: best.name, status: refusalStatus })],
      [shown('rejection-status-wrong', { status: refusalStatus, refused: inference.limited })],
    );
  }
  if (best.confidence < certain) {
    return say('inconclusive', [reason('algorithm-undecided', { names: possible.map(({ name }) => name) })]);
  }
  return say('pass', [
    reason('algorithm-found', {
      name: best.name,
      ...sizeOf(best),
      requests: inference.requests,
      refuted: inference.refuted.length,
    }),
  ]);
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
  const second = besidePromised(best, rate);
  if (second !== undefined) {
    const promise = { promised: rate.requests, promisedMs: rate.windowMs };
    return shown('second-limit', { ...second, ...promise }, seqs);
  }
  return best.rejectsCount === true
    ? shown('window-extended-by-rejections', { windowMs: rate.windowMs }, seqs)
    : shown('algorithm-differs', { found: best.name, promised }, seqs);
}

/** Answers that the promised algorithm cannot have given. */
function refuting({ refuted }: LimiterInference, promised: Algorithm): readonly number[] {
  return refuted.find(({ algorithm }) => algorithmOf(algorithm) === promised)?.evidence ?? [];
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

import type { History } from '../history/history.ts';
import { type SentRequests, without } from '../sent/columns.ts';
import { interactionsCount, type Profile } from '../target/profile.ts';
import { roles } from '../vocabulary/roles.ts';
import { fits, shown } from './causes/cause.ts';
import { clockStep } from './core/clock-step.ts';
import { type CheckFinding, evidence, type Verdict, withReasons } from './core/verdict.ts';
import { targetClock } from './rate-limit/headers/instants.ts';
import { judgeHeaders } from './rate-limit/headers/judge.ts';
import { judgeAdmitted } from './rate-limit/promise/admitted.ts';
import { referToStudy, withLikelyLimiter } from './rate-limit/promise/as-studied.ts';
import { orBySides, shownAfter } from './rate-limit/promise/by-clock.ts';
import { countedByConnection, orByConnection } from './rate-limit/promise/by-connection.ts';
import { costsIn, type EndpointCost } from './rate-limit/promise/costs.ts';
import { judgeEnforced } from './rate-limit/promise/enforced.ts';
import { judgeIsolation } from './rate-limit/promise/isolation.ts';
import { withOtherLimiter } from './rate-limit/promise/other-limiter.ts';
import { allowForOthers, countsOnlyOwn } from './rate-limit/promise/others.ts';
import { judgeRecovery } from './rate-limit/promise/recovery.ts';
import { judgeRejections } from './rate-limit/promise/rejections.ts';
import { besideSecondLimit, mayBeOfTwoLimits, ofTwoLimits } from './rate-limit/promise/second-limit.ts';
import { namingUnjudged, setAside, startsUnused, withSetAside } from './rate-limit/promise/set-aside.ts';
import { type SomeEndpoints, someEndpointsLimited } from './rate-limit/promise/some-endpoints.ts';
import { whatIf, withWhatIf } from './rate-limit/promise/what-if.ts';
import { judgeWrongful } from './rate-limit/promise/wrongful.ts';
import { type LimiterFindings, limiterFindings } from './rate-limit/study/findings.ts';
import { checkLimiterStudy } from './rate-limit/study.ts';
import { sidesOf } from './rate-limit/traces/clock-sides.ts';
import {
  interactionReadings,
  interactionsKnownToCount,
  studiesLimits,
} from './rate-limit/traces/interactions.ts';
import { isPastLimit, type JudgedStream, judgeStream, meansToExceed } from './rate-limit/traces/judged.ts';
import { type TriedProbe, triedAtLimit } from './rate-limit/traces/scope.ts';
import { mostJudged, sentRequests } from './rate-limit/traces/sent.ts';
import { readings, type StreamsReading } from './rate-limit/traces/streams.ts';
import { type Reason, reason } from './reasons/reason.ts';

/**
 * Holds the target to the promised request rate. Where the interface is silent (whose the limit is, whether interactions
 * spend it, the algorithm) every reading that the profile leaves open is tried, and the target fails only when none of
 * them explains its answers.
 *
 * A run that did not mean to exceed the limit is judged on wrongful rejections, and on whatever else it happens to show.
 */
export async function checkRateLimit(history: History, most = mostJudged): Promise<CheckFinding[]> {
  const facts = await rateLimitFacts(history, most);
  const { past, results } = judgeRateLimit(facts);
  const suspect = await countedByConnection(history, past);
  const judged = suspect === undefined ? results : results.map((result) => orByConnection(result, suspect));
  const step = judged.some(({ verdict }) => verdict === 'fail') ? await clockStep(history) : undefined;
  if (step === undefined) return [...judged];
  const { before, after } = sidesOf(facts.sent, step, facts.profile);
  // A study of all requests is none of one side.
  const study = facts.study?.step === undefined ? undefined : facts.study;
  const apart = { ...facts, study, studied: [] };
  const later = { ...apart, sent: after, profile: { ...facts.profile, exclusive_keys: false } };
  const sides = {
    before: { requests: before.length, results: judgeRateLimit({ ...apart, sent: before }).results },
    after: { requests: after.length, results: shownAfter(judgeAllowing(later), step, later) },
  };
  return judged.map((result) => orBySides(result, step, sides));
}

/** What the check reads from the history; all else follows from it. Plain data. */
interface RateLimitFacts extends Pick<History, 'run' | 'profile'> {
  readonly sent: SentRequests;
  /** How many requests are not among them. */
  readonly left: number;
  readonly tried: readonly TriedProbe[];
  /** What a study of the limiter found, and its checks. */
  readonly study: LimiterFindings | undefined;
  readonly studied: readonly CheckFinding[];
  /** Nothing but this run's own requests, each once, can have spent a limit. */
  readonly isAlone: boolean;
}

async function rateLimitFacts(history: History, most = mostJudged): Promise<RateLimitFacts> {
  const { profile, run } = history;
  return {
    ...(await sentRequests(history, most)),
    tried: studiesLimits(history) ? await triedAtLimit(history, 429) : [],
    study: await limiterFindings(history),
    studied: await checkLimiterStudy(history),
    isAlone: profile.exclusive_keys && profile.redeliveries === 0,
    run,
    profile,
  };
}

interface Judged {
  readonly results: readonly CheckFinding[];
  /** What went past the limit. */
  readonly past: readonly JudgedStream[];
  readonly streams: readonly JudgedStream[];
}

/**
 * Where the profile promises no kind of limiter, nothing rules a second limit out: what the promised one cannot have rejected
 * is then judged without the rejections of the other, if that explains everything.
 */
function judgeRateLimit(facts: RateLimitFacts): Judged {
  const asTold = judgeUsed(facts);
  const isOpen = facts.study === undefined && facts.profile.limiter === 'unspecified';
  if (!isOpen || !mayBeOfTwoLimits(asTold.results)) return asTold;
  const beside = besideSecondLimit(judgeAllowing(withoutOtherUse(facts)).streams);
  if (beside === undefined) return asTold;
  const judged = judgeUsed({ ...facts, sent: without(facts.sent, (row) => beside.rejected.has(row)) });
  const results = ofTwoLimits(asTold.results, judged.results, beside);
  return results === undefined ? asTold : { ...judged, results };
}

function withoutOtherUse(facts: RateLimitFacts): RateLimitFacts {
  return { ...facts, profile: { ...facts.profile, exclusive_keys: true } };
}

/** Judges what use of the keys before the run cannot explain, and where that leaves rejections out, what it is without such use. */
function judgeUsed(facts: RateLimitFacts): Judged {
  const judged = judgeAllowing(facts);
  const aside = setAside(judged.streams);
  if (aside.length === 0) return judged;
  const unused = judgeAllowing(withoutOtherUse(facts));
  return aside.every(startsUnused)
    ? unused
    : { ...judged, results: withSetAside(judged.results, unused.results, judged.streams, facts) };
}

function judgeAllowing(facts: RateLimitFacts): Judged {
  const { isAlone, left, profile, run, sent, studied, study, tried } = facts;
  const counting = interactionReadings(interactionsKnownToCount(profile.channel, tried), sent);
  const judged = firstAcceptable(readings(sent, facts, counting), facts);
  const { streams } = judged;
  const past = streams.filter(isPastLimit);
  const meant = meansToExceed(roles, facts);
  const beyond =
    meant || past.length > 0
      ? [
          judgeEnforced(past),
          judgeAdmitted(past),
          judgeRecovery(past),
          judgeRejections(sent, {
            windowNs: profile.rate_limit.windowMs * 1e6,
            clock: targetClock(sent, run.zero_epoch_ms, profile.clock_skew_bound),
            isShortest: profile.retry_after === 'shortest',
          }),
        ]
      : [];
  const accepted = judged.isAcceptable ? judged.reading : undefined;
  beyond.push(
    judgeIsolation(sent, accepted, profile, study),
    ...judgeHeaders(sent, { ...judged, study }, facts),
  );
  // What the run did not set out to learn need not be answered.
  const results = [
    namingUnjudged(judgeWrongful(streams), sent, streams),
    ...beyond.filter((result) => meant || result.verdict !== 'inconclusive'),
  ];
  const explained = judged.isAcceptable ? undefined : whatIf(sent, facts, counting);
  const all = [
    ...results
      .map((result) => withConvention(withWhatIf(result, explained), judged, profile))
      .map((result) => (study === undefined ? withOtherLimiter(result, past, facts) : result))
      .map((result) => withLikelyLimiter(referToStudy(result, studied), { studied, study }, profile))
      .map((result) => ofTheFirst(result, sent.length, left)),
    ...studied,
  ];
  if (isAlone) return { past, streams, results: all };
  const costs = profile.redeliveries === 0 ? streams.flatMap(costsIn) : [];
  const allowed = allowForOthers(all, streams, profile, costs);
  if (costs.length > 0) return { past, streams, results: allowed.map((result) => orCosts(result, costs)) };
  const [some] = streams.flatMap(({ stream }) => someEndpointsLimited(stream) ?? []);
  if (some !== undefined)
    return { past, streams, results: allowed.map((result) => orSomeEndpoints(result, some)) };
  return { past, streams, results: countsOnlyOwn(all) ? allowed : allowed.map(orOtherUsers) };
}

/** Causes that take all requests of a key to have one limit. */
const ofOneLimit: ReadonlySet<string> = new Set([
  'refused-below-limit',
  'admits-over-limit',
  'limit-differs',
]);

/** Rejections of some endpoints alone are no others' use of the key: the others would be rejected as well. */
function orSomeEndpoints(result: CheckFinding, { seqs, ...some }: SomeEndpoints): CheckFinding {
  const { causes = [], verdict } = result;
  const isOfOneLimit = causes.some(({ cause }) => ofOneLimit.has(cause.code));
  return verdict !== 'fail' || !isOfOneLimit
    ? result
    : { ...result, causes: [...causes, shown('some-endpoints-limited', some, seqs)] };
}

/**
 * Where others can reach the target, they may use the key: only that explains rejections that no limiter gives, and it may
 * explain why there seems to be less room than promised.
 */
function orOtherUsers(result: CheckFinding): CheckFinding {
  const { causes = [], verdict } = result;
  const below = causes.find(
    ({ cause }) =>
      cause.code === 'refused-below-limit' ||
      (cause.code === 'limit-differs' &&
        (cause.params.most ?? Number.POSITIVE_INFINITY) < cause.params.promised),
  );
  if (verdict !== 'fail' || below === undefined) return result;
  return { ...result, causes: [...causes, fits('other-users-of-key', {}, below.seqs)] };
}

/** Requests that count several times, which explains that there is less room than promised. */
function orCosts(result: CheckFinding, costs: readonly EndpointCost[]): CheckFinding {
  const { causes = [], id, verdict } = result;
  const isBelow = verdict === 'fail' && causes.some(({ cause }) => cause.code === 'refused-below-limit');
  if (id !== 'rate-limit.headers-remaining' && !isBelow) return result;
  const endpoints = [...new Set(costs.map(({ endpoint }) => endpoint))];
  const places = Math.max(...costs.map((each) => each.places));
  const seqs = costs.flatMap((each) => each.seqs);
  const told = {
    ...result,
    verdict: 'fail' as const,
    causes: [shown('requests-count-more', { endpoints, places }, seqs)],
  };
  return isBelow
    ? told
    : {
        ...told,
        reasons: [reason('headers-requests-count-more', { endpoints, places, requests: seqs.length })],
        evidence: [evidence('fall by more than one', seqs)],
      };
}

/** What the first requests of a run show holds for them alone, unless it is a fault. */
function ofTheFirst(result: CheckFinding, judged: number, left: number): CheckFinding {
  if (left === 0) return result;
  const verdict = result.verdict === 'pass' ? 'inconclusive' : result.verdict;
  return withReasons({ ...result, verdict }, reason('only-first-judged', { judged, left }));
}

interface JudgedReading {
  readonly reading: StreamsReading;
  readonly streams: readonly JudgedStream[];
  /** By this reading the target breaks no promise. */
  readonly isAcceptable: boolean;
}

/**
 * The first reading by which the target breaks no promise; if there is none, the likeliest. A less likely reading has to explain
 * the rejections outright: that it merely leaves them in doubt is no reason to drop the likeliest.
 */
function firstAcceptable(
  all: Iterable<StreamsReading>,
  history: Pick<History, 'run' | 'profile'>,
): JudgedReading {
  let likeliest: JudgedReading | undefined;
  for (const reading of all) {
    const streams = reading.streams.map((stream) => judgeStream(stream, history));
    const isFallback = likeliest !== undefined;
    const enforced = verdictPastLimit(streams);
    const isAcceptable =
      judgeWrongful(streams).verdict !== 'fail' && (isFallback ? enforced === 'pass' : enforced !== 'fail');
    const judged = { reading, streams, isAcceptable };
    if (isAcceptable) return judged;
    likeliest ??= judged;
  }
  if (likeliest === undefined) throw new Error('a profile leaves at least one reading open');
  return likeliest;
}

function verdictPastLimit(streams: readonly JudgedStream[]): Verdict | undefined {
  const past = streams.filter(isPastLimit);
  return past.length === 0 ? undefined : judgeEnforced(past).verdict;
}

/** Says so where the verdict rests on a convention that was found out and not promised. */
function withConvention(
  result: CheckFinding,
  { reading, isAcceptable }: JudgedReading,
  { channel, limit_endpoints, limit_scope }: Profile,
): CheckFinding {
  const isOpen = interactionsCount(channel) === 'discover';
  const conventions: readonly Reason[] = [
    ...(reading.endpoints === limit_endpoints || reading.endpoints === 'together'
      ? []
      : [reason('found-endpoints-apart')]),
    ...(reading.scope === limit_scope || reading.scope === 'per-key' ? [] : [reason('found-keys-share')]),
    ...(reading.interactionsCount && isOpen ? [reason('found-interactions-count')] : []),
  ];
  return isAcceptable ? withReasons(result, ...conventions) : result;
}

import type { History } from '../history/history.ts';
import type { SentRequests } from '../limits/sent/columns.ts';
import { traceOfRows } from '../limits/sent/traces.ts';
import { interactionsCount, type Profile } from '../target/profile.ts';
import type { CheckId } from '../vocabulary/check-ids.ts';
import { roles } from '../vocabulary/roles.ts';
import { clockStep } from './core/moved-clock.ts';
import { type CheckFinding, withReasons } from './core/verdict.ts';
import { judgeHeaders } from './rate-limit/headers/judge.ts';
import { judgePromise } from './rate-limit/promise/checks.ts';
import { clockWasSet, shownAfter } from './rate-limit/promise/clock-set.ts';
import {
  type Assumption,
  asStudied,
  type Circumstances,
  type ExplainedStream,
  explained,
  type RequestsOfLimit,
} from './rate-limit/promise/explanation.ts';
import { judgeIsolation } from './rate-limit/promise/isolation.ts';
import { conventionOtherwise, otherCounting } from './rate-limit/promise/other-counting.ts';
import { otherLimiters } from './rate-limit/promise/other-limiters.ts';
import { allowForOthers, countsOnlyOwn, orOtherUsers, unlessSetAside } from './rate-limit/promise/others.ts';
import { countedByConnection, portsOf } from './rate-limit/promise/parts-of-keys.ts';
import { anotherLimitBeside, excusedBy } from './rate-limit/promise/second-limit.ts';
import { namingUnjudged, usedBefore, usedMeanwhile } from './rate-limit/promise/set-aside.ts';
import { limiterFindings } from './rate-limit/study/findings.ts';
import { checkLimiterStudy } from './rate-limit/study.ts';
import { isPastLimit, type JudgedStream, judgeStream, meansToExceed } from './rate-limit/traces/judged.ts';
import { type TriedProbe, triedAtLimit } from './rate-limit/traces/scope.ts';
import { mostJudged, sentRequests } from './rate-limit/traces/sent.ts';
import {
  interactionReadings,
  interactionsKnownToCount,
  readings,
  type StreamsReading,
  sidesOf,
  studiesLimits,
} from './rate-limit/traces/streams.ts';
import { type Reason, reason } from './reasons/reason.ts';

/** Every assumption under which the answers are judged again where no limiter as promised explains them. */
export const assumptions: readonly Assumption[] = [
  usedBefore,
  asStudied,
  ...otherCounting,
  ...otherLimiters,
  usedMeanwhile,
  anotherLimitBeside,
  countedByConnection,
];

/**
 * Holds the target to the promised request rate. Where the interface is silent (whose the limit is, whether interactions
 * spend it, the algorithm) every reading that the profile leaves open is tried. Where none explains the answers, they are judged
 * again under each assumption: the cheapest that explains them is the cause; and what others than the target may have brought
 * about is set aside.
 *
 * A run that did not mean to exceed the limit is judged on wrongful rejections, and on whatever else it happens to show.
 */
export async function checkRateLimit(history: History, most = mostJudged): Promise<CheckFinding[]> {
  const { profile, run } = history;
  const { left, sent } = await sentRequests(history, most);
  const facts: RateLimitFacts = {
    sent,
    left,
    tried: studiesLimits(history) ? await triedAtLimit(history, 429) : [],
    study: await limiterFindings(history),
    studied: await checkLimiterStudy(history),
    ports: await portsOf(history, sent),
    run,
    profile,
  };
  const judged = judgeFacts(facts);
  const step = judged.results.some(({ verdict }) => verdict === 'fail')
    ? await clockStep(history)
    : undefined;
  if (step === undefined) return judged.results;
  const { before, after } = sidesOf(facts.sent, step, profile);
  // A study of all requests is none of one side.
  const study = facts.study?.step === undefined ? undefined : facts.study;
  const apart = { ...facts, study, studied: [] };
  const later = { ...apart, sent: after, profile: { ...profile, exclusive_keys: false } };
  const excuse = clockWasSet(judged.results, step, {
    before: { requests: before.length, results: judgeFacts({ ...apart, sent: before }).results },
    after: { requests: after.length, results: shownAfter(judgeFacts(later), step, later) },
  });
  return judged.results.map((result) => unlessSetAside(result, excuse));
}

/** What the check reads from the history; all else follows from it. Plain data. */
interface RateLimitFacts extends Pick<Circumstances, 'run' | 'profile' | 'study' | 'studied' | 'ports'> {
  readonly sent: SentRequests;
  /** How many requests are not among them. */
  readonly left: number;
  readonly tried: readonly TriedProbe[];
}

interface Judged {
  readonly results: CheckFinding[];
  readonly streams: readonly ExplainedStream[];
}

function judgeFacts(facts: RateLimitFacts): Judged {
  const { left, profile, sent, studied, study, tried } = facts;
  const counting = interactionReadings(interactionsKnownToCount(profile.channel, tried), sent);
  const alone = { ...facts, profile: { ...profile, exclusive_keys: true } };
  const reading = firstAcceptable(readings(sent, alone, counting), alone);
  const { isAcceptable } = reading;
  let otherConvention: { readonly found: ReturnType<typeof conventionOtherwise> } | undefined;
  const meant = meansToExceed(roles, facts);
  const isBeyond = meant || reading.streams.some(isPastLimit);
  const headers = judgeHeaders(sent, { ...reading, study, isBeyond }, facts);
  const around: Circumstances = {
    ...facts,
    allKeys: () => allKeysOf(reading.reading),
    countsOnlyOwn: () => countsOnlyOwn(headers),
    otherConvention() {
      if (isAcceptable) return undefined;
      otherConvention ??= { found: conventionOtherwise(sent, alone, counting) };
      return otherConvention.found;
    },
  };
  const each = reading.streams.map((judged) => explained(assumptions, judged, around));
  const beside = each.find(({ excuse }) => excuse?.second !== undefined)?.excuse;
  const ofAll = beside?.second?.isOfAllKeys === true ? beside.second : undefined;
  // A limit of all keys rejects what any of them sends.
  const streams = each.map((judged) =>
    ofAll === undefined ? judged : { ...judged, excuse: judged.excuse ?? excusedBy(ofAll, judged, facts) },
  );
  const checks = ofAll === undefined ? ofEitherLimit.ofKey : ofEitherLimit.all;
  const [wrongful, ...beyond] = [
    ...judgePromise(streams, isBeyond ? streams.filter(isPastLimit) : undefined),
    judgeIsolation(sent, isAcceptable ? reading.reading : undefined, profile, study),
    ...headers,
  ].map((result) =>
    beside === undefined ? result : unlessSetAside(result, { checks, reasons: beside.reasons }),
  ) as [CheckFinding, ...CheckFinding[]];
  // What the run did not set out to learn need not be answered.
  const told = [wrongful, ...beyond.filter((result) => meant || result.verdict !== 'inconclusive')];
  const results = [
    ...told
      .map((result) => namingUnjudged(result, sent, streams))
      .map((result) => withConvention(result, reading, profile))
      .map((result) => ofTheFirst(result, sent.length, left)),
    ...studied,
  ];
  // Nothing but this run's own requests, each once, can have spent a limit.
  if (profile.exclusive_keys && profile.redeliveries === 0) return { streams, results };
  const isByEndpoint = streams.some(({ explanation }) =>
    explanation?.causes.some(
      ({ cause: { code } }) => code === 'some-endpoints-limited' || code === 'requests-count-more',
    ),
  );
  const allowed = allowForOthers(results, streams, profile, isByEndpoint);
  return { streams, results: isByEndpoint ? allowed : orOtherUsers(allowed) };
}

/** What another limit beside the promised one may make fail: what headers say may be about either. */
const ofKey = ['rate-limit.retry-after', 'rate-limit.headers-remaining', 'rate-limit.headers-reset'] as const;
const ofEitherLimit: Readonly<Record<'ofKey' | 'all', ReadonlySet<CheckId>>> = {
  ofKey: new Set(ofKey),
  all: new Set([...ofKey, 'rate-limit.isolation']),
};

/** As they were sent: a limit of a second is too short for a clock that may have stood still. */
function allKeysOf({ endpoints, scope, streams }: StreamsReading): RequestsOfLimit | undefined {
  const [first] = streams;
  if (first === undefined || scope === 'shared' || endpoints === 'apart' || streams.length < 2)
    return undefined;
  const rows = Int32Array.from(streams.flatMap((each) => Array.from(each.rows))).sort();
  return { rows, trace: traceOfRows(first.sent, rows, first.charge, first.options) };
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
    const past = streams.filter(isPastLimit);
    const [wrongful, enforced] = judgePromise(streams, past.length === 0 ? undefined : past);
    const isFallback = likeliest !== undefined;
    const isEnforced = isFallback ? enforced?.verdict === 'pass' : enforced?.verdict !== 'fail';
    const judged = { reading, streams, isAcceptable: wrongful?.verdict !== 'fail' && isEnforced };
    if (judged.isAcceptable) return judged;
    likeliest ??= judged;
  }
  if (likeliest === undefined) throw new Error('a profile leaves at least one reading open');
  return likeliest;
}

/** Says so where the verdict rests on a convention that was found out and not promised. */
function withConvention(
  result: CheckFinding,
  { reading, isAcceptable }: JudgedReading,
  { channel, limit_endpoints, limit_scope }: Profile,
): CheckFinding {
  const isOpen = interactionsCount(channel) === 'discover';
  const shared = reading.streams.find(({ roles: own }) => reading.scope !== 'shared' && own.length > 1);
  const conventions: readonly Reason[] = [
    ...(reading.endpoints === limit_endpoints || reading.endpoints === 'together'
      ? []
      : [reason('found-endpoints-apart')]),
    ...(reading.scope === limit_scope || reading.scope === 'per-key'
      ? []
      : [reason('found-keys-share', shared === undefined ? {} : { keys: shared.roles })]),
    ...(reading.interactionsCount && isOpen ? [reason('found-interactions-count')] : []),
  ];
  return isAcceptable ? withReasons(result, ...conventions) : result;
}

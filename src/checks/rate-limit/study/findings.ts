import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { oncePerHistory, sqlText } from '../../../history/tables.ts';
import { explainedByCounters } from '../../../limits/counting.ts';
import {
  isSettled,
  type LimiterInference,
  type LimiterJson,
  limiterJson,
} from '../../../limits/inference.ts';
import { promisable } from '../../../limits/kinds/table.ts';
import { type Drift, driftOf } from '../../../limits/not-constant.ts';
import { isWord, rowsWhere, type SentRequests } from '../../../limits/sent/columns.ts';
import {
  clockOffsetIn,
  refusalStatusIn,
  rejectedIn,
  type TraceOptions,
  traceOptions,
  tracesOf,
} from '../../../limits/sent/traces.ts';
import type { Span } from '../../../limits/span.ts';
import type { Trace } from '../../../limits/trace.ts';
import type { Profile } from '../../../target/profile.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { clockStep } from '../../core/moved-clock.ts';
import type { SteppedApart } from '../../reasons/words/clock.ts';
import { type OtherCounting, otherCountings, statesOtherLimit } from '../traces/countings.ts';
import { type ScopeJson, scopeJson, type TriedProbe, triedAtLimit } from '../traces/scope.ts';
import { mostJudged, sentRequests } from '../traces/sent.ts';
import {
  doubtNs,
  interactionReadings,
  interactionsKnownToCount,
  sidesOf,
  studiesLimits,
} from '../traces/streams.ts';
import { type AsPromised, halved, isAsPromised, kindsAsPromised } from './as-promised.ts';
import { firstExplained, isCounter, type ReadTraces } from './readings.ts';

/** What a study of the limiter found out: a function of the history alone. */
export interface LimiterFindings {
  /** Confidences are halved where `asPromised` is. */
  readonly inference: LimiterInference;
  /** Where the likeliest limiter is not the promised one: the promised one that also explains every answer. */
  readonly asPromised: AsPromised | undefined;
  /** There, the ids of all kinds of exactly the promised limit and window that explain every answer, and not by chance. */
  readonly kindsAsPromised?: readonly string[] | undefined;
  readonly traces: readonly Trace[];
  /** Requests with the run's keys that were rejected, whether or not they bound the limit. */
  readonly rejected: number;
  readonly tried: readonly TriedProbe[];
  readonly scope: ScopeJson;
  /** The endpoint to which nearly all requests of the load key went: of others little is known. */
  readonly mostAsked?: string;
  /** 429, unless rejections came with another status and none with 429. */
  readonly refusalStatus: number;
  /** Keys with limits of their own seem to have different ones: each was studied, and only `load`'s is reported. */
  readonly keysDiffer: boolean;
  /** How the limit changes, where no constant one explains every answer. */
  readonly drift: Drift | undefined;
  /** A limiter as promised explains the answers if it counts otherwise than one place of the key's limit for each request. */
  readonly counting?: OtherCounting;
  /** Where the requests before and after a step of the target's clock were taken apart, since together they show no limit. */
  readonly step?: SteppedApart;
  /** Where tryon sent too many of these requests late, and what they show is not the promised limiter. */
  readonly late?: StudyLag;
}

/** 1 % of the requests were sent later than this; more than `boundMs` is too late. */
export interface StudyLag {
  readonly lagMs: number;
  readonly boundMs: number;
}

/** As `verdicts.json` carries it under `limiter`. */
export type LimiterFindingsJson = LimiterJson & { readonly scope: ScopeJson };

export function findingsJson({ inference, scope }: LimiterFindings): LimiterFindingsJson {
  return { ...limiterJson(inference), scope };
}

/** Checks and the report ask for the same, and it takes seconds to compute. */
const found = oncePerHistory(findOut);

/** The findings of a run that studied the limiter; undefined for any other. */
export function limiterFindings(history: History): Promise<LimiterFindings> | undefined {
  return studiesLimits(history) ? found(history) : undefined;
}

const floodRow = z.object({ total: z.number(), refused: z.number() });

/** A program that is later than this delays answers itself: they look like those of a queue, whatever lag is allowed. Ours. */
const mostLagOfQueueMs = 100;

async function findOut(history: History): Promise<LimiterFindings> {
  const found = await whatTheAnswersShow(history);
  if (isPromised(found, history.profile)) return found;
  const { send_lag_bound: allowedMs } = history.profile;
  const isQueue = found.inference.survivors[0]?.algorithm === 'queueing';
  const late = await lagOf(history, isQueue ? Math.min(allowedMs, mostLagOfQueueMs) : allowedMs);
  return late === undefined ? found : { ...found, late };
}

function isPromised({ inference }: LimiterFindings, profile: Profile): boolean {
  const [best] = inference.survivors;
  return best !== undefined && isSettled(inference) && isAsPromised(best, profile);
}

/** Undefined where tryon was in time. Answers to requests that are late together look like those of other limiters. */
async function lagOf(history: History, boundMs: number): Promise<StudyLag | undefined> {
  const [row] = await history.rows(
    z.object({ lag_ns: z.number().nullable() }),
    `SELECT CAST(quantile_disc(sent_ns - intended_ns, 0.99) AS DOUBLE) AS lag_ns FROM requests
     WHERE stage = 'study' AND phase LIKE 'limits:%' AND sent_ns IS NOT NULL`,
  );
  const lagMs = Math.round((row?.lag_ns ?? 0) / 1e5) / 10;
  return lagMs > boundMs ? { lagMs, boundMs } : undefined;
}

async function whatTheAnswersShow(history: History): Promise<LimiterFindings> {
  const { sent } = await sentRequests(history, mostJudged);
  const refusalStatus = refusalStatusIn(sent);
  const tried = await triedAtLimit(history, refusalStatus);
  const common = {
    rejected: rejectedIn(sent, refusalStatus),
    tried,
    scope: scopeJson(tried, await isFloodRefused(history, refusalStatus)),
    refusalStatus,
    ...mostAskedIn(sent),
  };
  const options = traceOptions(history, refusalStatus);
  const { limit_scope, limiter, rate_limit } = history.profile;
  const promised = { requests: rate_limit.requests, windowNs: rate_limit.windowMs * 1e6 };
  const kinds = promisable(limiter === 'unspecified' ? undefined : limiter);
  const doCount = interactionsKnownToCount(history.profile.channel, tried);
  const foundIn = (parts: readonly TracedPart[], clockOffset: Span | undefined): LimiterFindings => {
    const readings = interactionReadings(doCount, sent).map(
      (interactionsCount): ReadTraces =>
        (sharers) =>
          parts.flatMap((part) =>
            tracesOf(part.sent, { interactionsCount, ...sharers }, { ...options, ...part }),
          ),
    );
    const hints = { clockOffset, promised };
    const found = firstExplained(readings, tried, hints, limit_scope !== 'per-key');
    const { inference, traces, keysDiffer } = found;
    const isExplained = inference.survivors.some(isCounter) && !keysDiffer;
    const possible = kindsAsPromised(inference, traces, history.profile);
    const also = possible?.find((each) => kinds.includes(each));
    const { requests, windowMs } = rate_limit;
    const asPromised = also && { name: also.name, requests, windowMs };
    return {
      ...common,
      inference: asPromised === undefined ? inference : halved(inference),
      asPromised,
      ...(possible && { kindsAsPromised: possible.map(({ id }) => id) }),
      traces,
      keysDiffer,
      drift: isExplained ? undefined : driftOf(traces, promised, kinds),
    };
  };
  const whole = foundIn([{ sent, unknownNs: options.unknownNs }], clockOffsetIn(sent));
  if (isPromised(whole, history.profile)) return whole;
  const { survivors } = whole.inference;
  // What a limiter as promised explains by itself needs no other way to count.
  const isAsTold =
    whole.asPromised !== undefined || survivors.some((each) => isAsPromised(each, history.profile));
  const isClear = !whole.keysDiffer && (isSettled(whole.inference) ? survivors.every(isCounter) : isAsTold);
  const tracesBy = (counters: TraceOptions['counters']): Trace[] =>
    tracesOf(
      sent,
      { interactionsCount: doCount ?? false, tried },
      { ...options, ...(counters && { counters }) },
    );
  const unknown = { ...whole, keysDiffer: false, inference: { ...whole.inference, survivors: [] } };
  for (const counting of isClear ? [] : otherCountings(sent, history.profile, tried)) {
    const { counters } = counting;
    const explained = explainedByCounters(tracesBy(counters), tracesBy(undefined), promised);
    if (explained === undefined) continue;
    const found =
      explained === 'exactly'
        ? foundIn([{ sent, unknownNs: options.unknownNs, counters }], clockOffsetIn(sent))
        : whole;
    const isSure = found !== whole && isPromised(found, history.profile) && !found.keysDiffer;
    if ((counting.isExact || counting.isVague) && !isSure) continue;
    return { ...(isSure ? found : unknown), counting };
  }
  const step = await clockStep(history);
  if (step === undefined) return whole.keysDiffer && statesOtherLimit(sent, rate_limit) ? unknown : whole;
  const { before, after } = sidesOf(sent, step, history.profile);
  const parts = [
    { sent: before, unknownNs: options.unknownNs },
    { sent: after, unknownNs: doubtNs(step, history.profile) },
  ];
  // Windows by the clock begin elsewhere on each side.
  const apart = foundIn(parts, undefined);
  const isFound = isSettled(apart.inference) && !apart.keysDiffer && apart.drift === undefined;
  const { atMs, byMs } = step;
  return isFound ? { ...apart, step: { byMs, atMs, before: before.length, after: after.length } } : whole;
}

const nearlyAll = 0.9;

function mostAskedIn(sent: SentRequests): Pick<LimiterFindings, 'mostAsked'> {
  const own = rowsWhere(sent, isWord(sent.credential, 'load'));
  const mostAsked = sent.endpoint.words.find(
    (word) =>
      word !== null && rowsWhere(sent, isWord(sent.endpoint, word), own).length >= nearlyAll * own.length,
  );
  return mostAsked == null ? {} : { mostAsked };
}

/** Requests that share nothing with those of other parts but the kind and size of the limiter. */
interface TracedPart extends Pick<TraceOptions, 'unknownNs' | 'counters'> {
  readonly sent: SentRequests;
}

/** Whether some requests of a burst without a good key were rejected by the limit. */
async function isFloodRefused(history: History, refusalStatus: number): Promise<boolean | undefined> {
  const [row] = await history.rows(
    floodRow,
    `SELECT count(status) AS total, count(*) FILTER (status = ${refusalStatus}) AS refused FROM requests
     WHERE stage = 'study' AND phase = ${sqlText(studyPhases.unauthenticated)}`,
  );
  return row === undefined || row.total === 0 ? undefined : row.refused > 0;
}

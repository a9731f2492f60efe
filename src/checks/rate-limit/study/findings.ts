import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { oncePerHistory } from '../../../history/once.ts';
import { sqlText } from '../../../history/sql-text.ts';
import { type LimiterInference, type LimiterJson, limiterJson } from '../../../limits/inference.ts';
import { promisable } from '../../../limits/kinds/table.ts';
import type { Trace } from '../../../limits/trace.ts';
import { traceOptions } from '../../../sent/charged.ts';
import { clockOffsetIn, refusalStatusIn, rejectedIn, tracesOf } from '../../../sent/traces.ts';
import type { Profile } from '../../../target/profile.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { interactionReadings, interactionsKnownToCount, studiesLimits } from '../traces/interactions.ts';
import { type ScopeJson, scopeJson, type TriedProbe, triedAtLimit } from '../traces/scope.ts';
import { mostJudged, sentRequests } from '../traces/sent.ts';
import { type AsPromised, alsoAsPromised, halved } from './as-promised.ts';
import { type Drift, driftOf } from './drift.ts';
import { type Mixed, mixedOf } from './mixed.ts';
import { firstExplained, isCounter, type ReadTraces } from './readings.ts';

/** What a study of the limiter found out: a function of the history alone. */
export interface LimiterFindings {
  /** Confidences are halved where `asPromised` is. */
  readonly inference: LimiterInference;
  /** Where the likeliest limiter is not the promised one: the promised one that also explains every answer. */
  readonly asPromised: AsPromised | undefined;
  readonly traces: readonly Trace[];
  /** Requests with the run's keys that were rejected, whether or not they bound the limit. */
  readonly rejected: number;
  readonly tried: readonly TriedProbe[];
  readonly scope: ScopeJson;
  /** 429, unless rejections came with another status and none with 429. */
  readonly refusalStatus: number;
  /** Keys with limits of their own seem to have different ones: each was studied, and only `load`'s is reported. */
  readonly keysDiffer: boolean;
  /** Requests to every endpoint that no limiter explains, although one explains all before them. */
  readonly uneven: Mixed | undefined;
  /** How the limit changes, where no constant one explains every answer. */
  readonly drift: Drift | undefined;
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

async function findOut(history: History): Promise<LimiterFindings> {
  const { sent } = await sentRequests(history, mostJudged);
  const refusalStatus = refusalStatusIn(sent);
  const tried = await triedAtLimit(history, refusalStatus);
  const options = traceOptions(history, refusalStatus);
  const doCount = interactionsKnownToCount(history.profile.channel, tried);
  const readings = interactionReadings(doCount, sent).map(
    (interactionsCount): ReadTraces =>
      (known) =>
        tracesOf(sent, { interactionsCount, tried: known }, options),
  );
  const hints = {
    clockOffset: clockOffsetIn(sent),
    windowsMs: [history.profile.rate_limit.windowMs],
  };
  const mixed = await mixedOf(history);
  const { endpointsDiffer, inference, traces, keysDiffer } = firstExplained(
    readings,
    tried,
    hints,
    mixed?.fromNs,
  );
  const asPromised = alsoAsPromised(inference, traces, history.profile);
  return {
    inference: asPromised === undefined ? inference : halved(inference),
    asPromised,
    traces,
    rejected: rejectedIn(sent, refusalStatus),
    tried,
    scope: scopeJson(tried, await isFloodRefused(history, refusalStatus)),
    refusalStatus,
    keysDiffer,
    uneven: endpointsDiffer ? mixed : undefined,
    drift: inference.survivors.some(isCounter) && !keysDiffer ? undefined : driftIn(traces, history.profile),
  };
}

function driftIn(traces: readonly Trace[], { limiter, rate_limit }: Profile): Drift | undefined {
  const promised = { requests: rate_limit.requests, windowNs: rate_limit.windowMs * 1e6 };
  return driftOf(traces, promised, promisable(limiter === 'unspecified' ? undefined : limiter));
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

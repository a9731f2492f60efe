import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { studyPhases } from '../../../history/phases.ts';
import { clockOffsetFrom } from '../../../limits/clock-offset.ts';
import { type LimiterInference, type LimiterJson, limiterJson } from '../../../limits/inference.ts';
import { refusalStatusOf } from '../../../limits/refusal-status.ts';
import type { Trace } from '../../../limits/trace.ts';
import { answeredWithKeys, tracesOf } from '../../../sent/traces.ts';
import { sqlText } from '../../found.ts';
import { interactionReadings, interactionsKnownToCount } from '../interactions.ts';
import { mostJudged, sentRequests } from '../sent.ts';
import { studiesLimits } from '../studied.ts';
import { type AsPromised, alsoAsPromised, halved } from './as-promised.ts';
import { firstExplained, type Read } from './readings.ts';
import { type ScopeJson, scopeJson, type Tried, triedAtLimit } from './scope.ts';

/** What a study of the limiter found out: a function of the history alone. */
export interface LimiterFindings {
  /** Confidences are halved where `asPromised` is. */
  readonly inference: LimiterInference;
  /** Where the likeliest limiter is not the promised one: the promised one that also explains every answer. */
  readonly asPromised: AsPromised | undefined;
  readonly traces: readonly Trace[];
  readonly tried: readonly Tried[];
  readonly scope: ScopeJson;
  /** 429, unless rejections came with another status and none with 429. */
  readonly refusalStatus: number;
  /** Keys with limits of their own seem to have different ones: each was studied, and only `load`'s is reported. */
  readonly keysDiffer: boolean;
}

/** As `verdicts.json` carries it under `limiter`. */
export type LimiterFindingsJson = LimiterJson & { readonly scope: ScopeJson };

export function findingsJson({ inference, scope }: LimiterFindings): LimiterFindingsJson {
  return { ...limiterJson(inference), scope };
}

/** Checks and the report ask for the same, and it takes seconds to compute. */
const known = new WeakMap<History, Promise<LimiterFindings>>();

/** The findings of a run that studied the limiter; undefined for any other. */
export function limiterFindings(history: History): Promise<LimiterFindings> | undefined {
  if (!studiesLimits(history)) return undefined;
  const before = known.get(history);
  if (before !== undefined) return before;
  const now = findOut(history);
  known.set(history, now);
  return now;
}

const dateRow = z.object({ sent_ns: z.number(), answered_ns: z.number(), server_date_ms: z.number() });
const floodRow = z.object({ total: z.number(), refused: z.number() });

async function findOut(history: History): Promise<LimiterFindings> {
  const { sent } = await sentRequests(history, mostJudged);
  const refusalStatus = refusalStatusOf(answeredWithKeys(sent));
  const tried = await triedAtLimit(history, refusalStatus);
  const { windowMs } = history.profile.rate_limit;
  const windowNs = windowMs * 1e6;
  const options = {
    refusalStatus,
    windowNs,
    // A service of the run's own has met no request before it; of any other, it is unknown what its window held.
    unknownNs: history.run.target.kind === 'embedded' ? 0 : windowNs,
  };
  const doCount = interactionsKnownToCount(history.profile.channel, tried);
  const readings = interactionReadings(doCount, sent).map(
    (interactionsCount): Read =>
      (known) =>
        tracesOf(sent, { interactionsCount, tried: known }, options),
  );
  const dates = await history.rows(
    dateRow,
    `SELECT sent_ns, answered_ns, server_date_ms FROM requests
     WHERE server_date_ms IS NOT NULL AND sent_ns IS NOT NULL AND answered_ns IS NOT NULL`,
  );
  const hints = {
    clockOffset: clockOffsetFrom(
      dates.map((each) => ({
        sentNs: each.sent_ns,
        answeredNs: each.answered_ns,
        dateEpochMs: each.server_date_ms,
      })),
    ),
    windowsMs: [windowMs],
  };
  const { inference, traces, keysDiffer } = firstExplained(readings, tried, hints);
  const asPromised = alsoAsPromised(inference, traces, history.profile);
  return {
    inference: asPromised === undefined ? inference : halved(inference),
    asPromised,
    traces,
    tried,
    scope: scopeJson(tried, await isFloodRefused(history, refusalStatus)),
    refusalStatus,
    keysDiffer,
  };
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

import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { studyPhases } from '../../../history/phases.ts';
import { clockOffsetFrom } from '../../../limits/clock-offset.ts';
import { inferLimiter } from '../../../limits/infer.ts';
import {
  isSettled,
  type LimiterInference,
  type LimiterJson,
  limiterJson,
} from '../../../limits/inference.ts';
import { refusalStatusOf } from '../../../limits/refusal-status.ts';
import type { Trace } from '../../../limits/trace.ts';
import { sqlText } from '../../found.ts';
import { alsoAsPromised, halved } from './as-promised.ts';
import { type ScopeJson, scopeJson, type Tried, triedAtLimit } from './scope.ts';
import { keyedRequests, tracesOf } from './traces.ts';

/** What a study of the limiter found out: a function of the history alone. */
export interface LimiterFindings {
  /** Confidences are halved where `asPromised` is. */
  readonly inference: LimiterInference;
  /** Where the likeliest limiter is not the promised one: the promised one that explains every answer, too. */
  readonly asPromised: string | undefined;
  readonly traces: readonly Trace[];
  readonly tried: readonly Tried[];
  readonly scope: ScopeJson;
  /** 429, unless refusals came with another status and none with 429. */
  readonly refusalStatus: number;
  /** Keys with limits of their own seem to have different ones: each was studied, and only `load`'s is reported. */
  readonly keysDiffer: boolean;
}

/** As `verdicts.json` carries it under `limiter`. */
export type LimiterFindingsJson = LimiterJson & { readonly scope: ScopeJson };

export function findingsJson({ inference, scope }: LimiterFindings): LimiterFindingsJson {
  return { ...limiterJson(inference), scope };
}

/** Checks and the report ask for the same; it takes seconds to reckon. */
const known = new WeakMap<History, Promise<LimiterFindings>>();

/** The findings of a run that studied the limiter; undefined for any other. */
export function limiterFindings(history: History): Promise<LimiterFindings> | undefined {
  if (history.run.studies?.some(({ kind }) => kind === 'limits') !== true) return undefined;
  const before = known.get(history);
  if (before !== undefined) return before;
  const now = findOut(history);
  known.set(history, now);
  return now;
}

const dateRow = z.object({ sent_ns: z.number(), answered_ns: z.number(), server_date_ms: z.number() });
const floodRow = z.object({ total: z.number(), refused: z.number() });

async function findOut(history: History): Promise<LimiterFindings> {
  const requests = await keyedRequests(history);
  const refusalStatus = refusalStatusOf(requests);
  const tried = await triedAtLimit(history, refusalStatus);
  const { windowMs } = history.profile.rate_limit;
  const windowNs = windowMs * 1e6;
  const options = {
    refusalStatus,
    windowNs,
    // A service of the run's own has met no request before it; of any other, nobody knows what its window held.
    unknownNs: history.run.target.kind === 'embedded' ? 0 : windowNs,
  };
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
  const { inference: together, traces } = byScope(tried, (known) => {
    const traces = tracesOf(requests, known, options);
    return { traces, inference: inferLimiter(traces, hints) };
  });
  const alone =
    together.survivors.length === 0 && traces.length > 1
      ? inferLimiter(traces.slice(0, 1), hints)
      : undefined;
  const keysDiffer = alone !== undefined && alone.survivors.length > 0;
  const inference = keysDiffer ? alone : together;
  const judged = keysDiffer ? traces.slice(0, 1) : traces;
  const asPromised = alsoAsPromised(inference, judged, history.profile);
  return {
    inference: asPromised === undefined ? inference : halved(inference),
    asPromised,
    traces: judged,
    tried,
    scope: scopeJson(tried, await isFloodRefused(history, refusalStatus)),
    refusalStatus,
    keysDiffer,
  };
}

type Judged = Pick<LimiterFindings, 'inference' | 'traces'>;

/**
 * Where it is unclear whether keys share the limit, each is taken to have its own, unless that explains nothing and one
 * limit for all of them does.
 */
function byScope(tried: readonly Tried[], judge: (tried: readonly Tried[]) => Judged): Judged {
  const apart = judge(tried);
  const isUnclear = tried.some(({ probe, sharing }) => probe === 'scope:other-key' && sharing === 'unclear');
  if (!isUnclear || apart.traces.length < 2 || isNamed(apart.inference)) return apart;
  const shared = judge(
    tried.map((each) => (each.probe === 'scope:other-key' ? { ...each, sharing: 'shared' } : each)),
  );
  return isNamed(shared.inference) ? shared : apart;
}

/** Whether it is a limiter on one counter. */
function isNamed(inference: LimiterInference): boolean {
  return isSettled(inference) && inference.survivors[0]?.algorithm !== 'several-nodes';
}

/** Whether a burst without a good key was refused for its number, in part at least. */
async function isFloodRefused(history: History, refusalStatus: number): Promise<boolean | undefined> {
  const [row] = await history.rows(
    floodRow,
    `SELECT count(status) AS total, count(*) FILTER (status = ${refusalStatus}) AS refused FROM requests
     WHERE stage = 'study' AND phase = ${sqlText(studyPhases.unauthenticated)}`,
  );
  return row === undefined || row.total === 0 ? undefined : row.refused > 0;
}

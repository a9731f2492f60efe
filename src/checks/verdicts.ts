import type { History } from '../history/history.ts';
import type { CheckId } from '../vocabulary/check-ids.ts';
import type { CauseCode, Certainty } from './causes/cause.ts';
import type { Params } from './causes/kind.ts';
import { type ExploredPower, exploredPower } from './contract/explored/explored.ts';
import type { CheckData, CheckDataId, CheckResult, Verdict } from './core/verdict.ts';
import type { Diagnosed, Judgement } from './diagnosis/diagnosis.ts';
import { findingsJson, type LimiterFindingsJson, limiterFindings } from './rate-limit/study/findings.ts';
import type { Reason } from './reasons/reason.ts';

/** The published `verdicts.json`; `docs/verdicts.schema.json` describes it for its readers. */
export interface VerdictsJson {
  readonly schema_version: 2;
  readonly run: {
    readonly id: string;
    readonly scenario: string;
    readonly seed: number;
    /** ISO 8601 UTC. */
    readonly started_at: string;
    /** How the run ended; null after a crash. */
    readonly ended: string | null;
    readonly target: { readonly kind: 'embedded' | 'foreign'; readonly base_url: string };
    readonly checks: readonly string[];
    readonly generator_bound: boolean;
  };
  readonly verdict: Verdict;
  /** Probable causes of what did not pass, the likeliest first. */
  readonly diagnosis: readonly DiagnosedJson[];
  readonly checks: readonly CheckJson[];
  /** What the explorer's calls exclude; absent where a run sent none, or one of their answers is wrong. */
  readonly power?: ExploredPower;
  /** What a study of the limiter found out; absent for runs without one. */
  readonly limiter?: LimiterFindingsJson;
}

/** A check as it is published: its texts, and the data that they were made of. */
export type CheckJson = Omit<CheckResult, 'data' | 'reasons' | 'titleParams'> & {
  readonly data: { readonly reasons: readonly Reason[] } & Partial<CheckData[CheckDataId]>;
};

function checkJson({ data, reasons, titleParams: _, ...result }: CheckResult): CheckJson {
  return { ...result, data: { reasons, ...data } };
}

/** A probable cause as it is published. */
interface DiagnosedJson {
  readonly cause: CauseCode;
  readonly params: Params;
  readonly text: string;
  readonly behind: string;
  /** The checks that it explains. */
  readonly checks: readonly CheckId[];
  readonly also: readonly { readonly cause: CauseCode; readonly params: Params }[];
  readonly certainty: Certainty;
  readonly alternatives: readonly string[];
  /** For readers of older files: 1 where shown, 0.5 where it fits. No probability. */
  readonly confidence: number;
  /** Checks that passed, and would not have if this were the cause. */
  readonly contradicted_by: readonly CheckId[];
  /** Requests that show it, by `seq`. */
  readonly seqs: readonly number[];
  /** Lines for a shell that show it with `curl`; null where there are none. */
  readonly reproduction: readonly string[] | null;
}

function diagnosedJson(diagnosed: Diagnosed): DiagnosedJson {
  const { also, alternatives, behind, cause, certainty, checks, contradictedBy, reproduction, seqs, text } =
    diagnosed;
  return {
    cause: cause.code,
    params: cause.params,
    text,
    behind,
    checks,
    also: also.map(({ code, params }) => ({ cause: code, params })),
    certainty,
    alternatives,
    confidence: certainty === 'shown' ? 1 : 0.5,
    contradicted_by: contradictedBy,
    seqs,
    reproduction: reproduction?.lines ?? null,
  };
}

/** The published form of a judgement. */
export async function verdictsJson(history: History, judgement: Judgement): Promise<VerdictsJson> {
  const { run } = history;
  const power = await exploredPower(history);
  const findings = await limiterFindings(history);
  return {
    schema_version: 2,
    run: {
      id: run.id,
      scenario: run.scenario.name,
      seed: run.seed,
      started_at: new Date(run.zero_epoch_ms).toISOString(),
      ended: run.ended?.how ?? null,
      target: { kind: run.target.kind, base_url: run.target.base_url },
      checks: run.checks,
      generator_bound: judgement.generatorBound,
    },
    verdict: judgement.verdict,
    diagnosis: judgement.diagnosis.causes.map(diagnosedJson),
    checks: judgement.checks.map(checkJson),
    ...(power === undefined ? {} : { power }),
    ...(findings === undefined ? {} : { limiter: findingsJson(findings) }),
  };
}

import { analyticsReasons } from './analytics.ts';
import { auditReasons } from './audit.ts';
import { capacityReasons } from './capacity.ts';
import { answerReasons } from './contract/answers.ts';
import { exploredReasons } from './contract/explored.ts';
import { openApiReasons } from './contract/openapi.ts';
import { latencyReasons } from './latency.ts';
import { quotaReasons } from './quota.ts';
import { rateLimitReasons } from './rate-limit.ts';
import { runReasons } from './run.ts';
import { type ParamsOf, type WithParams, worded } from './words/wording.ts';

/** Everything that a check can say about a run, by its code. */
export const reasonWordings = {
  ...answerReasons,
  ...exploredReasons,
  ...openApiReasons,
  ...rateLimitReasons,
  ...quotaReasons,
  ...analyticsReasons,
  ...auditReasons,
  ...latencyReasons,
  ...capacityReasons,
  ...runReasons,
} as const;

type Wordings = typeof reasonWordings;
export type ReasonCode = keyof Wordings;

/** Why a check gives its verdict, as data: a code with its parameters. */
export type Reason = {
  readonly [Code in ReasonCode]: { readonly code: Code; readonly params: ParamsOf<Wordings[Code]> };
}[ReasonCode];

/** A reason of one code. */
export function reason<Code extends ReasonCode>(code: Code, ...[params]: WithParams<Wordings[Code]>): Reason {
  // The union is made of exactly such pairs.
  return { code, params: params ?? {} } as Reason;
}

/** The reason in words. */
export function reasonText({ code, params }: Reason): string {
  return worded(reasonWordings[code], params);
}

/** The reasons in the same order, equal ones once. */
export function eachReasonOnce(reasons: readonly Reason[]): Reason[] {
  return [...new Map(reasons.map((each) => [JSON.stringify(each), each])).values()];
}

/** At most six reasons of a kind, and how many more there are. */
export function firstReasons(reasons: readonly Reason[], atMost = 6): readonly Reason[] {
  const more = reasons.length - atMost;
  return more > 0 ? [...reasons.slice(0, atMost), reason('more-of-these', { more })] : reasons;
}

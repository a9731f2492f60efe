import { number, range, span } from '../amounts.ts';
import { type LimiterFindings, limiterFindings } from '../checks/rate-limit/study/findings.ts';
import { certain } from '../checks/rate-limit/study/judge-size.ts';
import type { History } from '../history/history.ts';
import { oncePerHistory } from '../history/tables.ts';
import { perWindow } from './format.ts';

/** A limiter study's result in a line of text. */

export type ShownSurvivor = LimiterFindings['inference']['survivors'][number];
type Scope = LimiterFindings['scope'];

/** Kinds less likely than this are named only in the table of all. */
const negligible = 0.001;

/** `sliding window of 1,000 per minute, per key (confidence over 99.9 %)`; undefined for runs without a study. */
export const limiterLine = oncePerHistory(async (history: History): Promise<string | undefined> => {
  const findings = await limiterFindings(history);
  return findings === undefined ? undefined : inWords(findings);
});

/** The finding in a clause. */
export function inWords({
  asPromised,
  inference: { survivors },
  late,
  scope,
  keysDiffer,
}: LimiterFindings): string {
  if (late !== undefined)
    return `undecided: tryon sent 1 % of the requests at least ${number(late.lagMs)} ms late (generator-bound)`;
  const likely = survivors.filter(({ confidence }) => confidence >= negligible);
  const [best] = likely;
  if (best === undefined) return 'no known kind of limiter explains every answer';
  if (best.confidence < certain) {
    const others =
      asPromised === undefined
        ? ''
        : `, or a ${asPromised.name} of ${perWindow(asPromised.requests, asPromised.windowMs)}, as promised`;
    return `undecided: ${likely.map((each) => `${withSize(each)} (${percent(each.confidence)})`).join(', ')}${others}`;
  }
  const whose = scopeInWords(scope);
  const differ = keysDiffer ? ', and keys differ' : '';
  return `${withSize(best)}${best.limit === null ? '' : whose}${differ} (confidence ${percent(best.confidence)})`;
}

/** A window that is known less exactly than this share of it is shown as a range. */
const exactShare = 0.05;

function withSize({
  algorithm,
  name,
  limit,
  windowMs,
  windowMsBounds: bounds,
  refillPerS,
}: ShownSurvivor): string {
  if (algorithm === 'concurrency') return `${name}${limit === null ? '' : `, of ${number(limit)}`}`;
  if (algorithm === 'queueing')
    return `${name}${refillPerS === null ? '' : `, ${number(refillPerS)} a second`}`;
  if (limit === null || windowMs === null) return name;
  const isVague =
    bounds?.min != null && bounds.max != null && bounds.max - bounds.min > exactShare * windowMs;
  return isVague
    ? `${name} of ${number(limit)} per ${range(bounds, span)}`
    : `${name} of ${perWindow(limit, windowMs)}`;
}

/** `, per key and per endpoint`; nothing where it was not found out. */
function scopeInWords({ per_key, per_address, per_endpoint }: Scope): string {
  const parts = [
    ...(per_key === null ? [] : [per_key ? 'per key' : 'one for all keys']),
    ...(per_address === true ? ['per address'] : []),
    ...(per_endpoint === true ? ['per endpoint'] : []),
  ];
  return parts.length === 0 ? '' : `, ${parts.join(' and ')}`;
}

/** A probability, never rounded up to certainty: `99.2 %`, `over 99.9 %`, `under 0.1 %`. */
export function percent(probability: number): string {
  if (probability > 0.999) return 'over 99.9 %';
  if (probability < 0.001) return 'under 0.1 %';
  return `${number(Math.round(probability * 1_000) / 10)} %`;
}

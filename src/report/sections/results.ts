import { counted, countedRange, number, range, span } from '../../amounts.ts';
import { type KneeFound, kneeOf } from '../../checks/capacity/knee.ts';
import { readCapacity } from '../../checks/capacity/steps.ts';
import type { Judgement } from '../../checks/diagnosis/diagnosis.ts';
import { type LimiterFindings, limiterFindings } from '../../checks/rate-limit/study/findings.ts';
import { certain } from '../../checks/rate-limit/study/judge-size.ts';
import { onKeys } from '../../checks/reasons/quota.ts';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/tables.ts';
import { kneeConfidence } from '../../limits/capacity/search.ts';
import { perWindow } from '../text.ts';
import { percent } from './limiter-evidence.ts';

/** What the studies of a run found, each in a clause. */

export const confidence = `${Math.round(kneeConfidence * 100)} %`;

/** Kinds less likely than this are named only in the table of all. */
const negligible = 0.001;
/** Of an undecided limiter, this number of kinds are named in a line. */
const mostNamed = 3;

/** `sliding window of 1,000 per minute, per key (confidence over 99.9 %)`; undefined for runs without a study. */
export const limiterLine = oncePerHistory(async (history: History): Promise<string | undefined> => {
  const findings = await limiterFindings(history);
  return findings === undefined ? undefined : inWords(findings);
});

/** The finding in a clause. */
export function inWords({
  asPromised,
  inference: { survivors },
  keysDiffer,
  late,
  scope,
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
    const named = likely.slice(0, mostNamed).map((each) => `${withSize(each)} (${percent(each.confidence)})`);
    const more = likely.length - named.length;
    return `undecided: ${named.join(', ')}${more > 0 ? `, ${more} more` : ''}${others}`;
  }
  const whose = best.limit === null ? '' : scopeInWords(scope);
  return `${withSize(best)}${whose}${keysDiffer ? ', and keys differ' : ''} (confidence ${percent(best.confidence)})`;
}

/** A window that is known less exactly than this share of it is shown as a range. */
const exactShare = 0.05;

function withSize({
  algorithm,
  limit,
  name,
  refillPerS,
  windowMs,
  windowMsBounds,
}: LimiterFindings['inference']['survivors'][number]): string {
  if (algorithm === 'concurrency') return `${name}${limit === null ? '' : `, of ${number(limit)}`}`;
  if (algorithm === 'queueing')
    return `${name}${refillPerS === null ? '' : `, ${number(refillPerS)} a second`}`;
  if (limit === null || windowMs === null) return name;
  const { max = null, min = null } = windowMsBounds ?? {};
  return min !== null && max !== null && max - min > exactShare * windowMs
    ? `${name} of ${number(limit)} per ${range({ min, max }, span)}`
    : `${name} of ${perWindow(limit, windowMs)}`;
}

/** `, per key and per endpoint`; nothing where it was not found out. */
function scopeInWords({ per_address, per_endpoint, per_key }: LimiterFindings['scope']): string {
  const parts = [
    ...(per_key === null ? [] : [per_key ? 'per key' : 'one for all keys']),
    ...(per_address === true ? ['per address'] : []),
    ...(per_endpoint === true ? ['per endpoint'] : []),
  ];
  return parts.length === 0 ? '' : `, ${parts.join(' and ')}`;
}

/** `exactly 200 sessions on the quota key`; undefined where the run did not reach the end of the quota, or it is not kept. */
export function quotaLine({ checks }: Judgement): string | undefined {
  // What one key shows is not the whole where another check of the quota fails.
  const isBroken = checks.some(({ id, verdict }) => id.startsWith('quota.') && verdict === 'fail');
  const found = checks.flatMap(({ reasons }) =>
    reasons.flatMap((each) =>
      each.code === 'quota-edge-exact' && !isBroken
        ? [`exactly ${counted(each.params.quota, 'session')}${onKeys(each.params.keys)}`]
        : each.code === 'quota-edge-found'
          ? [`${countedRange(each.params.admitted, 'session')}${onKeys(each.params.keys)}`]
          : [],
    ),
  );
  return found[0];
}

/**
 * `holds 840/s, breaks at 1,060/s (90 %); breaks at 279 connections; a longer --budget narrows it`: the advice only where steps
 * showed the target, and not a limit or this machine. Undefined for runs without a study of capacity.
 */
export async function capacityLine(history: History): Promise<string | undefined> {
  const capacity = await readCapacity(history);
  if (capacity === undefined) return undefined;
  const { connections, rate } = capacity;
  const found = [
    ...(rate.steps.length === 0 ? [] : [kneeInShort(kneeOf(rate), '/s', 'rate')]),
    ...(connections.steps.length === 0
      ? []
      : [kneeInShort(kneeOf(connections), ' connections', 'number of connections')]),
  ];
  const outcomes = [...rate.steps, ...connections.steps].map(({ judged }) => judged.outcome);
  const isOfTarget =
    outcomes.filter((each) => each === 'good' || each === 'bad').length > outcomes.length / 2;
  return [...found, ...(isOfTarget ? ['a longer --budget narrows it'] : [])].join('; ');
}

function kneeInShort({ breaks, keeps }: KneeFound, unit: string, what: string): string {
  const parts = [
    ...(keeps === undefined ? [] : [`holds ${number(keeps)}${unit}`]),
    ...(breaks === undefined ? [] : [`breaks at ${number(breaks)}${unit}`]),
  ];
  return parts.length === 0
    ? `no ${what} is certain to hold or to break`
    : `${parts.join(', ')} (${confidence})`;
}

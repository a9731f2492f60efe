import { counted, number, verb } from '../../amounts.ts';
import { admissionsNeedOver } from '../../limits/one-sided.ts';
import { countBelow, countUpTo } from '../../limits/sorted.ts';
import { admitted, countOutcome, limited } from '../../limits/trace.ts';
import type { Profile } from '../../target/profile.ts';
import { dataOf } from '../check-data.ts';
import { type Redelivering, redeliveryText } from '../redeliveries.ts';
import type { CheckResult } from '../verdict.ts';
import type { JudgedStream } from './judged.ts';
import { capital } from './words.ts';

/** What headers count beside a run's own requests is others' use only below this part of what the run sent itself. */
const countedTwicePart = 0.8;

/** Checks that others' use of a key may bring to a fail: too much was refused. */
const restOnRefusals: ReadonlySet<string> = new Set([
  'rate-limit.wrongful',
  'rate-limit.recovery',
  'rate-limit.enforced',
  'rate-limit.algorithm',
  'rate-limit.limit',
  'rate-limit.window',
]);

/**
 * And where requests are redelivered: who waits as told may be refused for a second delivery of what it asks then, and what
 * may pass in a window is that of the kind of limiter that refuses so.
 */
const restOnRedeliveries: ReadonlySet<string> = new Set([
  ...restOnRefusals,
  'rate-limit.retry-after',
  'rate-limit.admitted',
]);
/** What a limiter is found to be, from requests of which nobody knows how often it met them. */
const restOnEachCount: ReadonlySet<string> = new Set([
  'rate-limit.algorithm',
  'rate-limit.limit',
  'rate-limit.window',
]);

/**
 * Staging is shared: others may use the run's keys, and spend their limits. Where headers count more than the run sent, or
 * the profile says so, that is reported as a result of its own, and what rests on too many refusals is no longer held
 * against the target. Nothing excuses what passed beyond the limit. Redeliveries of the run's own requests spend it likewise,
 * and leave what kind of limiter it is unknown.
 */
export function allowForOthers(
  results: readonly CheckResult[],
  streams: readonly JudgedStream[],
  profile: Pick<Profile, 'shared_keys'> & Redelivering,
): CheckResult[] {
  const { redeliveries, shared_keys } = profile;
  const isDeclared = shared_keys || redeliveries > 0;
  const excused = redeliveries > 0 ? restOnRedeliveries : restOnRefusals;
  const sent = streams.reduce((sum, { trace }) => sum + countOutcome(trace, admitted), 0);
  const beside = countedBeside(results);
  const isCountedTwice = beside > countedTwicePart * sent;
  if ((beside === 0 || isCountedTwice) && !isDeclared) return [...results];
  const missing = Math.max(0, ...streams.map(mostMissing));
  const isOver = streams.some(
    ({ trace, promised, algorithm }) => admissionsNeedOver(trace, promised, algorithm) !== undefined,
  );
  const why =
    beside > 0 && !isCountedTwice
      ? `Headers count ${counted(beside, 'request')} more on the key than this run sent.`
      : shared_keys
        ? 'The profile says that others use the keys (shared_keys).'
        : `${capital(redeliveryText(profile))}.`;
  const whose = redeliveries > 0 ? 'Redeliveries, or others,' : 'Others';
  const doubted = (result: CheckResult, doubt: string): CheckResult => ({
    ...result,
    verdict: 'inconclusive',
    explanation: `${result.explanation} ${doubt}`,
  });
  return [
    ...results.map((result) => {
      if (result.verdict === 'fail' && !isOver && excused.has(result.id))
        return doubted(result, `${whose} may have spent the rest. ${why}`);
      if (result.verdict === 'pass' && redeliveries > 0 && restOnEachCount.has(result.id))
        return doubted(result, `So it looks from outside; ${redeliveryText(profile)}.`);
      return result;
    }),
    {
      id: 'rate-limit.others',
      title: 'No one else spends the limits of the keys',
      verdict: missing > 0 || beside > 0 ? 'inconclusive' : 'pass',
      expected: 'nothing that this run cannot explain',
      observed: { counted_by_headers: beside, missing_in_a_window: missing },
      explanation:
        missing > 0
          ? `${why} In some window ${number(missing)} of the limit ${verb(missing, 'was', 'were')} spent by nobody in this run.`
          : beside > 0
            ? `${why} That explains no refusal, for none is in need of it.`
            : `${why} This run's own requests explain every refusal.`,
      evidence: [],
    },
  ];
}

function countedBeside(results: readonly CheckResult[]): number {
  const dialects = dataOf(results, 'rate-limit.headers')?.dialects ?? [];
  return Math.max(0, ...dialects.map(({ unexplained }) => unexplained));
}

/** The most of the limit that this run had not spent, within a window by the strictest reading, when it was refused. */
function mostMissing({ trace, promised }: JudgedStream): number {
  const { sentNs, answeredNs, outcome, length } = trace;
  const spentNs = answeredNs.filter((_, i) => outcome[i] !== limited).toSorted();
  const startedNs = sentNs.filter((_, i) => outcome[i] !== limited);
  let most = 0;
  for (let i = 0; i < length; i++) {
    if (outcome[i] !== limited) continue;
    const begun = countUpTo(startedNs, answeredNs[i] as number);
    const forgotten = countBelow(spentNs, (sentNs[i] as number) - promised.windowNs);
    most = Math.max(most, promised.requests - (begun - forgotten));
  }
  return most;
}

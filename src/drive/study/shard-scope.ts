import { inVolley } from '../../limits/probes.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Scenario } from '../../scenario/define.ts';
import * as calls from '../../target/calls.ts';
import { studyPhases } from '../../vocabulary/phases.ts';
import type { ScopeProbe } from '../../vocabulary/probes.ts';
import type { RateLimit } from '../../vocabulary/quantities.ts';
import type { Role } from '../../vocabulary/roles.ts';
import { AskingStopped } from '../ask/ask.ts';
import type { RunUnderWay } from '../load/load.ts';
import { loadProbeInstants } from '../load/load-probe.ts';
import { controlOf, exhaust, mostSpentLimits } from './limits/at-limit.ts';
import { restWindows } from './limits/requests.ts';
import { aboutItsCall, type StudyRequest, type TimedRequest } from './sending/prober.ts';
import { type ProberRun, proberOf } from './studies.ts';

/** The first shard sends to a limit that this one has spent. The others have no part in it. */
const spender = 2;

interface ShardScopeOptions extends ProberRun, Pick<RunUnderWay, 'catalogs' | 'plan' | 'requestsLeft'> {
  readonly scenario: Overloading;
  /** Which shard this program is, from 1. */
  readonly shard: number;
  /** The start of the load, run nanoseconds. */
  readonly startNs: number;
}

/**
 * After the load and a rest, the second shard spends the limit of the load key. At instants that all shards know, both send: a
 * limit by key rejects the load key from both, a limit by address rejects both keys from the second. The shards need not
 * talk for that. Where this one is late, it leaves out what it is late for.
 */
export async function tryShardScope(options: ShardScopeOptions): Promise<void> {
  const { catalogs, clock, governors, keys, plan, profile, scenario, shard, startNs } = options;
  const limit = profile.rate_limit;
  const most = shardScopeCost(scenario, plan, limit);
  if (shard > spender || most.load === 0 || options.requestsLeft() < most.load) return;
  const prober = proberOf(options, { elsewhere: undefined, openClient: undefined });
  const beginNs = startNs + plan.horizonNs + restWindows * limit.windowMs * 1e6;
  const control = controlOf(catalogs.load.id);
  const tries = (load: StudyRequest, probe: ScopeProbe): StudyRequest[] =>
    [load, ...(keys.bystander === undefined ? [] : [listWith('bystander', catalogs, probe)])].flatMap(
      (each) => Array.from({ length: inVolley }, () => each),
    );
  const requests =
    shard === spender
      ? tries(control, 'scope:other-key')
      : tries(listWith('load', catalogs, 'scope:other-shard'), 'scope:other-shard-key');
  const sends = volleysMs(limit).flatMap((ms) =>
    requests.map((request): TimedRequest => ({ atNs: beginNs + ms * 1e6, request })),
  );
  const lastNs = sends.at(-1)?.atNs ?? 0;
  try {
    const step = 'whether the limit is by key or by address';
    options.progress.activity = { kind: 'study', step, alive: [] };
    await prober.until(beginNs);
    if (shard === spender) {
      if (!(await exhaust({ prober, limit: limit.requests, control, tries: new Map() }))) return;
      for (let ns = clock.nowNs(); ns < lastNs; ns += gapMs(limit) * 1e6)
        sends.push({ atNs: ns, request: control });
    }
    const fromNs = clock.nowNs();
    await prober.play(sends.filter(({ atNs }) => atNs >= fromNs).toSorted((a, b) => a.atNs - b.atNs));
    // The other shard has spent the limit, as far as this one can tell.
    for (let n = 0; n < limit.requests; n++) governors.load.note(lastNs);
  } catch (error) {
    if (!(error instanceof AskingStopped)) throw error;
  }
}

function listWith(
  credential: Role,
  catalogs: ShardScopeOptions['catalogs'],
  probe: ScopeProbe,
): StudyRequest {
  const list = calls.listShades(catalogs[credential].id);
  return aboutItsCall(list, { credential, phase: studyPhases.scope, probe });
}

/** Several volleys soon after another, since a window may end in one. */
const volleys = 4;
const mostBetweenMs = 250;
/** The shard that spends the limit goes on at this multiple of the promised rate, so that no place stays free. */
const rateFactor = 2;
const leastGapMs = 5;

/** When volleys are sent, after the first burst. The burst is over by then, unless the target is slow. */
function volleysMs({ windowMs }: RateLimit): readonly number[] {
  const firstMs = Math.min(windowMs / 2, Math.max(3_000, windowMs / 6));
  return Array.from({ length: volleys }, (_, n) => firstMs + n * Math.min(mostBetweenMs, windowMs / 10));
}

/** Between two requests that keep the limit spent. */
function gapMs({ requests, windowMs }: RateLimit): number {
  return Math.max(leastGapMs, windowMs / requests / rateFactor);
}

type Overloading = Pick<Scenario, 'checks' | 'study'>;

/** The most that it sends on the load key and on the bystander's, and its time with the rests before and after it. */
export function shardScopeCost(
  scenario: Overloading,
  plan: Pick<Plan, 'phases'>,
  limit: RateLimit,
): { readonly load: number; readonly bystander: number; readonly ms: number } {
  const { checks, study } = scenario;
  // Only where the load goes past the limit, and no study would have to explain their requests.
  const isTried =
    checks.includes('rate-limit') && study.length === 0 && loadProbeInstants(plan, limit).length > 0;
  if (!isTried) return { load: 0, bystander: 0, ms: 0 };
  const triesMs = Math.max(...volleysMs(limit));
  const bystander = 2 * volleys * inVolley;
  return {
    load: Math.ceil(mostSpentLimits * limit.requests + triesMs / gapMs(limit)) + bystander,
    bystander,
    ms: (restWindows + 1) * limit.windowMs + triesMs,
  };
}

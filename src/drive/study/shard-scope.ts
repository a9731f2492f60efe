import type { Catalog } from '../../catalog/catalog.ts';
import { inVolley } from '../../limits/probes.ts';
import type { Plan } from '../../plan/plan.ts';
import * as calls from '../../target/calls.ts';
import { studyPhases } from '../../vocabulary/phases.ts';
import type { ScopeProbe } from '../../vocabulary/probes.ts';
import type { Role } from '../../vocabulary/roles.ts';
import { AskingStopped } from '../ask/ask.ts';
import { restWindows } from './limits/cost.ts';
import { aboutItsCall, type StudyRequest, type TimedRequest } from './sending/prober.ts';
import { controlOf, exhaust } from './sending/scope.ts';
import { gapMs, type Overloading, shardScopeCost, volleysMs } from './shard-scope-cost.ts';
import { type ProberSetting, proberOf } from './studies.ts';

/** The first shard sends to a limit that this one has spent. The others have no part in it. */
const spender = 2;

interface ShardScopeOptions extends ProberSetting {
  readonly scenario: Overloading;
  readonly plan: Plan;
  readonly catalogs: Readonly<Record<Role, Catalog>>;
  /** Which shard this program is, from 1. */
  readonly shard: number;
  /** The start of the load, run nanoseconds. */
  readonly startNs: number;
  /** Requests that the run's cap leaves. */
  readonly requestsLeft: () => number;
  readonly onStep: (step: string) => void;
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
    options.onStep('whether the limit is by key or by address');
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

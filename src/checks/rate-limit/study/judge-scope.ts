import type { History } from '../../../history/history.ts';
import type { Survivor } from '../../../limits/inference.ts';
import { mostVolleys } from '../../../limits/probes.ts';
import { interactionsCount, type Profile } from '../../../target/profile.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { type CheckFinding, evidence, mergeVerdicts } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { type TriedProbe, triedEndpoints } from '../traces/scope.ts';
import type { LimiterFindings } from './findings.ts';
import { judgeAddresses, judgeKeys, of, type ScopeFinding, sharingOfAddresses } from './judge-clients.ts';
import { isUneven, type Mixed } from './mixed.ts';

const interactionsInWords = {
  true: 'count against the limit',
  false: 'do not count against it',
  discover: 'discover',
} as const;

/** What is known of the scope. Without a study of the limiter, only what shards have tried. */
type ScopeFindings = Pick<LimiterFindings, 'tried' | 'scope'> &
  Partial<Pick<LimiterFindings, 'inference' | 'uneven'>>;

/** What the limit applies to: what was admitted while the `load` key was at its limit, and what was not. */
export function judgeScope(
  { inference, tried, scope, uneven }: ScopeFindings,
  { profile, run }: Pick<History, 'profile' | 'run'>,
): CheckFinding {
  const head = {
    id: 'rate-limit.scope',
    expected: {
      keys: profile.limit_scope,
      endpoints: profile.limit_endpoints,
      interactions: interactionsInWords[`${interactionsCount(profile.channel)}`],
      'X-Forwarded-For': 'changes nothing',
    },
  } as const;
  const observed = {
    ...Object.fromEntries(tried.map((each) => [each.probe.slice('scope:'.length), each.sharing])),
    ...scope,
  };
  if (tried.length === 0) {
    return {
      ...head,
      verdict: 'inconclusive',
      observed,
      reasons: [reason('scope-limit-not-reached')],
      evidence: [],
    };
  }
  const findings = [
    judgeKeys(tried, profile),
    judgeAddresses(tried, profile, run.shards),
    judgeForwarded(tried, profile),
    judgeSpelling(tried),
    judgeConnections(tried),
    judgeEndpoints(tried, profile),
    judgeUneven(uneven, inference?.survivors[0]),
    judgeInteractions(tried, profile),
  ].filter((finding) => finding !== undefined);
  return {
    ...head,
    verdict: mergeVerdicts(findings.map(({ verdict }) => verdict)),
    observed,
    reasons: findings.length === 0 ? [reason('scope-unclear')] : findings.map((each) => each.reason),
    evidence: findings
      .filter(({ verdict }) => verdict === 'fail')
      .flatMap((finding) => finding.tried.map(({ probe, seqs }) => evidence(`${probe} at the limit`, seqs))),
    causes: findings.flatMap(({ causes = [], verdict }) => (verdict === 'fail' ? causes : [])),
  };
}

/** A header that any client can set. Only a limit for each address may read it, where the client is a trusted proxy. */
function judgeForwarded(all: readonly TriedProbe[], { limit_scope }: Profile): ScopeFinding | undefined {
  const tried = of(all, 'scope:forwarded');
  if (tried === undefined || tried.sharing === 'unclear') return undefined;
  if (tried.sharing === 'shared')
    return { verdict: 'pass', reason: reason('scope-forwarded-ignored'), tried: [] };
  const mayTrust = limit_scope !== 'per-key' && sharingOfAddresses(all) !== 'shared';
  return {
    verdict: mayTrust ? 'inconclusive' : 'fail',
    reason: reason(mayTrust ? 'scope-forwarded-doubtful' : 'scope-forwarded-trusted', {}),
    tried: [tried],
    causes: [shown('forwarded-address-trusted', {}, tried.seqs)],
  };
}

/** The same resource, where the target serves that path at all: what it answers otherwise says nothing. */
function judgeSpelling(all: readonly TriedProbe[]): ScopeFinding | undefined {
  const tried = of(all, 'scope:spelled');
  if (tried === undefined || tried.sharing === 'unclear') return undefined;
  return tried.sharing === 'shared'
    ? { verdict: 'pass', reason: reason('scope-spelling-ignored', {}), tried: [] }
    : {
        verdict: 'fail',
        reason: reason('scope-spelling-separate', {}),
        tried: [tried],
        causes: [shown('limit-by-spelling', {}, tried.seqs)],
      };
}

/** A key has one limit over all connections: what a new one is admitted beyond it, counters of connections or nodes let in. */
function judgeConnections(all: readonly TriedProbe[]): ScopeFinding | undefined {
  const tried = of(all, 'scope:new-connection');
  if (tried === undefined) return undefined;
  if (tried.sharing === 'shared')
    return { verdict: 'pass', reason: reason('scope-connection-ignored', {}), tried: [] };
  const { passed, refused } = tried;
  // Nodes get connections in turn: the counters of some are full, and those of others are not. In each volley, some may be lucky.
  if (tried.sharing === 'unclear' && passed <= mostVolleys * tried.lucky) return undefined;
  return {
    verdict: 'fail',
    reason: reason('scope-connection-separate', { passed, refused }),
    tried: [tried],
    causes: [shown('limit-by-connection', { connections: passed, of: passed + refused }, tried.seqs)],
  };
}

function judgeInteractions(all: readonly TriedProbe[], { channel }: Profile): ScopeFinding | undefined {
  const tried = of(all, 'scope:interact');
  if (tried === undefined || tried.sharing === 'unclear') return undefined;
  const told = interactionsCount(channel);
  const isWrong = told !== 'discover' && told !== (tried.sharing === 'shared');
  return {
    verdict: isWrong ? 'fail' : 'pass',
    reason: reason(tried.sharing === 'shared' ? 'scope-interactions-shared' : 'scope-interactions-separate', {
      isWrong,
    }),
    tried: [tried],
    causes: [
      shown(
        'profile-false',
        {
          field: 'channel.counts_against_rate_limit',
          told: String(told),
          found: String(tried.sharing === 'shared'),
        },
        tried.seqs,
      ),
    ],
  };
}

function judgeEndpoints(all: readonly TriedProbe[], { limit_endpoints }: Profile): ScopeFinding | undefined {
  const tried = triedEndpoints(all);
  const apart = tried.filter(({ sharing }) => sharing === 'separate');
  const together = tried.filter(({ sharing }) => sharing === 'shared');
  if (apart.length + together.length === 0) return undefined;
  if (apart.length === 0) {
    const isWrong = limit_endpoints === 'apart';
    const isPartial = !isWrong && tried.length > together.length;
    return {
      verdict: isWrong ? 'fail' : isPartial ? 'inconclusive' : 'pass',
      reason: reason('scope-endpoints-together', {
        endpoints: together.map(endpointOf),
        isWrong,
        isPartial,
      }),
      tried: isWrong ? together : [],
      causes: [
        shown(
          'profile-false',
          { field: 'limit_endpoints', told: 'apart', found: 'together' },
          seqsOf(together),
        ),
      ],
    };
  }
  const verdict =
    limit_endpoints === 'together' || (limit_endpoints === 'apart' && together.length > 0)
      ? 'fail'
      : limit_endpoints === 'apart'
        ? 'pass'
        : 'inconclusive';
  return {
    verdict,
    reason: reason('scope-endpoints-apart', {
      apart: apart.map(endpointOf),
      together: together.map(endpointOf),
      promised: limit_endpoints,
    }),
    tried: apart,
    causes: apartCauses(apart, together, limit_endpoints),
  };
}

/** What no limiter explains that counts every request once. */
function judgeUneven(mixed: Mixed | undefined, found: Survivor | undefined): ScopeFinding | undefined {
  if (mixed === undefined || found === undefined || found.limit === null || !isUneven(mixed, found)) return;
  const { admitted, endpoints, sent, seqs } = mixed;
  const counts = { sent, admitted, endpoints, limit: found.limit };
  return {
    verdict: 'fail',
    reason: reason('scope-requests-uneven', counts),
    tried: [],
    causes: [fits('requests-count-unevenly', counts, seqs)],
  };
}

/** Where some share the limit, the others have none; where none does, each has one. */
function apartCauses(
  apart: readonly TriedProbe[],
  together: readonly TriedProbe[],
  promised: Profile['limit_endpoints'],
): Suspect[] {
  if (promised === 'apart')
    return [
      shown(
        'profile-false',
        { field: 'limit_endpoints', told: 'apart', found: 'together' },
        seqsOf(together),
      ),
    ];
  if (together.length === 0)
    return [shown('limit-per-endpoint', { endpoints: apart.map(endpointOf) }, seqsOf(apart))];
  return apart.map((each) => shown('endpoint-not-limited', { endpoint: endpointOf(each) }, each.seqs));
}

function endpointOf({ probe }: TriedProbe): string {
  return probe.slice('scope:'.length);
}

function seqsOf(some: readonly TriedProbe[]): number[] {
  return some.flatMap(({ seqs }) => seqs.slice(0, 1));
}

import type { History } from '../../../history/history.ts';
import { mostVolleys } from '../../../limits/probes.ts';
import type { Sharing } from '../../../limits/sent/traces.ts';
import { interactionsCount } from '../../../target/profile.ts';
import type { ScopeProbe } from '../../../vocabulary/probes.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { type CheckFinding, evidence, mergeVerdicts, type Verdict } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { type TriedProbe, triedEndpoints } from '../traces/scope.ts';
import type { LimiterFindings } from './findings.ts';

const interactionsInWords = {
  true: 'count against the limit',
  false: 'do not count against it',
  discover: 'discover',
} as const;

/** What is known of the scope. Without a study of the limiter, only what shards have tried. */
type ScopeFindings = Pick<LimiterFindings, 'tried' | 'scope'> & Partial<Pick<LimiterFindings, 'counting'>>;

/** The answer to one question about the scope. */
interface ScopeFinding {
  readonly verdict: Verdict;
  readonly reason: Reason;
  /** What shows a fail. */
  readonly tried: readonly TriedProbe[];
  readonly causes: readonly Suspect[];
}

/** What the claims are held against. */
interface TriedScope extends Pick<History, 'profile' | 'run'> {
  readonly of: (probe: ScopeProbe) => TriedProbe | undefined;
  readonly all: readonly TriedProbe[];
  readonly counting: LimiterFindings['counting'];
}

/** One claim about whose the limit is; undefined where nothing tells. */
type ScopeClaim = (tried: TriedScope) => ScopeFinding | undefined;

function finding(
  verdict: Verdict,
  why: Reason,
  tried: readonly TriedProbe[] = [],
  ...causes: readonly Suspect[]
): ScopeFinding {
  return { verdict, reason: why, tried, causes };
}

const failIf = (isWrong: boolean): Verdict => (isWrong ? 'fail' : 'pass');

/** Shards know more than one machine does, whose second address is one of loopback. */
function addresses({ of }: TriedScope): TriedProbe | undefined {
  return of('scope:other-shard') ?? of('scope:other-address');
}

/** A claim about one probe: one outcome is right, and the other is reported. */
const alike =
  (
    probe: ScopeProbe,
    ignored: Reason,
    separate: (found: TriedProbe, tried: TriedScope) => ScopeFinding,
  ): ScopeClaim =>
  (tried) => {
    const found = tried.of(probe);
    const outcome: Sharing = found?.sharing ?? 'unclear';
    if (found === undefined || outcome === 'unclear') return undefined;
    return outcome === 'shared' ? finding('pass', ignored) : separate(found, tried);
  };

/** What the claims of a study ask, one after the other. */
const claims: Readonly<Record<string, ScopeClaim>> = {
  keys(tried) {
    const { limit_scope } = tried.profile;
    const found = tried.of('scope:other-key');
    if (found === undefined)
      return limit_scope === 'discover' ? undefined : finding('inconclusive', reason('scope-keys-not-tried'));
    if (found.sharing === 'unclear') return finding('inconclusive', reason('scope-keys-unclear'));
    const { seqs } = found;
    const byAddress = addresses(tried)?.sharing;
    if (found.sharing === 'separate') {
      const isWrong = limit_scope === 'shared';
      const cause = shown('profile-false', { field: 'limit_scope', told: 'shared', found: 'per-key' }, seqs);
      return finding(failIf(isWrong), reason('scope-keys-separate', { isWrong }), [found], cause);
    }
    // Rejected from both addresses with this key, and from one of them with another.
    if (tried.of('scope:other-shard-key')?.sharing === 'separate' && byAddress === 'shared') {
      const cause = shown('limit-by-address', { keys: 'limited-too' }, seqs);
      return finding('fail', reason('scope-keys-and-addresses'), [found], cause);
    }
    const isWrong = limit_scope === 'per-key';
    // One limit for each address is one for all keys as well.
    const causes = byAddress === 'separate' ? [] : [fits('limit-shared-by-keys', {}, seqs)];
    return finding(failIf(isWrong), reason('scope-keys-shared', { isWrong }), [found], ...causes);
  },
  addresses(tried) {
    const found = addresses(tried);
    if (found === undefined) return undefined;
    const isOfShards = found.probe === 'scope:other-shard';
    if (found.sharing === 'unclear')
      return isOfShards ? finding('inconclusive', reason('scope-address-unclear')) : undefined;
    const [one = null, other = null] = isOfShards
      ? (tried.run.shards ?? []).map(({ address }) => address)
      : [];
    if (found.sharing === 'shared')
      return isOfShards && (one === null || one === other)
        ? finding('pass', reason('scope-one-address', { address: one }))
        : finding(
            'pass',
            reason('scope-address-ignored', {
              addresses: one === null || other === null ? [] : [one, other],
            }),
          );
    const isWrong = tried.profile.limit_scope === 'per-key';
    const keys = tried.of('scope:other-key')?.sharing === 'separate' ? 'apart' : 'together';
    return finding(
      // The load of one address may fit a limit of all keys. That of several fits nothing that a profile can promise.
      failIf(isWrong || isOfShards),
      isOfShards ? reason('scope-shards-separate') : reason('scope-address-separate', { isWrong }),
      [found],
      shown('limit-by-address', { keys }, found.seqs),
    );
  },
  /** A header that any client can set. Only a limit for each address may read it, where the client is a trusted proxy. */
  forwarded: alike('scope:forwarded', reason('scope-forwarded-ignored'), (found, tried) => {
    const mayTrust = tried.profile.limit_scope !== 'per-key' && addresses(tried)?.sharing !== 'shared';
    return finding(
      mayTrust ? 'inconclusive' : 'fail',
      reason(mayTrust ? 'scope-forwarded-doubtful' : 'scope-forwarded-trusted', {}),
      [found],
      shown('forwarded-address-trusted', {}, found.seqs),
    );
  }),
  /** The same resource, where the target serves that path at all: what it answers otherwise says nothing. */
  spelling: alike('scope:spelled', reason('scope-spelling-ignored', {}), (found) =>
    finding(
      'fail',
      reason('scope-spelling-separate', {}),
      [found],
      shown('limit-by-spelling', {}, found.seqs),
    ),
  ),
  /** A key has one limit over all connections: what a new one is admitted beyond it, counters of connections or nodes let in. */
  connections({ of }) {
    const found = of('scope:new-connection');
    if (found === undefined) return undefined;
    if (found.sharing === 'shared') return finding('pass', reason('scope-connection-ignored', {}));
    const { lucky, passed, refused, seqs } = found;
    // Nodes get connections in turn: the counters of some are full, and those of others are not. In each volley, some may be lucky.
    if (found.sharing === 'unclear' && passed <= mostVolleys * lucky) return undefined;
    return finding(
      'fail',
      reason('scope-connection-separate', { passed, refused }),
      [found],
      shown('limit-by-connection', { connections: passed, of: passed + refused }, seqs),
    );
  },
  endpoints({ all, profile: { limit_endpoints } }) {
    const tried = triedEndpoints(all);
    const apart = tried.filter(({ sharing }) => sharing === 'separate');
    const together = tried.filter(({ sharing }) => sharing === 'shared');
    if (apart.length + together.length === 0) return undefined;
    const [namesApart, names] = [apart.map(endpointOf), together.map(endpointOf)];
    const isFalse = shown(
      'profile-false',
      { field: 'limit_endpoints', told: 'apart', found: 'together' },
      firstSeqsOf(together),
    );
    if (apart.length === 0) {
      const isWrong = limit_endpoints === 'apart';
      const isPartial = !isWrong && tried.length > together.length;
      const why = reason('scope-endpoints-together', { endpoints: names, isWrong, isPartial });
      return finding(isPartial ? 'inconclusive' : failIf(isWrong), why, isWrong ? together : [], isFalse);
    }
    const why = reason('scope-endpoints-apart', {
      apart: namesApart,
      together: names,
      promised: limit_endpoints,
    });
    if (limit_endpoints === 'apart') return finding(failIf(together.length > 0), why, apart, isFalse);
    // Where some share the limit, the others have none; where none does, each has one.
    const causes =
      together.length === 0
        ? [shown('limit-per-endpoint', { endpoints: namesApart }, firstSeqsOf(apart))]
        : apart.map((each) => shown('endpoint-not-limited', { endpoint: endpointOf(each) }, each.seqs));
    return finding(limit_endpoints === 'together' ? 'fail' : 'inconclusive', why, apart, ...causes);
  },
  /** What a limiter as promised explains only if it counts otherwise. */
  counting({ counting }) {
    return counting && finding('fail', counting.reason, [], counting.cause);
  },
  interactions({ of, profile }) {
    const found = of('scope:interact');
    if (found === undefined || found.sharing === 'unclear') return undefined;
    const told = interactionsCount(profile.channel);
    const doCount = found.sharing === 'shared';
    const isWrong = told !== 'discover' && told !== doCount;
    const params = {
      field: 'channel.counts_against_rate_limit',
      told: String(told),
      found: String(doCount),
    };
    return finding(
      failIf(isWrong),
      reason(doCount ? 'scope-interactions-shared' : 'scope-interactions-separate', { isWrong }),
      [found],
      shown('profile-false', params, found.seqs),
    );
  },
};

/** What the limit applies to: what was admitted while the `load` key was at its limit, and what was not. */
export function judgeScope(
  { counting, tried, scope }: ScopeFindings,
  { profile, run }: Pick<History, 'profile' | 'run'>,
): CheckFinding {
  const around: TriedScope = {
    ...{ profile, run, counting, all: tried },
    of: (probe) => tried.find((each) => each.probe === probe),
  };
  const findings = tried.length === 0 ? [] : Object.values(claims).flatMap((claim) => claim(around) ?? []);
  const unclear = reason(tried.length === 0 ? 'scope-limit-not-reached' : 'scope-unclear', {});
  const failed = findings.filter(({ verdict }) => verdict === 'fail');
  return {
    id: 'rate-limit.scope',
    expected: {
      keys: profile.limit_scope,
      endpoints: profile.limit_endpoints,
      interactions: interactionsInWords[`${interactionsCount(profile.channel)}`],
      'X-Forwarded-For': 'changes nothing',
    },
    observed: {
      ...Object.fromEntries(tried.map((each) => [each.probe.slice('scope:'.length), each.sharing])),
      ...scope,
    },
    verdict: mergeVerdicts(findings.map(({ verdict }) => verdict)),
    reasons: findings.length === 0 ? [unclear] : findings.map((each) => each.reason),
    evidence: failed.flatMap((each) =>
      each.tried.map(({ probe, seqs }) => evidence(`${probe} at the limit`, seqs)),
    ),
    causes: failed.flatMap(({ causes }) => causes),
  };
}

function endpointOf({ probe }: TriedProbe): string {
  return probe.slice('scope:'.length);
}

function firstSeqsOf(some: readonly TriedProbe[]): number[] {
  return some.flatMap(({ seqs }) => seqs.slice(0, 1));
}

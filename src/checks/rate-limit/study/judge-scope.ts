import type { ScopeProbe } from '../../../history/phases.ts';
import { interactionsCount } from '../../../target/channel.ts';
import type { Profile } from '../../../target/profile.ts';
import { fits, type Suspect, shown } from '../../diagnosis/cause.ts';
import { type CheckResult, evidence, mergeVerdicts, type Verdict } from '../../verdict.ts';
import type { LimiterFindings } from './findings.ts';
import { type Tried, triedEndpoints } from './scope.ts';

interface Finding {
  readonly verdict: Verdict;
  readonly explanation: string;
  readonly tried: readonly Tried[];
  /** Of a fail. */
  readonly causes?: readonly Suspect[];
}

const interactionsInWords = {
  true: 'spend the limit',
  false: 'spend no limit',
  discover: 'discover',
} as const;

/** Whose the limit is: what got through while the `load` key was at its limit, and what did not. */
export function judgeScope({ tried, scope }: LimiterFindings, profile: Profile): CheckResult {
  const head = {
    id: 'rate-limit.scope',
    title: 'The limit applies to keys, addresses and endpoints as promised',
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
      explanation: 'The key was never brought to its limit, so nothing could be tried at it.',
      evidence: [],
    };
  }
  const findings = [
    judgeKeys(tried, profile),
    judgeAddresses(tried, profile),
    judgeForwarded(tried, profile),
    judgeEndpoints(tried, profile),
    judgeInteractions(tried, profile),
  ].filter((finding) => finding !== undefined);
  return {
    ...head,
    verdict: mergeVerdicts(findings.map(({ verdict }) => verdict)),
    observed,
    explanation: findings.map(({ explanation }) => explanation).join(' '),
    evidence: findings
      .filter(({ verdict }) => verdict === 'fail')
      .flatMap((finding) => finding.tried.map(({ probe, seqs }) => evidence(`${probe} at the limit`, seqs))),
    causes: findings.flatMap(({ causes = [], verdict }) => (verdict === 'fail' ? causes : [])),
  };
}

function of(tried: readonly Tried[], probe: ScopeProbe): Tried | undefined {
  return tried.find((each) => each.probe === probe);
}

function judgeKeys(all: readonly Tried[], { limit_scope }: Profile): Finding | undefined {
  const tried = of(all, 'scope:other-key');
  if (tried === undefined) {
    return limit_scope === 'discover'
      ? undefined
      : { verdict: 'inconclusive', explanation: 'No other key was tried at the limit.', tried: [] };
  }
  switch (tried.sharing) {
    case 'unclear':
      return {
        verdict: 'inconclusive',
        explanation: 'Whether another key shares the limit is unclear.',
        tried: [],
      };
    case 'shared':
      return {
        verdict: limit_scope === 'per-key' ? 'fail' : 'pass',
        explanation: `Another key is refused while this one is at its limit: they share one${limit_scope === 'per-key' ? ', and each is promised its own' : ''}.`,
        tried: [tried],
        // One limit for each address is one for all keys as well.
        causes:
          of(all, 'scope:other-address')?.sharing === 'separate'
            ? []
            : [fits('limit-shared-by-keys', {}, tried.seqs)],
      };
    case 'separate':
      return {
        verdict: limit_scope === 'shared' ? 'fail' : 'pass',
        explanation: `Each key has a limit of its own${limit_scope === 'shared' ? ', and one for all of them is promised' : ''}.`,
        tried: [tried],
        causes: [
          shown('profile-false', { field: 'limit_scope', told: 'shared', found: 'per-key' }, tried.seqs),
        ],
      };
  }
}

function judgeAddresses(all: readonly Tried[], { limit_scope }: Profile): Finding | undefined {
  const tried = of(all, 'scope:other-address');
  if (tried === undefined || tried.sharing === 'unclear') return undefined;
  if (tried.sharing === 'shared')
    return {
      verdict: 'pass',
      explanation: 'The address that a request comes from makes no difference.',
      tried: [],
    };
  return {
    verdict: limit_scope === 'per-key' ? 'fail' : 'pass',
    explanation: `The same key passes from another address: the limit is kept by address${limit_scope === 'per-key' ? ', and one for each key is promised' : ''}.`,
    tried: [tried],
    causes: [shown('limit-by-address', {}, tried.seqs)],
  };
}

/** A header that any caller can write. Only a limit kept by address may read it, where the caller is a trusted proxy. */
function judgeForwarded(all: readonly Tried[], { limit_scope }: Profile): Finding | undefined {
  const tried = of(all, 'scope:forwarded');
  if (tried === undefined || tried.sharing === 'unclear') return undefined;
  if (tried.sharing === 'shared')
    return { verdict: 'pass', explanation: 'X-Forwarded-For makes no difference.', tried: [] };
  const mayTrust = limit_scope !== 'per-key' && of(all, 'scope:other-address')?.sharing !== 'shared';
  return {
    verdict: mayTrust ? 'inconclusive' : 'fail',
    explanation: mayTrust
      ? 'X-Forwarded-For gives a new limit; the limit may be kept by address, and this address be a trusted proxy.'
      : 'X-Forwarded-For gives the key a new limit: whoever writes that header is not limited at all.',
    tried: [tried],
    causes: [shown('forwarded-address-trusted', {}, tried.seqs)],
  };
}

function judgeInteractions(all: readonly Tried[], { channel }: Profile): Finding | undefined {
  const tried = of(all, 'scope:interact');
  if (tried === undefined || tried.sharing === 'unclear') return undefined;
  const told = interactionsCount(channel);
  const isWrong = told !== 'discover' && told !== (tried.sharing === 'shared');
  return {
    verdict: isWrong ? 'fail' : 'pass',
    explanation:
      tried.sharing === 'shared'
        ? `Interactions are refused while the key that opened their session is at its limit: they spend it${isWrong ? ', and the profile says that they do not' : ''}.`
        : `Interactions pass while the key that opened their session is at its limit: they do not spend it${isWrong ? ', and the profile says that they do' : ''}.`,
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

function judgeEndpoints(all: readonly Tried[], { limit_endpoints }: Profile): Finding | undefined {
  const tried = triedEndpoints(all);
  const apart = tried.filter(({ sharing }) => sharing === 'separate');
  const together = tried.filter(({ sharing }) => sharing === 'shared');
  if (apart.length + together.length === 0) return undefined;
  const names = (some: readonly Tried[]): string => some.map(endpointOf).join(', ');
  if (apart.length === 0) {
    const isWrong = limit_endpoints === 'apart';
    return {
      verdict: isWrong ? 'fail' : tried.length === together.length ? 'pass' : 'inconclusive',
      explanation: `${names(together)} ${together.length === 1 ? 'shares' : 'share'} the limit of list-shades${isWrong ? ', and a limit for each endpoint is promised' : tried.length === together.length ? '' : '; of other endpoints it is unclear'}.`,
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
    explanation: `${names(apart)} ${apart.length === 1 ? 'passes' : 'pass'} while list-shades is at its limit, so ${apart.length === 1 ? 'it has' : 'they have'} a limit of ${apart.length === 1 ? 'its' : 'their'} own or none${together.length === 0 ? '' : `; ${names(together)} ${together.length === 1 ? 'is' : 'are'} refused`}. ${limit_endpoints === 'discover' ? 'Which is meant, the profile does not say (limit_endpoints).' : `Promised: ${limit_endpoints}.`}`,
    tried: apart,
    causes: apartCauses(apart, together, limit_endpoints),
  };
}

/** Where some share the limit, the others are left out of it; where none does, each has its own. */
function apartCauses(
  apart: readonly Tried[],
  together: readonly Tried[],
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

function endpointOf({ probe }: Tried): string {
  return probe.slice('scope:'.length);
}

function seqsOf(some: readonly Tried[]): number[] {
  return some.flatMap(({ seqs }) => seqs.slice(0, 1));
}

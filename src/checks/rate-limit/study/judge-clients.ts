import type { RunInfo } from '../../../history/run.ts';
import type { Profile } from '../../../target/profile.ts';
import type { ScopeProbe } from '../../../vocabulary/probes.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import type { Verdict } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { TriedProbe } from '../traces/scope.ts';

/** The answer to one question about the scope. */
export interface ScopeFinding {
  readonly verdict: Verdict;
  readonly reason: Reason;
  readonly tried: readonly TriedProbe[];
  /** Of a fail. */
  readonly causes?: readonly Suspect[];
}

export function of(tried: readonly TriedProbe[], probe: ScopeProbe): TriedProbe | undefined {
  return tried.find((each) => each.probe === probe);
}

/** Whether keys share a limit. */
export function judgeKeys(all: readonly TriedProbe[], { limit_scope }: Profile): ScopeFinding | undefined {
  const tried = of(all, 'scope:other-key');
  if (tried === undefined) {
    return limit_scope === 'discover'
      ? undefined
      : { verdict: 'inconclusive', reason: reason('scope-keys-not-tried'), tried: [] };
  }
  switch (tried.sharing) {
    case 'unclear':
      return {
        verdict: 'inconclusive',
        reason: reason('scope-keys-unclear'),
        tried: [],
      };
    case 'shared': {
      const isWrong = limit_scope === 'per-key';
      const verdict = isWrong ? 'fail' : 'pass';
      // Rejected from both addresses with this key, and from one of them with another.
      if (of(all, 'scope:other-shard-key')?.sharing === 'separate' && sharingOfAddresses(all) === 'shared')
        return {
          verdict: 'fail',
          reason: reason('scope-keys-and-addresses'),
          tried: [tried],
          causes: [shown('limit-by-address', { keys: 'limited-too' }, tried.seqs)],
        };
      return {
        verdict,
        reason: reason('scope-keys-shared', { isWrong }),
        tried: [tried],
        // One limit for each address is one for all keys as well.
        causes: sharingOfAddresses(all) === 'separate' ? [] : [fits('limit-shared-by-keys', {}, tried.seqs)],
      };
    }
    case 'separate':
      return {
        verdict: limit_scope === 'shared' ? 'fail' : 'pass',
        reason: reason('scope-keys-separate', { isWrong: limit_scope === 'shared' }),
        tried: [tried],
        causes: [
          shown('profile-false', { field: 'limit_scope', told: 'shared', found: 'per-key' }, tried.seqs),
        ],
      };
  }
}

/** Shards know more than one machine does, whose second address is one of loopback. */
function addressesTried(all: readonly TriedProbe[]): TriedProbe | undefined {
  return of(all, 'scope:other-shard') ?? of(all, 'scope:other-address');
}

export function sharingOfAddresses(all: readonly TriedProbe[]): TriedProbe['sharing'] | undefined {
  return addressesTried(all)?.sharing;
}

/** Whether addresses share a limit. */
export function judgeAddresses(
  all: readonly TriedProbe[],
  { limit_scope }: Profile,
  shards: RunInfo['shards'],
): ScopeFinding | undefined {
  const tried = addressesTried(all);
  if (tried === undefined) return undefined;
  const isOfShards = tried.probe === 'scope:other-shard';
  const [one = null, other = null] = isOfShards ? (shards ?? []).map(({ address }) => address) : [];
  const isOne = isOfShards && (one === null || one === other);
  switch (tried.sharing) {
    case 'unclear':
      return isOfShards
        ? { verdict: 'inconclusive', reason: reason('scope-address-unclear'), tried: [] }
        : undefined;
    case 'shared':
      return {
        verdict: 'pass',
        reason: isOne
          ? reason('scope-one-address', { address: one })
          : reason('scope-address-ignored', {
              addresses: one === null || other === null ? [] : [one, other],
            }),
        tried: [],
      };
    case 'separate': {
      const isWrong = limit_scope === 'per-key';
      const keys = of(all, 'scope:other-key')?.sharing === 'separate' ? 'apart' : 'together';
      return {
        // The load of one address may fit a limit of all keys. That of several fits nothing that a profile can promise.
        verdict: isWrong || isOfShards ? 'fail' : 'pass',
        reason: isOfShards ? reason('scope-shards-separate') : reason('scope-address-separate', { isWrong }),
        tried: [tried],
        causes: [shown('limit-by-address', { keys }, tried.seqs)],
      };
    }
  }
}

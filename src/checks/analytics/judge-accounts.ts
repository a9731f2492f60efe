import { type Role, roles } from '../../vocabulary/roles.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { type Accounts, areTogether } from './accounts.ts';
import type { AnalyticsTable } from './table.ts';
import { countedApart, isVouchedFor, knownReasons } from './whose-data.ts';

/** Whether what analytics show of the accounts of keys agrees with what every other check shows. */
export function judgeAccounts({ keys, known, search, allowed }: AnalyticsTable): {
  readonly verdict: 'fail' | 'pass';
  readonly reasons: readonly Reason[];
  /** Of a failure: the keys that analytics count apart. */
  readonly keys: readonly Role[];
} {
  const [only = null] = keys;
  if (keys.length < 2)
    return { verdict: 'pass', keys: [], reasons: [reason('accounts-not-tried', { key: only })] };
  const byId = new Map<string, Accounts>();
  for (const { evaluation } of search?.fitting ?? [])
    for (const frame of evaluation.of.members)
      if (allowed.frame(frame)) byId.set(frame.account.id, frame.account);
  const ways = [...byId.values()];
  const across = countedApart(known, ways);
  if (across.length > 0)
    return {
      verdict: 'fail',
      keys: roles.filter((role) => across.some(({ pair }) => pair.includes(role))),
      reasons: [reason('accounts-contradict'), ...knownReasons(across)],
    };
  const vouching = known.filter(({ pair, are }) =>
    ways.every((way) => areTogether(way, pair) === (are === 'together')),
  );
  return {
    verdict: 'pass',
    keys: [],
    reasons: [
      ...(vouching.length === 0 ? [] : [reason('accounts-agree'), ...knownReasons(vouching)]),
      ...(isVouchedFor(known, ways) ? [] : [reason('accounts-shown-by-analytics-alone')]),
    ],
  };
}

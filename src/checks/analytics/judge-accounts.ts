import { type Role, roles } from '../../target/profile.ts';
import { type Accounts, areTogether } from './accounts.ts';
import type { AnalyticsTable } from './table.ts';
import { countedApart, isVouchedFor, knownWords } from './whose-data.ts';

/** Whether what analytics show of the accounts of keys agrees with what every other check shows, in words. */
export function judgeAccounts({ keys, known, search, allowed }: AnalyticsTable): {
  readonly verdict: 'fail' | 'pass';
  readonly text: string;
  /** Of a failure: the keys that analytics count apart. */
  readonly keys: readonly Role[];
} {
  const [only] = keys;
  if (keys.length < 2)
    return {
      verdict: 'pass',
      keys: [],
      text: `Whether analytics keep accounts apart was not tried: only the ${only} key opened sessions and asked for analytics.`,
    };
  const byWords = new Map<string, Accounts>();
  for (const { evaluation } of search?.fitting ?? [])
    for (const frame of evaluation.of.members)
      if (allowed.frame(frame)) byWords.set(frame.account.words, frame.account);
  const ways = [...byWords.values()];
  const across = countedApart(known, ways);
  if (across.length > 0)
    return {
      verdict: 'fail',
      keys: roles.filter((role) => across.some(({ pair }) => pair.includes(role))),
      text: `Whose data a key sees has two answers: ${knownWords(across)}, as keys of one account can, while analytics count the two apart. If they are of two accounts, the read is a leak.`,
    };
  const vouching = known.filter(({ pair, are }) =>
    ways.every((way) => areTogether(way, pair) === (are === 'together')),
  );
  return {
    verdict: 'pass',
    keys: [],
    text: [
      vouching.length === 0
        ? []
        : `Whose sessions they count agrees with what else is known: ${knownWords(vouching)}.`,
      isVouchedFor(known, ways)
        ? []
        : 'Nothing else in this run shows that the keys share an account. If they do not, this is a leak; the profile can say so (data_scope: per-key).',
    ]
      .flat()
      .join(' '),
  };
}

import { type Accounts, areTogether } from './accounts.ts';
import type { AnalyticsTable } from './table.ts';
import { countedApart, isVouchedFor, knownWords } from './whose-data.ts';

/** Whether what analytics show of the accounts of keys agrees with what every other check shows, in words. */
export function judgeAccounts({ keys, known, search, allowed }: AnalyticsTable): {
  readonly verdict: 'fail' | 'pass';
  readonly text: string;
} {
  const [only] = keys;
  if (keys.length < 2)
    return {
      verdict: 'pass',
      text: `Whether analytics keep accounts apart was not tried: only the ${only} key opened sessions and asked for analytics.`,
    };
  const ways = new Map<string, Accounts>();
  for (const { evaluation } of search?.fitting ?? [])
    for (const frame of evaluation.of.members)
      if (allowed.frame(frame)) ways.set(frame.account.words, frame.account);
  const [way, other] = ways.values();
  const across = countedApart(known, [...ways.values()]);
  if (across.length > 0)
    return {
      verdict: 'fail',
      text: `Whose data a key sees has two answers: ${knownWords(across)}, as keys of one account can, while analytics count the two apart. If they are of two accounts, the read is a leak.`,
    };
  if (way === undefined || other !== undefined)
    return {
      verdict: 'pass',
      text: 'This run does not show whether analytics keep the accounts of its keys apart.',
    };
  const vouching = known.filter(({ pair, are }) => areTogether(way, pair) === (are === 'together'));
  return {
    verdict: 'pass',
    text: [
      vouching.length === 0
        ? []
        : `Whose sessions they count agrees with what else is known: ${knownWords(vouching)}.`,
      isVouchedFor(known, way)
        ? []
        : 'Nothing else in this run shows that the keys share an account. If they do not, this is a leak; the profile can say so (data_scope: per-key).',
    ]
      .flat()
      .join(' '),
  };
}

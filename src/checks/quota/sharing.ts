import { counted } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import type { Suspect } from '../diagnosis/cause.ts';
import { evidenceOf, find } from '../found.ts';
import { mergeVerdicts, type Verdict } from '../verdict.ts';
import type { KeyFacts } from './account.ts';
import { whyOtherAccount } from './account-words.ts';
import type { Judged, Spending } from './spending.ts';

const others = ['bystander', 'twin', 'load'] as const;

/** Whether the quota that was spent is also that of the run's other keys, by what each could open before and after. */
export async function judgeSharing(history: History, { account, refused }: Spending): Promise<Judged> {
  const { keys } = history.run;
  const given = others.filter((role) => keys[role] !== undefined);
  const apart = given.filter((role) => !account.of[role].isSameKey);
  const parts = refused.total === 0 ? [notSpent] : apart.flatMap((role) => judgeKey(role, account.of[role]));
  if (parts.length === 0) parts.push({ verdict: 'inconclusive', text: 'No other key was tried.' });
  const same = given.filter((role) => account.of[role].isSameKey);
  const seqs = await find(
    history,
    "probe IN ('quota:twin', 'quota:other-account', 'quota:load') AND sent_ns IS NOT NULL",
  );
  return {
    verdict: mergeVerdicts(parts.map(({ verdict }) => verdict)),
    expected: Object.fromEntries(given.map((role) => [role, account.of[role].told])),
    observed: Object.fromEntries(
      apart.flatMap((role) => [
        [`${role} before`, account.of[role].before ?? null],
        [`${role} after`, account.of[role].after ?? null],
      ]),
    ),
    explanation: [
      ...parts.map(({ text }) => text),
      ...same.map((role) => `The ${role} key is the quota key itself, so it shows nothing.`),
    ].join(' '),
    evidence: evidenceOf(counted(seqs.total, 'session'), seqs),
    causes: parts.flatMap(({ causes = [] }) => causes),
  };
}

interface Part {
  readonly verdict: Verdict;
  readonly text: string;
  /** Of a fail. */
  readonly causes?: readonly Suspect[];
}

const notSpent: Part = { verdict: 'inconclusive', text: 'The quota was not spent.' };

/** A key that could open a session before the quota of another was spent, and what it could after. */
function judgeKey(role: (typeof others)[number], facts: KeyFacts): Part[] {
  const { after, found, told } = facts;
  // Runs of earlier versions did not ask for sessions with the load key.
  if (after === undefined && role === 'load') return [];
  if (found === 'discover') return [{ verdict: 'inconclusive', text: unclear(role, facts) }];
  const contradicts = told !== 'discover' && told !== found;
  return [
    {
      verdict: contradicts ? 'fail' : 'pass',
      text: `The quota of the ${role} key is ${found === 'same-account' ? 'shared with' : 'separate from'} that of the quota key${contradicts ? `, and the profile says ${told}` : ''}.`,
      causes: contradicts ? whyOtherAccount(role, facts, []) : [],
    },
  ];
}

function unclear(role: string, { before, after }: KeyFacts): string {
  if (after === 402)
    return `The ${role} key was refused with 402 as well; it may have spent a quota of its own.`;
  const shown = (status: number | undefined): string => (status === undefined ? 'no status' : String(status));
  return `The ${role} key was answered ${shown(before)} before the quota was spent and ${shown(after)} after, which does not show whose quota it spends.`;
}

import { counted, number, verb } from '../amounts.ts';
import { readCoverage, totalsOf } from '../checks/corners/read.ts';
import type { CoveredClass, MissReason, ValueOutcome } from '../corners/coverage.ts';
import type { History } from '../history/history.ts';

/** Why a class was not reached, in the words of the report. */
const missWords: Readonly<Record<MissReason, string>> = {
  'ended-early': 'the run ended early',
  'no-key': 'no key was given for the role quota',
  'no-channel': 'no event was sent: there is no interaction channel',
  'no-sessions': 'no session was created',
  'no-finish': 'the profile names no other finish',
  'no-days': 'the run touches one day only',
  'no-room': 'there was no room in the caps or the budget of the run',
  'short-key': 'the key is too short',
  'ruled-out': 'the profile or an earlier answer of the target ruled it out',
  scenario: 'this scenario does not send it; launch or acceptance does',
  chance: 'no request of this run happened to have such a value',
};

export const outcomeWords: Readonly<Record<ValueOutcome, { readonly word: string; readonly mark: string }>> =
  {
    reached: { word: 'Reached', mark: '✓' },
    rejected: { word: 'Rejected: not judged', mark: '–' },
    unanswered: { word: 'No clear answer', mark: '?' },
    'not-sent': { word: 'Not sent', mark: '·' },
  };

/** One line for the terminal. */
export async function coverageLine(history: History): Promise<string> {
  const { classes, reached, rejected } = totalsOf(await readCoverage(history));
  const open =
    rejected === 0 ? '' : `; ${number(rejected)} ${verb(rejected, 'was', 'were')} rejected and not judged`;
  return `Coverage: ${number(reached)} of ${counted(classes, 'class', 'classes')} of values tested${open} (see the report)`;
}

/** The last column of a class that was not reached. */
export function whyNot({ outcome, why }: CoveredClass): string {
  if (outcome === 'rejected') return 'got a 4xx, which the interface leaves open';
  if (outcome === 'unanswered') return 'no request got a 2xx or a 4xx';
  return why === undefined ? '' : missWords[why];
}

import { counted, listed, times } from '../../amounts.ts';
import { accountingReasons } from './run/accounting.ts';
import { generatorReasons } from './run/generator.ts';
import { wording } from './wording.ts';

const endings = {
  completed: 'The run is complete: nothing ended it early',
  interrupted: 'The run was interrupted',
  'kill-switch': 'The run gave up on a target that was failing',
  cap: 'The run reached a cap',
  error: 'The run ended in an error',
} as const;

/** Reasons of the accounting, generator and history checks, and of every group. */
export const runReasons = {
  ...accountingReasons,
  ...generatorReasons,
  'checks-threw': wording(
    { message: 'no such table' },
    ({ message }) => `The check itself failed, so nothing is known: ${message}.`,
  ),
  'left-out': wording(
    { why: 'the budget is too short.' },
    ({ why }) => `Left out: ${why.replace(/\.$/, '')}.`,
  ),
  'generator-bound': wording<{ verdict: 'pass' | 'fail' }>(
    { verdict: 'pass' },
    ({ verdict }) => `Without the delays of the generator, the verdict would be ${verdict}.`,
  ),
  redelivered: wording(
    { deliveries: 2 },
    ({ deliveries }) =>
      `Each request may have been delivered up to ${times(deliveries)} (profile: \`redeliveries\`).`,
  ),
  'defect-or-altered': wording({}, () => 'This is a defect of tryon, or the history was altered.'),
  'history-intact': wording(
    {},
    () => 'Every file has the length and the digest that it had when the run closed it.',
  ),
  'history-recovered': wording<{ cut: { readonly file: string; readonly bytes: number }[] }>(
    { cut: [{ file: 'requests.bin', bytes: 12 }] },
    ({ cut }) =>
      `The run ended before it closed the history, so the last records may be missing.${
        cut.length === 0
          ? ''
          : ` Incomplete records were cut: ${listed(cut.map(({ bytes, file }) => `${counted(bytes, 'byte')} of ${file}`))}.`
      }`,
  ),
  'history-altered': wording(
    { differences: ['requests.bin is 12 bytes shorter'] },
    ({ differences }) => `The history was changed after the run: ${listed(differences, 3)}.`,
  ),
  'run-cut-off': wording({}, () => 'The history has no record of the end of the run.'),
  'run-ended': wording<{ how: keyof typeof endings; detail: string | null }>(
    { how: 'cap', detail: '1,000 requests' },
    ({ detail, how }) =>
      detail === null ? `${endings[how]}.` : `${endings[how]}: ${detail.replace(/\.$/, '')}.`,
  ),
} as const;

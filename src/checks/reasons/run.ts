import { counted, listed, number, times } from '../../amounts.ts';
import { accountingReasons } from './run/accounting.ts';
import { generatorReasons } from './run/generator.ts';

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
  'checks-threw': ({ message }: { message: string }) =>
    `The check itself failed, so nothing is known: ${message}.`,
  'left-out': ({ why }: { why: string }) => `Left out: ${why.replace(/\.$/, '')}.`,
  'generator-bound': ({ verdict }: { verdict: 'pass' | 'fail' }) =>
    `Without the delays of the generator, the verdict would be ${verdict}.`,
  'classes-not-reached': (params: { field: string; classes: number; missing: readonly string[] }) =>
    params.classes === 1
      ? `Not tested: the class “${some(params.missing)}” of “${params.field}”.`
      : `Not tested: ${number(params.missing.length)} of ${counted(params.classes, 'class', 'classes')} of “${params.field}” (${some(params.missing)}).`,
  redelivered: ({ deliveries }: { deliveries: number }) =>
    `Each request may have been delivered up to ${times(deliveries)} (profile: \`redeliveries\`).`,
  'defect-or-altered': 'This is a defect of tryon, or the history was altered.',
  'history-intact': 'Every file has the length and the digest that it had when the run closed it.',
  'history-recovered': ({ cut }: { cut: { file: string; bytes: number }[] }) =>
    `The run ended before it closed the history, so the last records may be missing.${
      cut.length === 0
        ? ''
        : ` Incomplete records were cut: ${listed(cut.map(({ bytes, file }) => `${counted(bytes, 'byte')} of ${file}`))}.`
    }`,
  'history-altered': ({ differences }: { differences: readonly string[] }) =>
    `The history was changed after the run: ${listed(differences, 3)}.`,
  'shards-lost': ({ lost, of, verdict }: { lost: readonly number[]; of: number; verdict: 'pass' | 'fail' }) =>
    `${lost.length === 1 ? 'Shard' : 'Shards'} ${lost.map(number).join(', ')} of ${number(of)} left no whole history, so what was sent there is unknown. ` +
    `Without that this check would ${verdict}.`,
  'run-cut-off': 'The history has no record of the end of the run.',
  'run-ended': ({ detail, how }: { how: keyof typeof endings; detail: string | null }) =>
    detail === null ? `${endings[how]}.` : `${endings[how]}: ${detail.replace(/\.$/, '')}.`,
} as const;

/** The first two; they may hold commas. */
function some(classes: readonly string[]): string {
  const more = classes.length - 2;
  return [...classes.slice(0, 2), ...(more > 0 ? [`${number(more)} more`] : [])].join('; ');
}

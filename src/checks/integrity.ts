import { counted } from '../amounts.ts';
import type { History } from '../history/history.ts';
import { shown } from './diagnosis/cause.ts';
import type { CheckResult } from './verdict.ts';

/** Whether the history is what the run wrote, and whether the run came to its end. */
export async function checkHistory(history: History): Promise<CheckResult[]> {
  return [checkIntegrity(history), checkComplete(history)];
}

function checkIntegrity({ integrity }: History): CheckResult {
  const base = {
    id: 'history.integrity',
    title: 'The history is unchanged since the run',
    expected: 'every file as its manifest says, to the byte',
    evidence: [],
  } as const;
  switch (integrity.kind) {
    case 'intact':
      return {
        ...base,
        verdict: 'pass',
        observed: 'intact',
        explanation: 'Every file has the length and the digest that it was closed with.',
      };
    case 'recovered': {
      const cut = Object.entries(integrity.cut).map(
        ([file, bytes]) => `${counted(bytes, 'byte')} of ${file}`,
      );
      return {
        ...base,
        verdict: 'inconclusive',
        observed: { 'torn bytes cut': integrity.cut },
        explanation: `The writer was cut off before it closed the history${cut.length === 0 ? '' : `; ${cut.join(', ')} were a torn record and are gone`}. The last records may be missing.`,
      };
    }
    case 'altered':
      return {
        ...base,
        verdict: 'fail',
        observed: integrity.differences,
        explanation: `The history was changed after the run: ${integrity.differences.join('; ')}.`,
        causes: [shown('history-altered', { differences: integrity.differences })],
      };
  }
}

const endings = {
  completed: 'The run came to its end.',
  interrupted: 'The run was interrupted',
  'kill-switch': 'The run gave up on a target that was failing',
  cap: 'The run reached a cap',
  error: 'The run ended in an error',
} as const;

function checkComplete({ run }: History): CheckResult {
  const base = {
    id: 'history.complete',
    title: 'The run comes to its end',
    expected: 'completed',
    evidence: [],
  } as const;
  if (run.ended === undefined) {
    return {
      ...base,
      verdict: 'inconclusive',
      observed: 'no end',
      explanation: 'The run was cut off: it never noted its end.',
    };
  }
  const { how, detail } = run.ended;
  const explanation = detail === undefined ? endings[how] : `${endings[how].replace(/\.$/, '')}: ${detail}`;
  return {
    ...base,
    verdict: how === 'completed' ? 'pass' : 'inconclusive',
    observed: how,
    explanation: explanation.endsWith('.') ? explanation : `${explanation}.`,
  };
}

import type { History } from '../history/history.ts';
import { shown } from './causes/cause.ts';
import type { CheckFinding } from './core/verdict.ts';
import { expects } from './reasons/expected.ts';
import { reason } from './reasons/reason.ts';

/** Whether the history is what the run wrote, and whether the run came to its end. */
export async function checkHistory(history: History): Promise<CheckFinding[]> {
  return [checkIntegrity(history), checkComplete(history)];
}

function checkIntegrity({ integrity, leftOut }: History): CheckFinding {
  const base = {
    id: 'history.integrity',
    expected: expects('history.integrity'),
  } as const;
  switch (integrity.kind) {
    case 'intact':
      return {
        ...base,
        verdict: 'pass',
        observed: 'intact',
        reasons: [reason('history-intact')],
      };
    case 'recovered': {
      const cut = Object.entries(integrity.cut).map(([file, bytes]) => ({ file, bytes }));
      return {
        ...base,
        verdict: 'inconclusive',
        observed: { 'bytes cut': integrity.cut },
        reasons: [reason('history-recovered', { cut, leftOut })],
      };
    }
    case 'altered':
      return {
        ...base,
        verdict: 'fail',
        observed: integrity.differences,
        reasons: [reason('history-altered', { differences: [...integrity.differences] })],
        causes: [shown('history-altered', { differences: integrity.differences })],
      };
  }
}

function checkComplete({ run }: History): CheckFinding {
  const base = {
    id: 'history.complete',
    expected: 'completed',
  } as const;
  if (run.ended === undefined) {
    return {
      ...base,
      verdict: 'inconclusive',
      observed: 'no end',
      reasons: [reason('run-cut-off')],
    };
  }
  const { how, detail } = run.ended;
  return {
    ...base,
    verdict: how === 'completed' ? 'pass' : 'inconclusive',
    observed: how,
    reasons: [reason('run-ended', { how, detail: detail ?? null })],
  };
}

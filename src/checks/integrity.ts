import type { History } from '../history/history.ts';
import { shown } from './causes/cause.ts';
import type { CheckFinding } from './core/verdict.ts';
import { reason } from './reasons/reason.ts';

/** Whether the history is what the run wrote, and whether the run came to its end. */
export async function checkHistory(history: History): Promise<CheckFinding[]> {
  return [checkIntegrity(history), checkComplete(history)];
}

function checkIntegrity({ integrity, leftOut }: History): CheckFinding {
  const check = { id: 'history.integrity' } as const;
  switch (integrity.kind) {
    case 'intact':
      return { ...check, verdict: 'pass', observed: 'intact', reasons: [reason('history-intact')] };
    case 'recovered': {
      const cut = Object.entries(integrity.cut).map(([file, bytes]) => ({ file, bytes }));
      const reasons = [reason('history-recovered', { cut, leftOut })];
      return { ...check, verdict: 'inconclusive', observed: { 'bytes cut': integrity.cut }, reasons };
    }
    case 'altered': {
      const differences = [...integrity.differences];
      const reasons = [reason('history-altered', { differences })];
      const causes = [shown('history-altered', { differences })];
      return { ...check, verdict: 'fail', observed: differences, reasons, causes };
    }
  }
}

function checkComplete({ run: { ended } }: History): CheckFinding {
  const { detail = null, how } = ended ?? {};
  return {
    id: 'history.complete',
    expected: 'completed',
    verdict: how === 'completed' ? 'pass' : 'inconclusive',
    observed: how ?? 'no end',
    reasons: [how === undefined ? reason('run-cut-off') : reason('run-ended', { how, detail })],
  };
}

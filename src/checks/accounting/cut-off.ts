import type { History } from '../../history/history.ts';
import { type Reason, reason } from '../reasons/reason.ts';

/** Why the last records of a run may be missing although nothing is wrong; undefined when they may not. */
export function cutOff({ run, integrity }: History): Reason | undefined {
  if (integrity.kind === 'recovered') return reason('history-recovered', { cut: [] });
  if (run.ended === undefined) return reason('run-cut-off');
  return undefined;
}

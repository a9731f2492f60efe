import type { History } from '../../history/history.ts';

/** Why the last records of a run may be missing through nobody's fault; undefined when they may not. */
export function cutOff({ run, integrity }: History): string | undefined {
  if (integrity.kind === 'recovered') return 'the history was recovered after its writer was cut off';
  if (run.ended === undefined) return 'the run never got to its end';
  return undefined;
}

/** What a mismatch means. */
export const blame = 'a defect of the harness or an altered history';

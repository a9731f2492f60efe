import type { History } from '../../history/history.ts';

/** Whether the run studied the limiter. */
export function studiesLimits({ run }: Pick<History, 'run'>): boolean {
  return run.studies?.some(({ kind }) => kind === 'limits') === true;
}

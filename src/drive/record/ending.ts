import type { RunInfo } from '../../history/run.ts';

/** How a run ended. */
export type Ending = NonNullable<RunInfo['ended']>;

export type StopReason = 'interrupted' | 'kill-switch' | 'cap' | 'error';

/** Says how a run ended: the first thing that went wrong, if anything did. */
export function endingOf(run: {
  readonly atEpochMs: number;
  readonly error: unknown;
  readonly historyFailure: Error | undefined;
  /** Why the target was given up on by what asks outside the load. */
  readonly gaveUp: string | undefined;
  readonly stopped: StopReason | undefined;
  /** Of the cap on time that every run has, where that was reached. */
  readonly overTime?: string | undefined;
  readonly killReason: string | undefined;
}): Ending {
  const at = { at_epoch_ms: run.atEpochMs };
  if (run.error !== undefined) {
    const detail = run.error instanceof Error ? run.error.message : String(run.error);
    return { ...at, how: 'error', detail };
  }
  if (run.historyFailure !== undefined)
    return { ...at, how: 'error', detail: `history: ${run.historyFailure.message}` };
  if (run.gaveUp !== undefined) return { ...at, how: 'kill-switch', detail: run.gaveUp };
  switch (run.stopped) {
    case undefined:
      return { ...at, how: 'completed' };
    case 'kill-switch':
      return { ...at, how: run.stopped, detail: run.killReason ?? 'the target was failing' };
    case 'cap':
      return {
        ...at,
        how: run.stopped,
        detail: run.overTime ?? 'a cap on requests, sessions or minutes was reached',
      };
    default:
      return { ...at, how: run.stopped };
  }
}

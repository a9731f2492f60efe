/** Exit codes of every command, and the errors that lead to them. The only place that defines either. */
export const exitCode = {
  pass: 0,
  checkFailed: 1,
  usage: 2,
  inconclusive: 3,
  targetUnreachable: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** An end of the program that the user can act on: shown as its message alone, without a stack. */
export class TryonError extends Error {
  override readonly name = 'TryonError';
  readonly exit: ExitCode;

  constructor(exit: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exit = exit;
  }
}

/** Wrong arguments, a malformed profile or scenario, an out folder that exists or cannot be made. */
export function usageError(message: string, cause?: unknown): TryonError {
  return new TryonError(exitCode.usage, message, cause === undefined ? undefined : { cause });
}

/** The target cannot be reached or was given up on, or the run had to be: its history cannot be written. */
export function targetError(message: string, cause?: unknown): TryonError {
  return new TryonError(exitCode.targetUnreachable, message, cause === undefined ? undefined : { cause });
}

import type { z } from 'zod';

/** Exit codes of every command, and the errors that lead to them. The only place that defines either. */
export const exitCode = {
  pass: 0,
  checkFailed: 1,
  usage: 2,
  inconclusive: 3,
  targetUnreachable: 4,
  /** EX_SOFTWARE of sysexits.h: a defect of this program. */
  internal: 70,
  /** EX_IOERR of sysexits.h: a file could not be written. */
  cannotWrite: 74,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** An end of the program that the user can act on: shown as its message, without a stack. */
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

/** Puts the option's name before what is wrong with its text, as a usage error. */
export function readOption<T>(option: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw usageError(`${option}: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

/** A file could not be written. `message` says which, what is safe, and which command goes on. */
export function writeError(message: string, cause?: unknown): TryonError {
  return new TryonError(exitCode.cannotWrite, message, cause === undefined ? undefined : { cause });
}

/** The error of a file system or another system call as text: `no space left on device (ENOSPC)`. */
export function systemWords(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, code, words] = /^(E[A-Z0-9]+): (.+?)(?:, [a-z]+(?: '.*)?)?$/s.exec(message) ?? [];
  if (code !== undefined && words !== undefined) return `${words} (${code})`;
  return error instanceof Error && error.cause !== undefined ? systemWords(error.cause) : message;
}

/** The target cannot be reached or was given up on. */
export function targetError(message: string, cause?: unknown): TryonError {
  return new TryonError(exitCode.targetUnreachable, message, cause === undefined ? undefined : { cause });
}

type Issue = z.core.$ZodIssue;

/** Of a value with several forms, the issues of the form that it comes closest to: they lie deepest. */
function closestIssues(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const forms = issue.errors.map((issues) => issues.flatMap(closestIssues));
  const depthOf = (issues: readonly Issue[]): number => Math.max(0, ...issues.map(({ path }) => path.length));
  const closest = forms.toSorted((a, b) => depthOf(b) - depthOf(a))[0] ?? [];
  return depthOf(closest) === 0
    ? [issue]
    : closest.map((each) => ({ ...each, path: [...issue.path, ...each.path] }));
}

/** `load[0].rate: expected …`, one a line. */
export function fieldErrors(error: z.ZodError): string {
  return error.issues
    .flatMap(closestIssues)
    .map((issue) => {
      const path = issue.path
        .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
        .join('');
      return `${path.replace(/^\./, '') || '(root)'}: ${issue.message}`;
    })
    .join('\n  ');
}

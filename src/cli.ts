import yargs from 'yargs';
import { completeBy, inWords, Mistyped } from './commands/command-line.ts';
import { commands } from './commands/commands.ts';
import { exitCode, systemWords, TryonError, usageError, writeError } from './exit.ts';
import { visibleLines } from './report/text.ts';

/** The command line. Sets the process's exit code; errors that a user can act on print no stack. */
export async function main(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  if (process.listenerCount('uncaughtException', fall) === 0) process.on('uncaughtException', fall);
  if (process.stdout.listenerCount('error', outputFailed) === 0) process.stdout.on('error', outputFailed);
  try {
    const line = yargs([...argv]);
    withoutCachedHelp(line);
    await line
      // Turns yargs' messages about wrong input into our texts.
      .locale('en')
      .scriptName('tryon')
      .usage(
        '$0 <command> [options]\n\nLoad-tests a virtual try-on service and verifies its limits, quota and analytics.',
      )
      .command([...commands])
      .completion('completion', 'Print a script: completion in bash or zsh', completeBy(argv))
      .demandCommand(1)
      .strict()
      .check(assertOnce)
      .wrap(Math.min(100, process.stdout.columns ?? 80))
      .epilogue(
        'Exit codes: 0 every check passed, 1 a check failed, 2 wrong usage or configuration, 3 inconclusive, 4 target unreachable or run aborted, 70 internal error, 74 a file could not be written, 130 interrupted.',
      )
      .fail((message, error) => {
        // Errors that yargs finds, such as an option without its value, have a separate type.
        throw error === undefined || error.name === 'YError'
          ? new Mistyped(error?.message ?? message, optionsOf(line))
          : error;
      })
      .parseAsync();
  } catch (error) {
    process.exitCode = report(error instanceof Mistyped ? await explained(error, argv) : error);
  }
}

/** A reader such as `head` may close the pipe early. */
function outputFailed(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  process.exit(report(writeError(`standard output could not be written: ${systemWords(error)}`, error)));
}

/** Options that may be given several times. */
const repeatable: ReadonlySet<string> = new Set(
  commands
    .flatMap(({ children, options }) => [options, ...children.map((child) => child.options)])
    .flatMap((rows) => Object.keys(rows).filter((name) => rows[name]?.array === true)),
);

/** Throws a usage error for an option that is given twice and can only mean one thing; yargs would make a list of it. */
function assertOnce(args: Readonly<Record<string, unknown>>): true {
  for (const [name, value] of Object.entries(args)) {
    if (name === '_' || name === '--' || !Array.isArray(value) || repeatable.has(dashed(name))) continue;
    throw usageError(`--${dashed(name)}: given twice: ${value.map(String).join(', ')}`);
  }
  return true;
}

/** yargs has each option under its name in camel case as well. */
function dashed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}

async function explained(error: Mistyped, argv: readonly string[]): Promise<TryonError> {
  // Only for a mistake: this loads what reads scenarios.
  const { shippedNames } = await import('./scenario/files.ts');
  return usageError(inWords(error, argv, commands, await shippedNames()), error);
}

/** The options that are known where yargs gave up. Its types leave the method out. */
function optionsOf(line: unknown): string[] {
  const { key } = (line as { getOptions(): { readonly key: object } }).getOptions();
  return Object.keys(key);
}

/** Before each command yargs renders its help, which nothing here shows: a tenth of a start. Its types leave this out. */
function withoutCachedHelp(line: unknown): void {
  const { getInternalMethods } = line as {
    getInternalMethods?(): { getUsageInstance(): { cacheHelpMessage: () => void } };
  };
  const usage = getInternalMethods?.call(line).getUsageInstance();
  if (usage !== undefined) usage.cacheHelpMessage = () => undefined;
}

/** Ends the program for an error that nothing caught. By itself, Node.js would exit with the code of a failed check. */
function fall(error: unknown): void {
  process.exit(report(error));
}

function report(error: unknown): number {
  if (error instanceof TryonError) {
    process.stderr.write(visibleLines(`tryon: ${error.message}`).concat('\n'));
    return error.exit;
  }
  if (isWriting(error))
    return report(writeError(`a file could not be written: ${systemWords(error)}`, error));
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(visibleLines(`tryon: internal error: ${stack}`).concat('\n'));
  return exitCode.internal;
}

/** Whether the file system rejected a write to any file: that is no defect of the program. */
function isWriting(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS' || code === 'EFBIG';
}

import yargs from 'yargs';
import { catalogCommand } from './commands/catalog.ts';
import { reportCommand } from './commands/report.ts';
import { runCommand } from './commands/run.ts';
import { scenariosCommand } from './commands/scenarios.ts';
import { selftestCommand } from './commands/selftest.ts';
import { serveCommand } from './commands/serve.ts';
import { simulateCommand } from './commands/simulate.ts';
import { verifyCommand } from './commands/verify.ts';
import { exitCode, TryonError, usageError } from './exit.ts';

/** The command line. Sets the process's exit code; prints errors that a user can act on without a stack. */
export async function main(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  // Somebody who pipes into `head` has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  try {
    await yargs([...argv])
      .scriptName('tryon')
      .usage(
        '$0 <command>\n\nLoad-tests a virtual try-on service and verifies its limits, quota and analytics.',
      )
      .command(runCommand)
      .command(serveCommand)
      .command(scenariosCommand)
      .command(catalogCommand)
      .command(simulateCommand)
      .command(verifyCommand)
      .command(reportCommand)
      .command(selftestCommand)
      .demandCommand(1, 'expected a command; see tryon --help')
      .strict()
      .wrap(Math.min(100, process.stdout.columns ?? 80))
      .epilogue(
        'Exit codes: 0 pass, 1 a check failed, 2 usage, 3 inconclusive, 4 target unreachable or run aborted, 130 interrupted.',
      )
      .fail((message, error) => {
        // What yargs itself finds wrong, such as an option without its value, comes as an error of its own kind.
        throw error === undefined || error.name === 'YError' ? usageError(error?.message ?? message) : error;
      })
      .parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): number {
  if (error instanceof TryonError) {
    process.stderr.write(`tryon: ${error.message}\n`);
    return error.exit;
  }
  process.stderr.write(
    `tryon: internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return exitCode.targetUnreachable;
}

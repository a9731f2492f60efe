import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { counted, span } from '../../amounts.ts';
import { type ExitCode, exitCode, usageError } from '../../exit.ts';
import { writeWhole } from '../../report/write-file.ts';
import { conductMutants, programDigest, readResults } from '../../selftest/mutants/conduct.ts';
import { mutantsOf, serviceFiles } from '../../selftest/mutants/enumerate.ts';
import { knownOf } from '../../selftest/mutants/known.ts';
import { mutantRuns } from '../../selftest/mutants/runs.ts';
import { inSampleOrder } from '../../selftest/mutants/sample.ts';
import { countsOf, mutantsTable, reportedOf, totalLine } from '../../selftest/mutants/table.ts';
import type { TriedMutant } from '../../selftest/mutants/try.ts';
import { Programs } from '../../selftest/program.ts';
import { makeFolder } from '../run/run-folder.ts';
import { onInterrupt } from '../run/signals.ts';
import type { SelftestArguments } from '../selftest.ts';
import { referenceDescription } from '../serve/serve-openapi.ts';

const docsFile = 'docs/mutants.md';
/** What lies between two of these in the file is written by the program. */
const mark = '<!-- mutants -->';

/**
 * Tries a sample of mutants of the reference service, and prints which survive. Results stay in the folder, and are not
 * made again. Returns the exit code. Throws usage errors.
 */
export async function runMutants(args: SelftestArguments & { readonly mutants: number }): Promise<ExitCode> {
  const jobs = args.jobs ?? availableParallelism();
  const folder = args.out ?? join('reports', 'mutants');
  await makeFolder(folder);
  const files = await serviceFiles();
  const all = mutantsOf(files);
  const sample = inSampleOrder(all, args.seed).slice(0, args.mutants);
  const only = args.only && new Set(args.only.flatMap((text) => text.split(',')));
  const missing = [...(only ?? [])].filter((id) => sample.every((mutant) => mutant.id !== id));
  if (missing.length > 0) throw usageError(`--only: not in the sample: ${missing.join(', ')}`);
  const worthTrying = sample.filter(
    (mutant) => knownOf(mutant)?.kind !== 'equivalent' && only?.has(mutant.id) !== false,
  );

  const programs = new Programs();
  let isGoingOn = true;
  const stop = (): void => {
    isGoingOn = false;
    programs.interrupt();
  };
  const offInterrupt = onInterrupt(stop, stop);
  const description = resolve(folder, 'service.openapi.json');
  await writeWhole(description, JSON.stringify(referenceDescription()));
  try {
    await conductMutants(worthTrying, {
      description,
      again: only !== undefined,
      programs,
      runs: mutantRuns,
      folder,
      paths: files.map(({ path }) => path),
      jobs,
      goesOn: () => isGoingOn,
      onTried: (tried) => process.stderr.write(`${progressLine(tried)}\n`),
      onMeasured: (run) => process.stderr.write(`run ${run} without a mutant: done\n`),
    });
  } finally {
    offInterrupt();
  }

  const reported = reportedOf(sample, await readResults(folder));
  const about = { planned: sample.length, possible: all.length, seed: args.seed };
  const table = mutantsTable(reported, about);
  await writeWhole(join(folder, 'mutants.md'), `${table}\n`);
  if (args['write-docs']) await writeDocs(table);
  const program = await programDigest();
  const old = reported.filter(({ tried }) => tried !== undefined && tried.program !== program).length;
  const age = old === 0 ? '' : `${counted(old, 'result')} of another version of the program.\n`;
  process.stdout.write(`${totalLine(reported)}\n${age}Table  ${join(folder, 'mutants.md')}\n`);
  if (!isGoingOn) return exitCode.interrupted;
  const { survived, unreached } = countsOf(reported);
  return survived + unreached === 0 ? exitCode.pass : exitCode.checkFailed;
}

async function writeDocs(table: string): Promise<void> {
  const [head = '', , tail = '\n'] = (await readFile(docsFile, 'utf8')).split(mark);
  await writeWhole(docsFile, `${head}${mark}\n${table}\n${mark}${tail}`);
}

function progressLine({ id, line, operator, outcome, path, runs, seconds }: TriedMutant): string {
  const how =
    outcome.kind === 'killed' ? `killed by ${outcome.run}: ${outcome.cause ?? 'no cause'}` : outcome.kind;
  const after = counted(runs.length, 'run');
  return `${id} (${operator}, ${path}:${line}): ${how}, after ${after} in ${span(seconds * 1_000)}`;
}

import { rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { counted, number } from '../amounts.ts';
import { type ExitCode, exitCode } from '../exit.ts';
import type { SelftestArguments } from './options.ts';
import { chooseCases, type Listing, listingSchema, type Selection } from './selftest/cases.ts';
import { conduct, Programs, runsFolder, type Tried } from './selftest/conduct.ts';
import { isProven, progressLine, renderSelftest, resultOf, selftestJson } from './selftest/result.ts';
import { freeFolder, makeFolder, newRunFolder, onInterrupt } from './shell.ts';

/** Listing what can be planted loads a service and starts none. */
const listingWithinMs = 30_000;

/** Runs a selftest from the command line; returns the exit code. Throws usage errors. */
export async function runSelftest(args: SelftestArguments): Promise<ExitCode> {
  const selection = readSelection(args);
  const jobs = args.jobs ?? 2 * availableParallelism();
  const folder = args.out ?? freeFolder('selftest');
  newRunFolder(folder);
  const programs = new Programs();
  const listing = await readListing(programs);
  const cases = chooseCases(listing, selection);
  await makeFolder(folder);

  let isGoingOn = true;
  const stop = (): void => {
    isGoingOn = false;
    programs.interrupt();
  };
  const offInterrupt = onInterrupt(stop, stop);
  const beganMs = Date.now();
  const began = performance.now();
  const all: Tried[] = [];
  process.stderr.write(`${counted(cases.length, 'run')}, ${number(jobs)} at once; each takes 10 to 60 s\n`);
  try {
    await conduct(cases, {
      programs,
      folder,
      jobs,
      keepAll: args.keep,
      foreign: args.foreign,
      goesOn: () => isGoingOn,
      onTried: (tried) => {
        all.push(tried);
        process.stderr.write(`${number(all.length)} of ${number(cases.length)}  ${progressLine(tried)}\n`);
      },
    });
  } finally {
    offInterrupt();
  }
  const tookMs = performance.now() - began;
  if (all.every((each) => each.folder === undefined)) await rm(join(folder, runsFolder), { recursive: true });
  const order = [...listing.defects.map(({ id }) => id), ...listing.variants.map(({ name }) => name)];
  const result = resultOf(
    all,
    { beganMs, tookMs, jobs, foreign: args.foreign, planned: cases.length },
    order,
  );
  const json = JSON.stringify(selftestJson(result), null, 2);
  await writeFile(join(folder, 'selftest.json'), `${json}\n`);
  process.stdout.write(
    args.json ? `${json}\n` : `${renderSelftest(result)}\nReport  ${join(folder, 'selftest.json')}\n`,
  );
  if (!isGoingOn) return exitCode.interrupted;
  return isProven(result) ? exitCode.pass : exitCode.checkFailed;
}

function readSelection(args: SelftestArguments): Selection {
  return {
    defects: args.defect?.flatMap((text) => text.split(',')),
    variants: args.variant?.flatMap((text) => text.split(',')),
    firstSeed: args['first-seed'],
    seeds: args.seeds,
  };
}

async function readListing(programs: Programs): Promise<Listing> {
  const { output, stdout } = await programs.run(['serve', '--list-defects', '--json'], listingWithinMs);
  try {
    return listingSchema.parse(JSON.parse(stdout));
  } catch (error) {
    throw new Error(`the reference service did not say what can be planted: ${output.trim()}`, {
      cause: error,
    });
  }
}

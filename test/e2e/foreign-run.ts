import { join } from 'node:path';
import type { VerdictsJson } from '../../src/checks/verdicts.ts';
import type { ProfileInput } from '../../src/target/profile.ts';
import { type ForeignChoices, type ForeignService, startForeignService } from './foreign-service.ts';
import {
  atEnd,
  atMost,
  type Ended,
  patiently,
  profileArguments,
  readVerdicts,
  temporaryFolder,
  tryon,
} from './program.ts';

/** A run against a foreign service, and what came of it. */
export interface ForeignRun {
  readonly out: string;
  readonly ended: Ended;
  readonly service: ForeignService;
  readonly verdicts: () => VerdictsJson;
}

export interface ForeignRunOptions {
  /** A scenario, and further arguments. */
  readonly run?: readonly string[];
  readonly profile?: ProfileInput;
  /** Whose keys it is given. */
  readonly roles?: readonly (keyof ForeignService['keys'])[];
}

/** Those of a test file that run at once; the machine has two cores. */
const gate = atMost(3);

/** Runs a scenario against a foreign service with these choices; by default `smoke` with the load key alone. */
export async function runAgainst(
  choices: ForeignChoices,
  { profile = patiently, roles = ['load'], run = ['smoke'] }: ForeignRunOptions = {},
): Promise<ForeignRun> {
  const service = await startForeignService(choices);
  atEnd(() => service.close());
  const out = join(temporaryFolder(), 'run');
  const keyArguments = roles.flatMap((role) => ['--key', `${role}=${role.toUpperCase()}`]);
  const ended = await gate(() =>
    tryon(
      [
        ...['run', ...run, '--target', service.baseUrl, '--out', out],
        ...keyArguments,
        ...profileArguments(profile),
      ],
      { env: Object.fromEntries(roles.map((role) => [role.toUpperCase(), service.keys[role]])) },
    ),
  );
  return { out, ended, service, verdicts: () => readVerdicts(out) };
}

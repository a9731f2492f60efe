import { existsSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { counted } from '../../amounts.ts';
import { exitCode, systemWords, TryonError, targetError, usageError } from '../../exit.ts';
import { profileSchemaFile } from '../../program-files.ts';
import { isLoopback, parseBaseUrl } from '../../target/guard.ts';
import { type Keys, readKeys } from '../../target/keys.ts';
import { resolveProfile } from '../../target/profile-layers.ts';
import type { InitArguments } from '../init.ts';
import { environment } from '../run/environment.ts';
import { type FirstFacts, profileText } from './first-profile-text.ts';
import { type Ask, gather } from './first-questions.ts';
import { type Look, lookAt, requestsOfLook } from './look.ts';

/**
 * Asks what the options leave open, looks at the target and writes a profile with comments. Throws usage errors, and a
 * target error if the target does not answer.
 */
export async function writeFirstProfile(args: InitArguments): Promise<void> {
  if (existsSync(args.file)) throw usageError(`${args.file} exists already; it is not overwritten`);
  const env = environment(args['env-file']);
  const facts = await withTerminal((ask) => gather(args, ask));
  const baseUrl = parseBaseUrl(facts.baseUrl);
  const profile = resolveProfile({ base_url: baseUrl.href }, 'profile');
  const keys = keysThatAreSet(facts.keys, env);
  process.stdout.write(
    `Reading analytics of ${baseUrl.href}: up to ${counted(requestsOfLook(keys), 'request')}. Nothing is changed there.\n`,
  );
  const look = await lookAt(baseUrl, profile, keys);
  const text = profileText(facts, look, schemaFrom(args.file));
  try {
    writeFileSync(args.file, text, { flag: 'wx' });
  } catch (error) {
    throw usageError(`${args.file} cannot be written: ${systemWords(error)}`, error);
  }
  process.stdout.write(outcome(args.file, facts, look));
}

/** Lends a way to ask: the terminal, if there is one. */
async function withTerminal<Result>(use: (ask: Ask) => Promise<Result>): Promise<Result> {
  if (!process.stdin.isTTY) return use(() => Promise.resolve(undefined));
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await use((question) => terminal.question(`${question} `));
  } catch (error) {
    // Ctrl-C or Ctrl-D in place of an answer.
    if (error instanceof Error && error.name === 'AbortError')
      throw new TryonError(exitCode.interrupted, 'interrupted; no profile was written', { cause: error });
    throw error;
  } finally {
    terminal.close();
  }
}

/** A key that is not set yet is no reason not to write a profile. */
function keysThatAreSet(places: FirstFacts['keys'], env: NodeJS.ProcessEnv): Keys {
  const set = [...places].filter(([, place]) => (env[place.env] ?? '').trim() !== '');
  return readKeys(Object.fromEntries(set), env);
}

/** Where the schema is, from the folder of the profile. */
function schemaFrom(file: string): string {
  const path = relative(dirname(resolve(file)), fileURLToPath(profileSchemaFile));
  return path.startsWith('.') ? path : `./${path}`;
}

function outcome(file: string, { baseUrl, keys }: FirstFacts, look: Look): string {
  const { host, hostname } = new URL(baseUrl);
  const { withKey, withoutKey } = look;
  if (withoutKey.status === undefined)
    throw targetError(
      `${host} did not answer (${withoutKey.problem ?? 'no reason given'}). ${file} was written nevertheless`,
    );
  const notes = [...keys].flatMap(([role, { env }]) => {
    const seen = withKey.get(role);
    if (seen === undefined) return [`Key ${role}: ${env} is not set, so it was not tried.`];
    return seen.status === 200
      ? []
      : [`Key ${role} (${env}): expected 200, got ${seen.status ?? seen.problem}.`];
  });
  const permission = isLoopback(hostname)
    ? []
    : [`It permits load on ${host} (allow_hosts). Remove the line if you have no permission for that.`];
  return [
    `Profile written to ${file}.`,
    ...permission,
    ...notes,
    '',
    'Next:',
    `  npx tryon doctor --profile ${file}      # what each scenario would lack`,
    `  npx tryon run smoke --profile ${file}   # a quick check of everything`,
    '',
  ].join('\n');
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { referenceDescription } from '../../src/commands/serve/serve-openapi.ts';
import { type ForeignService, startForeignService } from '../e2e/foreign-service.ts';
import { archive, expectedFile, expectedOf, judged, pack, unpack } from './folder.ts';
import { type End, type Recording, recordings } from './recordings.ts';

/*
 * node test/frozen/record.ts [--out FOLDER] [NAME…]: records these runs anew, or all, and what they are judged to be now.
 * A run on a busy machine is made again: it was late, and that is not what it is kept for.
 */

const root = join(import.meta.dirname, '..', '..');
const mostTries = 3;
const roles = ['load', 'quota', 'bystander'] as const;

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' } },
});
const unknown = names.find((name) => !recordings.some((recording) => recording.name === name));
if (unknown !== undefined) throw new Error(`there is no recording ${unknown}`);
for (const recording of recordings)
  if (names.length === 0 || names.includes(recording.name))
    await record(recording, join(values.out ?? import.meta.dirname, recording.name));

async function record(recording: Recording, folder: string): Promise<void> {
  for (let tries = 1; tries <= mostTries; tries++) {
    const work = await mkdtemp(join(tmpdir(), 'tryon-record-'));
    try {
      if (await recordOnce(recording, folder, work)) return;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  throw new Error(`${recording.name}: ${mostTries} runs came to something else than ${recording.verdict}`);
}

/** Whether the run came to what it is kept for, and was kept. */
async function recordOnce(recording: Recording, folder: string, work: string): Promise<boolean> {
  const [runDir, copy] = [join(work, 'run'), join(work, 'copy')];
  await run(recording, runDir, join(work, 'profile.json'));
  await mkdir(copy);
  // From the archive, so that what is judged is what is kept.
  pack(runDir, work);
  unpack(work, copy);
  const judgement = await judged(copy);
  const expected = expectedOf(judgement);
  process.stdout.write(
    `${recording.name}: ${expected.verdict}${judgement.generatorBound ? ', generator-bound' : ''}\n`,
  );
  for (const [id, said] of Object.entries(expected.failing)) process.stdout.write(`  ${id}: ${said}\n`);
  if (judgement.generatorBound || expected.verdict !== recording.verdict) return false;
  await mkdir(folder, { recursive: true });
  await copyFile(join(work, archive), join(folder, archive));
  await writeFile(join(folder, expectedFile), `${JSON.stringify(expected, null, 2)}\n`);
  return true;
}

async function run(recording: Recording, runDir: string, profileFile: string): Promise<void> {
  const { profile, scenario, target } = recording;
  await writeFile(profileFile, JSON.stringify(profile));
  const description = join(runDir, '..', 'description.json');
  if (recording.described === true) await writeFile(description, JSON.stringify(referenceDescription()));
  const foreign = target.kind === 'foreign' ? await startForeignService(target.choices) : undefined;
  try {
    const child = spawn(
      process.execPath,
      [
        ...[join(root, 'src', 'launcher.js'), 'run', join(root, scenario), ...recording.arguments],
        ...['--seed', '1', '--out', runDir, '--profile', profileFile],
        ...(recording.described === true ? ['--openapi', description] : []),
        ...(foreign === undefined ? [] : foreignArguments(foreign)),
      ],
      {
        stdio: 'ignore',
        env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...environment(foreign) },
      },
    );
    const ended = once(child, 'close');
    const over = new AbortController();
    ended.then(() => over.abort());
    await signalled(recording.end, join(runDir, 'history', 'requests.csv'), over.signal, (signal) =>
      child.kill(signal),
    );
    await ended;
  } finally {
    await foreign?.close();
  }
}

async function signalled(
  end: End,
  requests: string,
  over: AbortSignal,
  send: (signal: 'SIGINT' | 'SIGKILL') => void,
): Promise<void> {
  if (end.kind === 'itself') return;
  while (!(existsSync(requests) && readFileSync(requests, 'latin1').includes(end.after))) {
    if (over.aborted) throw new Error(`the run was over before ${end.after} stood in its requests`);
    await sleep(20);
  }
  await sleep(end.waitMs);
  send(end.signal);
}

function foreignArguments({ baseUrl }: ForeignService): string[] {
  return ['--target', baseUrl, ...roles.flatMap((role) => ['--key', `${role}=${role.toUpperCase()}`])];
}

function environment(foreign: ForeignService | undefined): Record<string, string> {
  return foreign === undefined
    ? {}
    : Object.fromEntries(roles.map((role) => [role.toUpperCase(), foreign.keys[role]]));
}

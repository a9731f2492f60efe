import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Told, toldByHelp } from '../commands/command-lines.ts';
import { isLong } from '../effort.ts';
import { launcher, patiently, scenario, serve, start, temporaryFolder, tryon, tryonEach } from './program.ts';

const folder = temporaryFolder();
const service = await serve([]);
const env = { K: service.keys.load ?? '', LOAD: service.keys.load ?? '' };

/**
 * Is not run with the others: `init` asks on a terminal (test/commands/first-questions.test.ts), `serve` is ended below, and
 * `fleet` needs a Redis (fleet.test.ts).
 */
const apart = ['tryon init', 'tryon serve --port 8080', 'tryon serve --defect R2,Q3'];
/** Commands that make runs; other tests make them, too. */
const slow = ['run', 'replay', 'reproduce', 'merge', 'selftest'];
const told = [...new Map(toldByHelp().map((each) => [each.line, each])).values()].filter(
  ({ line, words: [command = ''] }) =>
    !apart.includes(line) && command !== 'fleet' && (isLong || !slow.includes(command)),
);

/** The same with a scenario of two seconds, and the service of this test. */
function quick({ words }: Told): readonly string[] {
  const glance = words[0] === 'run' ? scenario('glance') : undefined;
  return words.map((word, at) => {
    if (word === 'http://127.0.0.1:8080/v1') return service.baseUrl;
    return at === 1 && glance !== undefined ? glance : word;
  });
}

let results: Awaited<ReturnType<typeof tryonEach>> = [];

beforeAll(async () => {
  const file = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  file(
    'staging.json',
    JSON.stringify({
      ...patiently,
      adapter: 'adapter.ts',
      base_url: service.baseUrl,
      keys: { load: { env: 'LOAD' } },
    }),
  );
  file('new.json', JSON.stringify(patiently));
  file(
    'adapter.ts',
    "import { defineAdapter } from 'tryon';\nexport default defineAdapter({ status: ({ status }) => status });\n",
  );
  const run = ['run', scenario('glance'), '--seed', '7'];
  const planted = ['--profile', 'new.json', '--defect', 'N12', '--out', 'reports/last'];
  const [last] = await tryonEach([[...run, ...planted]], env, folder);
  expect(last?.code, last?.stderr).toBe(1);
  const shards = (isLong ? ['1/2', '2/2'] : []).map((shard) => {
    const shared = ['--profile', 'staging.json', '--shard', shard, '--gather', 'shards'];
    return tryon([...run, ...shared], { cwd: folder, env });
  });
  for (const { code, stderr } of await Promise.all(shards)) expect(code, stderr).toBe(0);
  for (const name of ['a', 'b'])
    cpSync(join(folder, 'reports/last'), join(folder, 'reports', name), { recursive: true });
  results = await tryonEach(told.map(quick), env, folder);
});

describe('an example of the help', () => {
  it.each(told.map(({ line }, at) => [line, at] as const))('%s does its work', (_, at) => {
    const { code, stderr, stdout } = results[at] ?? { code: undefined, stderr: '', stdout: '' };
    // A run may find what is wrong, or that the machine is busy; it does not stumble.
    expect([0, 1, 3], stdout + stderr).toContain(code);
    expect(stdout).not.toBe('');
  });

  it('tryon serve … serves until it is ended', async () => {
    const program = start(['serve', '--port', '0', '--defect', 'R2,Q3']);
    await program.until(() => program.output().includes('Ctrl-C stops it.'));
    program.process.kill('SIGTERM');
    expect((await program.ended).code).toBe(0);
  });
});

describe('completion in a shell', () => {
  it.each([
    ['a command', ['repl'], ['replay']],
    ['a scenario', ['run', 's'], ['smoke', 'soak', 'spike']],
    ['an option', ['verify', 'x', '--verb'], ['--verbose']],
    ['a defect', ['run', 'smoke', '--defect', 'N1,S1'], ['N1,S1', 'N1,S10', 'N1,S11']],
    ['a variant', ['selftest', '--variant', 'x-'], ['x-headers']],
    ['a cause of a run', ['reproduce', 'reports/last', ''], ['shade-count-wrong']],
    ['the name of a file, by the shell', ['verify', ''], ['']],
  ])('of %s', (_, words, values) => {
    const script = `tryon() { "$NODE" "$LAUNCHER" "$@"; }; source <(tryon completion)
      COMP_WORDS=(tryon "$@"); COMP_CWORD=$#; _tryon_yargs_completions; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const surroundings = {
      PATH: process.env.PATH,
      SHELL: '/bin/bash',
      NODE: process.execPath,
      LAUNCHER: launcher,
    };
    const { stdout } = spawnSync('bash', ['-c', script, 'bash', ...words], {
      cwd: folder,
      env: surroundings,
      encoding: 'utf8',
    });
    expect(stdout.trim().split('\n')).toEqual(values);
  });
});

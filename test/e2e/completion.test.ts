import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launcher, temporaryFolder } from './program.ts';

const folder = temporaryFolder();
mkdirSync(join(folder, 'reports/last'), { recursive: true });
const diagnosed = { diagnosis: [{ cause: 'shade-count-wrong' }] };
writeFileSync(join(folder, 'reports/last/verdicts.json'), JSON.stringify(diagnosed));

describe('completion in a shell', () => {
  it.each([
    ['a command', ['repl'], ['replay']],
    ['a scenario', ['run', 's'], ['smoke', 'soak', 'spike']],
    ['an option', ['verify', 'x', '--verb'], ['--verbose']],
    ['a defect', ['run', 'smoke', '--defect', 'N1,S1'], ['N1,S1', 'N1,S10', 'N1,S11', 'N1,S12']],
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

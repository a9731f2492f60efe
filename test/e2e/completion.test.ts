import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { launcher, temporaryFolder } from './program.ts';

const folder = temporaryFolder();
mkdirSync(join(folder, 'reports/last'), { recursive: true });
const diagnosed = { diagnosis: [{ cause: 'shade-count-wrong' }] };
writeFileSync(join(folder, 'reports/last/verdicts.json'), JSON.stringify(diagnosed));

const asked: readonly (readonly [what: string, words: readonly string[], values: readonly string[]])[] = [
  ['a command', ['repl'], ['replay']],
  ['a scenario', ['run', 's'], ['smoke', 'soak', 'spike']],
  ['an option', ['verify', 'x', '--verb'], ['--verbose']],
  ['a defect', ['run', 'smoke', '--defect', 'N1,S1'], ['N1,S1', 'N1,S10', 'N1,S11', 'N1,S12']],
  ['a variant', ['selftest', '--variant', 'x-'], ['x-headers']],
  ['a cause of a run', ['reproduce', 'reports/last', ''], ['shade-count-wrong']],
  ['the name of a file, by the shell', ['verify', ''], ['']],
];

it('completion in a shell of a command, a scenario, an option, a defect, a variant, a cause and a file', () => {
  // One shell that reads the script once; each row is a line of words, and is answered by a line.
  const script = `tryon() { "$NODE" "$LAUNCHER" "$@"; }; source <(tryon completion)
      while IFS= read -r line; do
        eval "words=($line)"; COMP_WORDS=(tryon "\${words[@]}"); COMP_CWORD=\${#words[@]}
        COMPREPLY=(); _tryon_yargs_completions; printf '%s\\n' "\${COMPREPLY[*]}"
      done`;
  const { stdout } = spawnSync('bash', ['-c', script], {
    cwd: folder,
    env: { PATH: process.env.PATH, SHELL: '/bin/bash', NODE: process.execPath, LAUNCHER: launcher },
    encoding: 'utf8',
    input: asked.map(([, words]) => `${words.map((word) => `'${word}'`).join(' ')}\n`).join(''),
  });
  const lines = stdout.split('\n');
  expect(asked.map(([what], at) => [what, lines[at]])).toEqual(
    asked.map(([what, , values]) => [what, values.join(' ')]),
  );
});

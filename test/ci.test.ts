import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('continuous integration', () => {
  it('installs, checks and tests as CONTRIBUTING.md says', () => {
    const commands = 'npm ci && npm run check && npm test';
    expect(read('.ci/run').replace(' && bare_tests', '')).toContain(`(${commands})`);
    expect(read('CONTRIBUTING.md')).toContain(commands);
  });

  it('is the same on GitHub: its workflow runs the same script', () => {
    expect(read('.github/workflows/ci.yml')).toMatch(/^ +- run: \.ci\/run$/m);
  });
});

describe('the lock file', () => {
  it('names no registry, and .npmrc keeps it so', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
    expect(read('.npmrc')).toMatch(/^omit-lockfile-registry-resolved=true$/m);
  });
});

describe('the comment of the action', () => {
  const script = join(root, '.github/action/comment.sh');
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tryon-comment-'));
    mkdirSync(join(folder, 'tryon-run'));
    writeFileSync(join(folder, 'tryon-run', 'summary.md'), 'What the run found.\n');
    writeFileSync(join(folder, 'tryon-comparison.md'), 'Not compared.\n');
    // Stands for GitHub's program: lists the comments that the pull request has, and records what is asked.
    const gh = `#!/bin/sh\ncase "$*" in *--paginate*) cat "${folder}/comments";; *) echo "$@" >"${folder}/asked";; esac\n`;
    writeFileSync(join(folder, 'gh'), gh, { mode: 0o755 });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([
    ['is made where there is none', '', '--method POST repos/a/b/issues/7/comments'],
    ['is updated where there is one', '42\n', '--method PATCH repos/a/b/issues/comments/42'],
  ])('%s', (_, comments, asked) => {
    writeFileSync(join(folder, 'comments'), comments);
    const env = {
      PATH: `${folder}:${process.env.PATH}`,
      ...{ RUNNER_TEMP: folder, GITHUB_REPOSITORY: 'a/b', PULL_REQUEST: '7', REPORT: 'nightly' },
    };
    const { status, stderr } = spawnSync('bash', [script], { env, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toContain(asked);
    expect(readFileSync(join(folder, 'tryon-comment.md'), 'utf8')).toBe(
      '<!-- tryon: nightly -->\nWhat the run found.\n\nNot compared.\n\n',
    );
  });
});

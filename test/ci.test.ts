import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

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

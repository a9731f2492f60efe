import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checksDoc } from '../src/checks/checks-doc.ts';
import { causesDoc } from '../src/checks/diagnosis/causes-doc.ts';

describe('the documentation', () => {
  it('has every cause of the catalogue', async () => {
    await expect(causesDoc()).toMatchFileSnapshot('../docs/causes.md');
  });

  it('has every check of the catalogue', async () => {
    await expect(checksDoc()).toMatchFileSnapshot('../docs/checks.md');
  });
});

const root = join(import.meta.dirname, '..');

/** Folders directly below one of the source, as paths from the root. */
function foldersIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`);
}

/** Files that a text names and that are in none of the places where a reader would look. */
function missingFiles(file: string, places: readonly string[]): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const named = [...text.matchAll(/`([\w./-]+\.ts|docs\/[\w.-]+\.md)`/g)].map(([, name = '']) => name);
  return named.filter((name) => !places.some((place) => existsSync(join(root, place, name))));
}

const rooms = ['src', 'src/checks', 'src/checks/rate-limit'].flatMap(foldersIn);

describe('a folder of the source', () => {
  it.each(rooms)(
    '%s says in a few lines what comes in, what goes out, and where a new one goes',
    (folder) => {
      const text = readFileSync(join(root, folder, 'README.md'), 'utf8');
      const items = ['# ', '- **In:** ', '- **Out:** ', '- **A new one:** '];
      expect(items.filter((item) => !text.split('\n').some((line) => line.startsWith(item)))).toEqual([]);
      expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(14);
    },
  );

  it.each(rooms)('%s names only files that exist', (folder) => {
    expect(missingFiles(`${folder}/README.md`, [folder, 'src', '.'])).toEqual([]);
  });

  it('is in the table of ARCHITECTURE.md, if it is a room of src/', () => {
    const table = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const missing = foldersIn('src').filter((folder) => !table.includes(`\`${folder.slice(4)}/\``));
    expect(missing).toEqual([]);
  });
});

describe('the pages for developers', () => {
  it.each([
    ['ARCHITECTURE.md', 130, ['src', '.']],
    ['CONTRIBUTING.md', 65, ['.', 'bench/peers']],
  ] as const)('%s has at most %d lines, and names only files that exist', (file, most, places) => {
    const lines = readFileSync(join(root, file), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(most);
    expect(missingFiles(file, places)).toEqual([]);
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { figuresFileSchema } from '../src/report/compare/facts.ts';
import { profileFields } from '../src/target/profile-layers.ts';
import { causesDoc } from './docs/causes-doc.ts';
import { checksDoc } from './docs/checks-doc.ts';
import { profileJsonSchema } from './docs/profile-schema.ts';
import { scenarioDoc } from './docs/scenario-doc.ts';

const root = join(import.meta.dirname, '..');

describe('the documentation', () => {
  it('has every cause of the catalogue', async () => {
    await expect(causesDoc()).toMatchFileSnapshot('../docs/causes.md');
  });

  it('has every check of the catalogue', async () => {
    await expect(checksDoc()).toMatchFileSnapshot('../docs/checks.md');
  });

  it('has every field of a scenario, with its meaning', async () => {
    const doc = scenarioDoc();
    await expect(doc).toMatchFileSnapshot('../docs/scenario-fields.md');
    expect(doc.split('\n').filter((line) => line.endsWith('|  |'))).toEqual([]);
  });

  it('has the schema of a profile, with the meaning of each field', async () => {
    const schema = profileJsonSchema(meaningsOfFields());
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot('../docs/profile.schema.json');
  });

  it('has the schema of the figures of a run', async () => {
    const schema = { title: 'figures.json', ...z.toJSONSchema(figuresFileSchema) };
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot('../docs/figures.schema.json');
  });

  it('has every field of a profile', () => {
    const documented = meaningsOfFields();
    const missing = profileFields().filter(({ path }) => !documented.has(path));
    expect(missing).toEqual([]);
  });
});

/** What the table in docs/profile.md says on each field. Its first column may have several: `a.one`, `.two`. */
function meaningsOfFields(): Map<string, string> {
  const text = readFileSync(join(root, 'docs/profile.md'), 'utf8');
  const rows = [...text.matchAll(/^\| (`.+?`) \|.*?\| (.+) \|$/gm)];
  return new Map(
    rows.flatMap(([, names = '', meaning = '']) => {
      const [first = '', ...others] = [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      const parent = first.slice(0, first.lastIndexOf('.'));
      const paths = [first, ...others.map((name) => (name.startsWith('.') ? `${parent}${name}` : name))];
      const plain = meaning.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
      return paths.map((path): [string, string] => [path, plain]);
    }),
  );
}

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
      const prose = text.split('\n').filter((line) => line !== '' && !line.startsWith('|'));
      expect(prose.length).toBeLessThanOrEqual(14);
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

describe('a link of the documentation', () => {
  const pages = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`),
  ];

  /** As GitHub makes them: small letters, no punctuation, a hyphen for each space. */
  function anchorsOf(page: string): string[] {
    const headings = readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.+)$/gm);
    return [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    );
  }

  it.each(pages.filter((page) => page.endsWith('.md')))('of %s leads to a heading', (page) => {
    const links = readFileSync(join(root, page), 'utf8').matchAll(/\]\(([\w./-]*)#([\w-]+)\)/g);
    const broken = [...links].filter(([, to = '', anchor = '']) => {
      const linked = to === '' ? page : join(dirname(page), to);
      return !anchorsOf(linked).includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

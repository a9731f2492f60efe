import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import yargs from 'yargs';
import { commands } from '../../../src/commands/commands.ts';
import type { Catalog } from '../../../src/scenario/catalog/catalog.ts';
import { generateCatalog } from '../../../src/scenario/catalog/generate.ts';

let printed = '';
beforeEach(() => {
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text, ...rest: unknown[]) => {
    printed += String(text);
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

const run = async (...words: string[]): Promise<unknown> =>
  yargs(['catalog', ...words])
    .command(commands.filter(({ command }) => command === 'catalog'))
    .strict()
    .exitProcess(false)
    .fail(false)
    .parseAsync();

describe('tryon catalog', () => {
  it('prints twelve products without escapes where there is no terminal', async () => {
    await run();
    expect(printed).toMatch(/catalog-preview: 12 products, \d+ shades\n$/);
    expect(printed).not.toContain('\u001b');
  });

  it('--json prints the catalog that seed, products and finishes make', async () => {
    await run('--json', '--seed', '7', '--products', '3', '--finish', 'matte', '--finish', 'satin');
    const catalog: Catalog = JSON.parse(printed);
    expect(catalog).toEqual(
      generateCatalog({ seed: 7, tag: 'preview', products: 3, finishes: ['matte', 'satin'] }),
    );
  });

  it.each([
    { words: ['--products', '0'], names: '--products' },
    { words: ['--seed', '1.5'], names: '--seed' },
    { words: ['--finish', ''], names: '--finish' },
  ])('$words is a usage error that names $names', async ({ words, names }) => {
    await expect(run(...words)).rejects.toThrow(`${names}: expected`);
    expect(printed).toBe('');
  });
});

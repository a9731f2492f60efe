import type { CommandModule } from 'yargs';
import type { Catalog } from '../catalog/catalog.ts';
import { usageError } from '../exit.ts';
import { type ArgumentsOf, examples, flag, numberOption, text, texts, wholeFrom } from './options.ts';

const catalogOptions = {
  products: numberOption('products', wholeFrom(1, 1_000), 'Number of product lines', { default: 12 }),
  seed: numberOption('seed', wholeFrom(0), 'Seed: the same seed gives the same catalog, byte for byte', {
    default: 1,
  }),
  finish: texts('Finish values to choose from. The interface shows only matte', { default: ['matte'] }),
  json: flag('Print the catalog as JSON'),
  import: flag('Import the catalog into a target'),
  target: text('With --import: base URL, with /v1'),
  profile: text('With --import: target profile'),
  key: texts('With --import: load=ENV_VAR, the environment variable with the key'),
  'allow-host': texts('With --import: host that tryon may use, other than loopback'),
  yes: flag('With --import: do not ask for confirmation'),
} as const;

type CatalogArguments = ArgumentsOf<typeof catalogOptions>;

/**
 * `tryon catalog`: shows a generated catalog, its ids with the tag `preview`, or imports one with a separate tag.
 */
export const catalogCommand: CommandModule<object, CatalogArguments> = {
  command: 'catalog',
  describe: 'Show a generated catalog: product lines, shades and colours',
  builder: (yargs) =>
    yargs.options(catalogOptions).example(
      examples({
        catalog: '12 product lines',
        'catalog --products 3 --json': 'as JSON',
      }),
    ),
  handler: async (args) => {
    const catalog = await makeCatalog(args);
    if (args.import) {
      const { importCatalog } = await import('./first-steps/import-catalog.ts');
      await writeOut(await importCatalog(catalog, args, process.env));
      return;
    }
    await writeOut(args.json ? `${JSON.stringify(catalog, null, 2)}\n` : await preview(catalog));
  },
};

async function makeCatalog({ import: imported, products, seed, finish }: CatalogArguments): Promise<Catalog> {
  if (finish.some((name) => name === '')) throw usageError('--finish: expected a name, got an empty text');
  const { generateCatalog } = await import('../catalog/generate.ts');
  // Imports must be distinguishable from earlier ones; a preview is always the same.
  const tag = imported ? crypto.randomUUID().slice(0, 8) : 'preview';
  return generateCatalog({ seed, tag, products, finishes: finish });
}

async function preview(catalog: Catalog): Promise<string> {
  const { previewCatalog } = await import('../catalog/preview.ts');
  const { stdout } = process;
  // Node counts the colours of a terminal by NO_COLOR, FORCE_COLOR, COLORTERM and TERM; swatches take all 2^24.
  const swatches = stdout.isTTY === true && stdout.hasColors(2 ** 24);
  return previewCatalog(catalog, { swatches, columns: Math.max(40, Math.min(80, stdout.columns ?? 80)) });
}

/** Waits until the text is out: a pipe takes a large catalog in several pieces. A reader that left is no error. */
function writeOut(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: NodeJS.ErrnoException | null): void => {
      process.stdout.off('error', settle);
      if (error && error.code !== 'EPIPE') reject(error);
      else resolve();
    };
    // The same failure also comes as an event; without a listener it would end the program.
    process.stdout.once('error', settle);
    process.stdout.write(text, settle);
  });
}

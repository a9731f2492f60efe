import { randomBytes } from 'node:crypto';
import type { CommandModule } from 'yargs';
import type { Catalog } from '../catalog/catalog.ts';
import { usageError } from '../exit.ts';
import type { ImportArguments } from './import-catalog.ts';
import { numberOption } from './number-option.ts';

interface CatalogArguments extends ImportArguments {
  import: boolean;
  products: number;
  seed: number;
  finish: string[];
  json: boolean;
}

const mostProducts = 1_000;

/**
 * `tryon catalog`: shows a generated catalog, its ids with the tag `preview`, or imports one with a separate tag.
 */
export const catalogCommand: CommandModule<object, CatalogArguments> = {
  command: 'catalog',
  describe: 'Show a generated catalog: product lines, shades and colours',
  builder: (yargs) =>
    yargs
      .option(
        'products',
        numberOption('products', `a whole number from 1 to ${mostProducts}`, {
          default: 12,
          describe: 'Number of product lines',
        }),
      )
      .option(
        'seed',
        numberOption('seed', 'a whole number from 0', {
          default: 1,
          describe: 'Seed: the same seed gives the same catalog, byte for byte',
        }),
      )
      .option('finish', {
        type: 'string',
        array: true,
        default: ['matte'],
        requiresArg: true,
        describe: 'Finish values to choose from. The interface shows only matte',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print the catalog as JSON' })
      .option('import', { type: 'boolean', default: false, describe: 'Import the catalog into a target' })
      .option('target', { type: 'string', requiresArg: true, describe: 'With --import: base URL, with /v1' })
      .option('profile', { type: 'string', requiresArg: true, describe: 'With --import: target profile' })
      .option('key', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'With --import: load=ENV_VAR, the environment variable with the key',
      })
      .option('allow-host', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'With --import: host that tryon may use, other than loopback',
      })
      .option('yes', {
        type: 'boolean',
        default: false,
        describe: 'With --import: do not ask for confirmation',
      }),
  handler: async (args) => {
    const catalog = await makeCatalog(args);
    if (args.import) {
      const { importCatalog } = await import('./import-catalog.ts');
      await writeOut(await importCatalog(catalog, args, process.env));
      return;
    }
    await writeOut(args.json ? `${JSON.stringify(catalog, null, 2)}\n` : await preview(catalog));
  },
};

async function makeCatalog({ import: imported, products, seed, finish }: CatalogArguments): Promise<Catalog> {
  if (!Number.isInteger(products) || products < 1 || products > mostProducts) {
    throw usageError(`--products: expected a whole number from 1 to ${mostProducts}, got ${products}`);
  }
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw usageError(`--seed: expected a whole number from 0, got ${seed}`);
  }
  if (finish.some((name) => name === '')) throw usageError('--finish: expected a name, got an empty text');
  const { generateCatalog } = await import('../catalog/generate.ts');
  // Imports must be distinguishable from earlier ones; a preview is always the same.
  const tag = imported ? randomBytes(4).toString('hex') : 'preview';
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
    const settle = (error?: NodeJS.ErrnoException | null): void =>
      error && error.code !== 'EPIPE' ? reject(error) : resolve();
    // The same failure also comes as an event; without a listener it would end the program.
    process.stdout.once('error', settle);
    process.stdout.write(text, settle);
  });
}

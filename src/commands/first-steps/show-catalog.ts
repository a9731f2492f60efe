import { counted, verb } from '../../amounts.ts';
import { systemClock } from '../../drive/clock/clock.ts';
import { batchLimit } from '../../drive/setup/lists.ts';
import { targetError, usageError } from '../../exit.ts';
import type { Catalog } from '../../scenario/catalog/catalog.ts';
import { openTranslation } from '../../target/adapt/adapter-translation.ts';
import { importShades } from '../../target/calls.ts';
import { openQuestions, TargetClient } from '../../target/client.ts';
import type { Exchange } from '../../target/exchange.ts';
import type { CatalogArguments } from '../options.ts';
import { confirm } from '../run/announce.ts';
import { openForeign } from '../run/open-target.ts';

/**
 * `tryon catalog`: shows a generated catalog, its ids with the tag `preview`, or imports one with a separate tag.
 */
export async function showCatalog(args: CatalogArguments): Promise<void> {
  const catalog = await makeCatalog(args);
  if (args.import) return writeOut(await importCatalog(catalog, args));
  await writeOut(args.json ? `${JSON.stringify(catalog, null, 2)}\n` : await preview(catalog));
}

async function makeCatalog({ import: imported, products, seed, finish }: CatalogArguments): Promise<Catalog> {
  if (finish.some((name) => name === '')) throw usageError('--finish: expected a name, got an empty text');
  const { generateCatalog } = await import('../../scenario/catalog/generate.ts');
  // Imports must be distinguishable from earlier ones; a preview is always the same.
  const tag = imported ? crypto.randomUUID().slice(0, 8) : 'preview';
  return generateCatalog({ seed, tag, products, finishes: finish });
}

async function preview(catalog: Catalog): Promise<string> {
  const { previewCatalog } = await import('../../scenario/catalog/preview.ts');
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

/**
 * Imports a catalog into a target with its `load` key, in batches of 500; returns a text of the result. Throws a
 * usage error without a target, and a target error if a batch is not accepted.
 */
async function importCatalog(catalog: Catalog, args: CatalogArguments): Promise<string> {
  const target = openForeign(args, process.env);
  const key = target.keys.load;
  if (key === undefined) throw usageError('--import: needs the key of role load');
  await confirm(target, args.yes);
  const client = new TargetClient(
    target.baseUrl,
    openQuestions(target.baseUrl, target.profile),
    systemClock().nowNs,
    await openTranslation(target.profile, target.baseUrl),
  );
  const shades = catalog.products.flatMap((product) => product.shades);
  try {
    for (let at = 0; at < shades.length; at += batchLimit) {
      const call = importShades({ catalog_id: catalog.id, shades: shades.slice(at, at + batchLimit) });
      const exchange = await new Promise<Exchange<undefined>>((resolve) => {
        client.send(call, `Bearer ${key.value}`, undefined, { done: resolve });
      });
      if (exchange.status === undefined || exchange.status >= 300) {
        const why = exchange.status ?? exchange.cause?.message ?? exchange.lost;
        throw targetError(
          `${target.baseUrl.host}: POST /shades was not accepted: ${why}; ${counted(at, 'shade')} ${verb(at, 'was', 'were')} imported before`,
        );
      }
    }
  } finally {
    await client.destroy();
  }
  return `Imported ${counted(shades.length, 'shade')} of ${counted(catalog.products.length, 'product')} into catalog ${catalog.id} at ${target.baseUrl.href}\n`;
}

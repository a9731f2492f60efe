import { usageError } from '../../exit.ts';
import type { Catalog } from '../../scenario/catalog/catalog.ts';
import type { CatalogArguments } from '../options.ts';

/** `tryon catalog`: shows a generated catalog, its ids with the tag `preview`. */
export async function showCatalog(args: CatalogArguments): Promise<void> {
  const catalog = await makeCatalog(args);
  process.stdout.write(args.json ? `${JSON.stringify(catalog, null, 2)}\n` : await preview(catalog));
}

async function makeCatalog({ products, seed, finish }: CatalogArguments): Promise<Catalog> {
  if (finish.some((name) => name === '')) throw usageError('--finish: expected a name, got an empty text');
  const { generateCatalog } = await import('../../scenario/catalog/generate.ts');
  return generateCatalog({ seed, tag: 'preview', products, finishes: finish });
}

async function preview(catalog: Catalog): Promise<string> {
  const { previewCatalog } = await import('../../scenario/catalog/preview.ts');
  const { stdout } = process;
  // Node counts the colours of a terminal by NO_COLOR, FORCE_COLOR, COLORTERM and TERM; swatches take all 2^24.
  const swatches = stdout.isTTY === true && stdout.hasColors(2 ** 24);
  return previewCatalog(catalog, { swatches, columns: Math.max(40, Math.min(80, stdout.columns ?? 80)) });
}

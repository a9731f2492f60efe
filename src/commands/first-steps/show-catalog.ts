import { counted } from '../../amounts.ts';
import { usageError } from '../../exit.ts';
import { foreign, heading, paragraph, table } from '../../report/figure.ts';
import { figureLines } from '../../report/figure-terminal.ts';
import type { Catalog } from '../../scenario/catalog/catalog.ts';
import type { CatalogArguments } from '../options.ts';

/** `tryon catalog`: shows a generated catalog, its ids with the tag `preview`. */
export async function showCatalog({ finish, json, products, seed }: CatalogArguments): Promise<void> {
  if (finish.some((name) => name === '')) throw usageError('--finish: expected a name, got an empty text');
  const { generateCatalog } = await import('../../scenario/catalog/generate.ts');
  const catalog = generateCatalog({ seed, tag: 'preview', products, finishes: finish });
  process.stdout.write(json ? `${JSON.stringify(catalog, null, 2)}\n` : catalogText(catalog));
}

function catalogText({ id, products }: Catalog): string {
  const shades = products.reduce((sum, product) => sum + product.shades.length, 0);
  const figures = products.flatMap((product) => [
    heading(`${product.brand} · ${product.name}`),
    paragraph(`${counted(product.shades.length, 'shade')} · ${product.id}`),
    table('Shades', product.shades, [
      ['SKU', ({ sku }) => sku],
      ['Colour', ({ hex }) => hex],
      ['Finish', ({ finish }) => finish],
      ['Name', ({ name }) => foreign(name)],
    ]),
  ]);
  const count = `${id}: ${counted(products.length, 'product')}, ${counted(shades, 'shade')}`;
  const columns = Math.max(40, Math.min(80, process.stdout.columns ?? 80));
  return `${[...figureLines(figures, columns), '', count].join('\n').trimStart()}\n`;
}

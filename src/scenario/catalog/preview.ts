import { counted } from '../../amounts.ts';
import type { Catalog, Product } from './catalog.ts';

interface PreviewOptions {
  /** Show each colour with a 24-bit terminal escape; without, the text alone, free of escapes. */
  readonly swatches: boolean;
  /** Columns that the text may take; at least 40. */
  readonly columns: number;
}

/** A catalog as text for a terminal: each line with its shades in columns, ending in a count of it all. */
export function previewCatalog(catalog: Catalog, options: PreviewOptions): string {
  const shades = catalog.products.reduce((sum, product) => sum + product.shades.length, 0);
  return [
    ...catalog.products.map((product) => previewProduct(product, options)),
    `${catalog.id}: ${counted(catalog.products.length, 'product')}, ${counted(shades, 'shade')}`,
    '',
  ].join('\n');
}

function previewProduct(product: Product, { swatches, columns }: PreviewOptions): string {
  const finishes = [...new Set(product.shades.map(({ finish }) => finish))].join(', ');
  const cells = product.shades.map(({ name, hex }) => ({ name, hex }));
  const mark = swatches ? 3 : 0;
  // Names decide how many columns fit; one that is wider than the whole line is cut.
  const nameWidth = Math.min(Math.max(...cells.map(({ name }) => name.length)), columns - 10 - mark);
  const cellWidth = mark + 8 + nameWidth + 2;
  const across = Math.max(1, Math.floor((columns - 2) / cellWidth));
  const down = Math.ceil(cells.length / across);
  const rows = Array.from({ length: down }, (_, row) =>
    Array.from({ length: across }, (_, column) => cells[column * down + row])
      .filter((cell) => cell !== undefined)
      .map(({ name, hex }) => {
        const text = `${hex} ${fit(name, nameWidth).padEnd(nameWidth + 2)}`;
        return swatches ? `${swatch(hex)} ${text}` : text;
      })
      .join(''),
  );
  return [
    fit(`${product.brand} · ${product.name}`, columns),
    fit(`  ${counted(product.shades.length, 'shade')}, ${finishes} · ${product.id}`, columns),
    ...rows.map((row) => `  ${row.trimEnd()}`),
    '',
  ].join('\n');
}

/** Two cells in a colour of the form #RRGGBB. */
function swatch(hex: string): string {
  const [red, green, blue] = [1, 3, 5].map((from) => Number.parseInt(hex.slice(from, from + 2), 16));
  return `\u001b[48;2;${red};${green};${blue}m  \u001b[0m`;
}

function fit(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
}

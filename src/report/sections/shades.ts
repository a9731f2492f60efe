import { z } from 'zod';
import { counted, number } from '../../amounts.ts';
import { type AnalyticsTable, analyticsTable } from '../../checks/analytics/compare/table.ts';
import type { History } from '../../history/history.ts';
import { ofParameter } from '../../history/tables.ts';
import type { Bounds } from '../../vocabulary/bounds.ts';
import { code, foreign, type Html, html } from '../markup.ts';
import {
  disclosure,
  nothingIf,
  type Section,
  type SectionBody,
  type SectionInput,
  table,
} from '../section.ts';
import { intervalText } from '../shown.ts';
import { asksForOwnShoppers } from './analytics.ts';
import { verdictBadge } from './verdict-badge.ts';

/** Lists that the page shows, and entries of one list. */
const mostLists = 50;
const mostEntries = 25;

/** The lists of top_shades beside what could have been selected, with names and colours from the catalog. */
export const shadesSection: Section = { id: 'shades', title: 'Top shades', make };

async function make({ history }: SectionInput): Promise<SectionBody | undefined> {
  const lists = shadeLists(await analyticsTable(history), history);
  const [first, ...others] = lists;
  if (first === undefined)
    return nothingIf(asksForOwnShoppers(history.run), 'No analytics answer listed any top_shades.');
  const known = await catalogShades(history, lists);
  return {
    body: html`<p>The last list that <code>GET /analytics/sessions</code> returned for each query. The expected selections follow from the events that this run sent.</p>
${shadeTable(first, known)}
${others.slice(0, mostLists - 1).map((list) => disclosure(html`${list.verdict !== undefined && verdictBadge(list.verdict)} ${foreign(list.name)}`, shadeTable(list, known)))}
${others.length >= mostLists && html`<p class="none">… and ${counted(others.length - mostLists + 1, 'more list')}, in history/answers.ndjson.</p>`}`,
  };
}

type ReturnedShades = NonNullable<AnalyticsTable['questions']['judged'][number]['returned']['topShades']>;

interface ShadeList {
  readonly name: string;
  readonly returned: ReturnedShades;
  readonly verdict: AnalyticsTable['rows'][number]['topShades']['verdict'] | undefined;
  readonly expected: ReadonlyMap<string, Bounds> | undefined;
}

/** The last list of each query that has one: all products first, then the products with most selections. */
function shadeLists({ questions, rows }: AnalyticsTable, history: History): ShadeList[] {
  const products = new Map(history.run.products.map((product) => [product.id, product.name]));
  const last = new Map(questions.judged.map((answer) => [answer.query, answer]));
  return [...last.values()]
    .flatMap((answer) => {
      const query = questions.queries[answer.query];
      const returned = answer.returned.topShades;
      if (query === undefined || returned === null || returned.length === 0) return [];
      const cell = rows.find((row) => row.seq === answer.seq)?.topShades;
      const product = query.productId === null ? undefined : products.get(query.productId);
      const total = returned.reduce((sum, shade) => sum + shade.selections, 0);
      return [
        {
          name: product === undefined ? query.label : `${product} (${query.label})`,
          returned,
          verdict: cell?.verdict,
          expected:
            cell?.expected == null ? undefined : new Map(cell.expected.map((bounds) => [bounds.sku, bounds])),
          order: query.productId === null ? Number.POSITIVE_INFINITY : total,
        },
      ];
    })
    .toSorted((a, b) => (a.order === b.order ? 0 : b.order - a.order));
}

const shadeRow = z.object({ sku: z.string(), name: z.string().nullable(), hex: z.string().nullable() });
type KnownShades = ReadonlyMap<string, z.output<typeof shadeRow>>;

async function catalogShades(history: History, lists: readonly ShadeList[]): Promise<KnownShades> {
  const skus = new Set(
    lists
      .slice(0, mostLists)
      .flatMap((list) => list.returned.slice(0, mostEntries).map((shade) => shade.sku)),
  );
  const rows = await history.rows(
    shadeRow,
    `SELECT sku, any_value(name) AS name, any_value(hex) AS hex FROM catalog
     WHERE sku IN ${ofParameter('skus')} GROUP BY sku`,
    { skus: JSON.stringify([...skus]) },
  );
  return new Map(rows.map((row) => [row.sku, row]));
}

function shadeTable(list: ShadeList, known: KnownShades): Html {
  const { returned, expected } = list;
  return html`${table(list.name, returned.slice(0, mostEntries), [
    ['Place', (_, index) => String(index + 1), 'number'],
    ['Shade', ({ sku }) => shade(known, sku)],
    ['SKU', ({ sku }) => code(sku)],
    [
      'Selections expected',
      ({ sku }) => (expected === undefined ? '—' : boundsText(expected.get(sku))),
      'number',
    ],
    ['Selections returned', ({ selections }) => number(selections), 'number'],
  ])}${returned.length > mostEntries && html`<p class="none">… and ${number(returned.length - mostEntries)} more.</p>`}`;
}

function boundsText(bounds: Bounds | undefined): string {
  return bounds === undefined ? 'none' : intervalText(bounds);
}

function shade(known: KnownShades, sku: string): Html {
  const entry = known.get(sku);
  if (entry === undefined) return html`<span class="none">not in this run’s catalogs</span>`;
  const { name, hex } = entry;
  return html`${hex !== null && swatch(hex)}${name !== null && foreign(name)} ${hex !== null && html`<code class="none">${hex}</code>`}`;
}

/** The colour as a picture, drawn as an attribute of SVG so that the page's policy needs no inline style. */
function swatch(hex: string): Html | false {
  return (
    /^#[0-9a-f]{6}$/i.test(hex) &&
    html`<svg class="swatch" width="22" height="22" viewBox="0 0 22 22" aria-hidden="true"><rect x="0.5" y="0.5" width="21" height="21" rx="4" fill="${hex}"/></svg>`
  );
}

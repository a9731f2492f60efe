import { counted, countedFirst, number } from '../../amounts.ts';
import { kindText } from '../../checks/reasons/words/limits.ts';
import { perWindow } from '../format.ts';
import { code, foreign, type Html, html } from '../markup.ts';
import { disclosure, facts, type Section, type SectionBody, type SectionInput, table } from '../section.ts';
import { discovered } from '../tables.ts';

/** Rows of a table that the page shows; run.json lists every id. */
const mostRows = 500;

/** The target's promises, what the run found out about it, and what the run created there. */
export const targetSection: Section = { id: 'target', title: 'The target', make };

async function make({ history }: SectionInput): Promise<SectionBody> {
  const found = await discovered(history);
  const { profile } = history;
  return {
    body: html`<h3>Promised</h3>
${facts([
  ['Profile', foreign(profile.name)],
  ['Rate limit', perWindow(profile.rate_limit.requests, profile.rate_limit.windowMs)],
  ['Limiter', kindText(profile.limiter)],
  ['Scope of the limit', profile.limit_scope],
  [
    'Session quota',
    profile.quota.sessions === undefined ? 'not stated' : counted(profile.quota.sessions, 'session'),
  ],
])}
<h3>Discovered</h3>
${
  found.length === 0
    ? html`<p class="none">The run found nothing about the target beyond its profile.</p>`
    : table('What the interface does not show, with its evidence', found, [
        ['What', ({ what }) => foreign(what)],
        ['Value', ({ value }) => code(value)],
        ['Record (seq)', ({ seq }) => (seq === null ? '' : String(seq)), 'number'],
      ])
}
<h3>Created</h3>
${created(history.run)}`,
  };
}

function created({ id, catalogs, products }: SectionInput['history']['run']): Html {
  if (catalogs.length === 0 && products.length === 0) {
    return html`<p class="none">The run created no catalogs and no products.</p>`;
  }
  return html`<p>The ids of these catalogs and products contain the run’s tag ${code(id)}. The interface has no request that deletes them.</p>
${table(
  catalogs.length > mostRows
    ? `Catalogs imported: ${countedFirst(mostRows, catalogs.length, 'catalog')}`
    : 'Catalogs imported',
  catalogs.slice(0, mostRows),
  [
    ['catalog_id', (catalog) => code(catalog.id)],
    ['Key', (catalog) => catalog.role],
    ['Shades', (catalog) => number(catalog.shades), 'number'],
  ],
)}
${disclosure(
  `${counted(products.length, 'product')} with sessions`,
  html`${table('Products', products.slice(0, mostRows), [
    ['product_id', (product) => code(product.id)],
    ['Name', (product) => foreign(product.name)],
  ])}${products.length > mostRows && html`<p class="none">… and ${number(products.length - mostRows)} more, in run.json.</p>`}`,
)}`;
}

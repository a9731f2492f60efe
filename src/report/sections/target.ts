import { counted, countedFirst, number } from '../../amounts.ts';
import { kindText } from '../../checks/reasons/rate-limit/names.ts';
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
  ['Limit counts', profile.limit_scope],
  [
    'Session quota',
    profile.quota.sessions === undefined ? 'not stated' : counted(profile.quota.sessions, 'session'),
  ],
])}
<h3>Discovered</h3>
${
  found.length === 0
    ? html`<p class="none">The run found nothing about the target beyond its profile.</p>`
    : table(
        'What the interface does not show, with its evidence',
        [{ label: 'What' }, { label: 'Value' }, { label: 'Record (seq)', numeric: true }],
        found.map(({ what, value, seq }) => [foreign(what), code(value), seq === null ? '' : String(seq)]),
      )
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
  [{ label: 'catalog_id' }, { label: 'Key' }, { label: 'Shades', numeric: true }],
  catalogs.slice(0, mostRows).map((catalog) => [code(catalog.id), catalog.role, number(catalog.shades)]),
)}
${disclosure(
  `${counted(products.length, 'product')} with sessions`,
  html`${table(
    'Products',
    [{ label: 'product_id' }, { label: 'Name' }],
    products.slice(0, mostRows).map((product) => [code(product.id), foreign(product.name)]),
  )}${products.length > mostRows && html`<p class="none">… and ${number(products.length - mostRows)} more, in run.json.</p>`}`,
)}`;
}

import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import { checkContract } from '../../../src/checks/contract.ts';
import { render } from '../../../src/checks/core/render.ts';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import type { AnswerRecord } from '../../../src/history/record.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';
import { expectSaid, type Said, said, saidAll } from './said.ts';

const shade = (sku: string) => ({ sku, name: `Shade ${sku}`, hex: '#AA0000', finish: 'matte' });
const all = ['A', 'B', 'C', 'D'];

/** A page of a list as the target answered it: SKUs, and the link to the next. */
interface Page {
  readonly skus: string;
  readonly link?: string;
  readonly cursor?: string | null;
  /** The number of the page, of two. */
  readonly page?: number;
  readonly path?: string;
  readonly request?: Partial<SampleRequest>;
}

/** Four shades are imported, as a catalog and as a batch; their lists came in these pages, and later ones are of these sizes. */
async function judged(pages: readonly Page[], later: readonly number[] = []) {
  const requests: SampleRequest[] = [];
  const answers: AnswerRecord[] = [];
  const listed = (probe: string, catalogId: string): void => {
    const first = requests.length + 1;
    for (const { cursor, link, page, path, request, skus } of pages) {
      const isFirst = requests.length + 1 === first;
      const list = [...skus].map(shade);
      requests.push({
        endpoint: 'list-shades',
        stage: 'setup',
        probe: isFirst ? probe : 'next-page',
        catalogId,
        count: list.length,
        ...request,
      });
      answers.push({
        seq: requests.length,
        endpoint: 'list-shades',
        query: { catalog_id: catalogId, ...(path === undefined ? {} : { path }) },
        body:
          page !== undefined
            ? { shades: list, page, total_pages: 2 }
            : cursor === undefined
              ? list
              : { shades: list, next_cursor: cursor },
        ...(link === undefined ? {} : { pagedBy: 'link', link: `<${link}>; rel="next"` }),
        ...(isFirst ? {} : { pageOf: first }),
      });
    }
  };
  requests.push({ endpoint: 'import-shades', stage: 'setup', catalogId: 'c', items: 4 });
  listed('import:list', 'c');
  requests.push({ endpoint: 'import-shades', stage: 'setup', probe: 'batch-max', catalogId: 'm', items: 4 });
  listed('batch-max:list', 'm');
  for (const count of later) requests.push({ endpoint: 'list-shades', catalogId: 'c', count });
  const catalog = all.map((sku) => ({ catalogId: 'c', productId: 'p', productName: 'P', ...shade(sku) }));
  const results = await withHistory({ requests, answers, catalog }, async (history) =>
    (await checkContract(history)).map(render),
  );
  return ['contract.catalog', 'contract.batch-max'].map((id) => results.find((each) => each.id === id));
}

const two: Page = { skus: 'AB', link: '/v1/shades?page=2' };
const rest: Page = { skus: 'CD', path: '/shades?page=2' };
const cursorPages = (last: Page): readonly Page[] => [
  { skus: 'AB', cursor: 'x' },
  { cursor: null, path: '/shades?catalog_id=c&cursor=x', ...last },
];

describe('a list in pages', () => {
  it.each<[string, readonly Page[], readonly number[], Verdict, Said, Verdict, Said, ...CauseCode[]]>([
    [
      'with links is whole',
      [two, rest],
      [],
      'pass',
      said('catalog-as-imported', { lists: 1 }),
      'pass',
      said('import-listed', { shades: 4, pages: 2 }),
    ],
    [
      'with a cursor is whole',
      cursorPages({ skus: 'CD' }),
      [],
      'pass',
      said('catalog-as-imported', { lists: 1 }),
      'pass',
      said('import-listed', { shades: 4, pages: 2 }),
    ],
    [
      'is as long by its first page in later lists',
      [two, rest],
      [2, 2],
      'pass',
      said('catalog-as-imported', { lists: 1 }),
      'pass',
      said('import-listed', { shades: 4, pages: 2 }),
    ],
    [
      'may have pages of other sizes in later lists',
      [two, rest],
      [1],
      'inconclusive',
      saidAll(
        said('catalog-count-differs', { imported: { min: 4, max: 4 }, wrong: 1 }),
        said('pages-unspecified'),
      ),
      'pass',
      said('import-listed', { shades: 4, pages: 2 }),
    ],
    [
      'holds no more in later lists',
      [two, rest],
      [5],
      'fail',
      said('catalog-count-differs', { imported: { min: 4, max: 4 }, wrong: 1 }),
      'pass',
      said('import-listed', { shades: 4, pages: 2 }),
      'foreign-shades',
    ],
    [
      'lacks one',
      [two, { ...rest, skus: 'D' }],
      [],
      'fail',
      said('list-missing-shades', { catalog: 'c', skus: ['C'] }),
      'fail',
      said('import-listed-otherwise', { shades: 4, listed: 3, pages: 2 }),
      'shades-missing',
    ],
    [
      'shows one twice',
      [two, { ...rest, skus: 'BCD' }],
      [],
      'fail',
      said('list-repeated-skus', { skus: ['B'] }),
      'fail',
      said('import-list-repeats', { entries: 5, repeated: 1, pages: 2 }),
      'sku-stored-twice',
    ],
    [
      'leads back by its own link',
      [two, { ...rest, link: '/v1/shades?page=2' }],
      [],
      'fail',
      said('pages-circle', { page: 2 }),
      'fail',
      said('pages-circle', { page: 2 }),
      'pages-in-a-circle',
    ],
    [
      'comes again with a parameter that nobody has named',
      [
        { skus: 'AB', cursor: 'x' },
        { skus: 'AB', cursor: 'x', path: '/shades?catalog_id=c&cursor=x' },
      ],
      [],
      'inconclusive',
      said('pages-repeat-shades', { page: 2, parameter: 'cursor' }),
      'inconclusive',
      said('pages-repeat-shades', { page: 2, parameter: 'cursor' }),
    ],
    [
      'shows one again behind a cursor that leads on',
      cursorPages({ skus: 'BCD' }),
      [],
      'fail',
      said('list-repeated-skus', { skus: ['B'] }),
      'fail',
      said('import-list-repeats', { entries: 5, repeated: 1, pages: 2 }),
      'sku-stored-twice',
    ],
    [
      'shows one again with a page number, which may count from another one',
      [
        { skus: 'AB', page: 1 },
        { skus: 'BCD', page: 2, path: '/shades?catalog_id=c&page=2' },
      ],
      [],
      'inconclusive',
      said('pages-repeat-shades', { page: 2, parameter: 'page' }),
      'inconclusive',
      said('pages-repeat-shades', { page: 2, parameter: 'page' }),
    ],
    [
      'is whole before the last page comes again with a parameter that nobody has named',
      [
        { skus: 'ABCD', cursor: 'x' },
        { skus: 'CD', cursor: 'x', path: '/shades?catalog_id=c&cursor=x' },
      ],
      [],
      'pass',
      said('catalog-as-imported', { lists: 1 }),
      'pass',
      said('import-listed', { shades: 4 }),
    ],
    [
      'leads to another host',
      [{ skus: 'AB', link: 'http://evil.example/v1/shades' }],
      [],
      'inconclusive',
      said('pages-unspecified', { why: 'its link leads to another origin, where the key must not go' }),
      'inconclusive',
      said('pages-unspecified', { why: 'its link leads to another origin, where the key must not go' }),
    ],
    [
      'has more pages than may be asked for',
      [two, { skus: 'C', path: '/shades?page=2', link: '/v1/shades?page=3' }],
      [],
      'inconclusive',
      saidAll(said('pages-more', { pages: 2 }), said('list-missing-shades', { skus: ['D'] })),
      'inconclusive',
      said('pages-more', { pages: 2 }),
    ],
    [
      'has a page without an answer',
      [two, { ...rest, request: { lost: 'timeout' } }],
      [],
      'inconclusive',
      said('pages-unclear', { page: 2, got: { lost: 'timeout' } }),
      'inconclusive',
      said('pages-unclear', { page: 2, got: { lost: 'timeout' } }),
    ],
  ])('that %s', async (_sentence, pages, later, catalog, catalogWhy, batch, batchWhy, ...causes) => {
    const [catalogResult, batchResult] = await judged(pages, later);
    expectSaid(catalogResult, catalogWhy);
    expect(catalogResult?.verdict).toBe(catalog);
    expectSaid(batchResult, batchWhy);
    expect(batchResult?.verdict).toBe(batch);
    expect(causeCodes([catalogResult, batchResult])).toEqual(causes);
  });
});

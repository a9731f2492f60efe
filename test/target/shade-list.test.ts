import { describe, expect, it } from 'vitest';
import { nextPage, pageHeadersOf } from '../../src/target/shade-list.ts';

const baseUrl = new URL('http://target.example:8080/api/v1');
const first = '/shades?catalog_id=c';
const shades = [{ sku: 'A' }, { sku: 'B' }];

interface Answer {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly asked?: string;
}

function next({ asked = first, body = shades, headers = {} }: Answer): unknown {
  const found = nextPage({ body, ...pageHeadersOf(headers) }, asked, baseUrl);
  return found.kind === 'more' ? found.path : found.kind === 'closed' ? found.why : 'none';
}
const link = (text: string): Answer => ({ headers: { link: text } });
const body = (fields: object, asked = first): Answer => ({ asked, body: { shades, ...fields } });

describe('the next page of a list', () => {
  it.each<[string, Answer, string]>([
    ['a Link header with a path', link('</api/v1/shades?page=2>; rel="next"'), '/shades?page=2'],
    [
      'a Link header among others, with several relations and no quotes',
      link('</x>; rel=prev, <http://target.example:8080/api/v1/shades?p=2>; title="a, b"; rel="last next"'),
      '/shades?p=2',
    ],
    [
      'a query alone in a Link header',
      link('<?catalog_id=c&page=2>; rel=next'),
      '/shades?catalog_id=c&page=2',
    ],
    ['a URL in the body', body({ next: 'http://target.example:8080/api/v1/shades?c=2' }), '/shades?c=2'],
    ['a path in the body', body({ next: '/api/v1/shades?c=2' }), '/shades?c=2'],
    ['a link as an object', body({ _links: { next: { href: '/api/v1/shades?c=2' } } }), '/shades?c=2'],
    ['a cursor', body({ next_cursor: 'x/y=' }), '/shades?catalog_id=c&cursor=x%2Fy%3D'],
    [
      'a cursor further in',
      body({ meta: { pagination: { nextCursor: 7 } } }),
      '/shades?catalog_id=c&cursor=7',
    ],
    ['a page token', body({ next_page_token: 't' }), '/shades?catalog_id=c&page_token=t'],
    ['a link of an object of another form', body({ next: { url: '/api/v1/shades?c=2' } }), '/shades?c=2'],
    [
      'a list of links',
      body({
        links: [
          { rel: 'self', href: '/x' },
          { rel: 'next', href: '/api/v1/shades?c=2' },
        ],
      }),
      '/shades?c=2',
    ],
    [
      'a link beside a cursor',
      body({ paging: { next: { after: 'a', link: '/api/v1/shades?c=2' } } }),
      '/shades?c=2',
    ],
    ['a relative reference', body({ next: 'shades?catalog_id=c&page=2' }), '/shades?catalog_id=c&page=2'],
    ['numbers in quotes', body({ page: '1', total_pages: '3' }), '/shades?catalog_id=c&page=2'],
    ['page and total_pages', body({ page: 1, total_pages: 3 }), '/shades?catalog_id=c&page=2'],
    ['the number of the next page', body({ next_page: 2 }), '/shades?catalog_id=c&page=2'],
    ['offset and total', body({ offset: 0, limit: 2, total: 5 }), '/shades?catalog_id=c&offset=2'],
    [
      'a cursor in place of the one before',
      body({ next_cursor: 'z' }, `${first}&cursor=y`),
      `${first}&cursor=z`,
    ],
  ])('is found by %s', (_sentence, answer, path) => {
    expect(next(answer)).toBe(path);
  });

  it.each<[string, Answer]>([
    ['a bare list has no sign of pages', {}],
    ['the link is to another page', link('</api/v1/shades?page=1>; rel="prev"')],
    ['the cursor is null', body({ next_cursor: null })],
    ['the page token is empty', body({ next_page_token: '' })],
    ['next is null, and the total is what is listed', body({ next: null, total: 2 })],
    ['next is null on a page after others', body({ next_cursor: null, total: 5 }, `${first}&cursor=y`)],
    ['the page is the last', body({ page: 3, total_pages: 3 }, `${first}&page=3`)],
    ['there is no more', body({ has_more: false })],
  ])('is none where %s', (_sentence, answer) => {
    expect(next(answer)).toBe('none');
  });

  it.each<[string, Answer, RegExp]>([
    ['a cursor in an object', body({ next: { cursor: 'x' } }), /it has a field "next"/],
    ['a page as an object', body({ nextPage: { page: 2, size: 50 } }), /it has a field "nextPage"/],
    ['more, without where', body({ page: 1, next: true }), /it has a field "next"/],
    ['an offset of the next', body({ next_offset: 20 }), /it has a field "next_offset"/],
    ['a list that was cut', body({ truncated: true, marker: 'm' }), /it has a field "truncated"/],
    ['a continuation', body({ continuationToken: 't' }), /it has a field "continuationToken"/],
    ['another host', link('<http://evil.example/api/v1/shades?page=2>; rel="next"'), /another origin/],
    ['another host without a scheme', body({ next: '//evil.example/api/v1/shades' }), /another origin/],
    ['another port', body({ next: 'http://target.example/api/v1/shades' }), /another origin/],
    [
      'the host behind a name for it',
      link('<http://target.example:8080@evil.example/api/v1/x>; rel=next'),
      /another origin/,
    ],
    ['another path', link('</api/v2/shades?page=2>; rel="next"'), /out of the base URL/],
    ['another path by way of the base', link('</api/v1/../admin>; rel="next"'), /out of the base URL/],
    ['no URL', link('<http://>; rel="next"'), /not a URL/],
    ['a total beyond what is listed', body({ total: 5 }), /a field "total"/],
    ['more without a word where', body({ hasMore: true }), /a field "hasMore"/],
    ['an end that the total denies', body({ next_cursor: null, total: 5 }), /a field "next_cursor"/],
    ['a header of pages alone', { headers: { 'x-total-count': '5' } }, /a header "x-total-count"/],
  ])('is not asked for where the answer has %s', (_sentence, answer, why) => {
    expect(next(answer)).toMatch(why);
  });
});

import { relNext } from '../next-page.ts';
import type { RequestValues } from './request-values.ts';

/** How a list goes on, by the templates of its path, body and answer. */
export interface Paging {
  /** The parameter that the request takes; undefined where a link says all. */
  readonly by: 'cursor' | 'page' | 'offset' | undefined;
  /** Whether the answer says so. */
  readonly signs: ReadonlySet<string>;
  readonly firstPage: number;
}

/** One page, as the target sent it. */
interface Page {
  readonly asked: RequestValues;
  /** The signs of further pages that the answer has. */
  readonly read: Readonly<Record<string, unknown>>;
  readonly entries: number;
  readonly link: string | undefined;
  /** The URL of this page at the target. */
  readonly url: () => URL;
}

/** The parameter of a path in the interface's form that holds the target's own path of a page. */
export const ownPath = 'target_path';

/**
 * A reference to the next page, in the interface's form: `?catalog_id=C&cursor=V`; undefined after the last. What leads to
 * another origin or out of the base URL stays as it is, for the reader of pages to refuse: the key must not go there.
 */
export function nextReference(page: Page, paging: Paging, baseUrl: URL): string | undefined {
  const catalog = page.asked.encoded.catalog_id?.[0] ?? '';
  const next = (name: string, value: string | number): string =>
    `?catalog_id=${catalog}&${name}=${encodeURIComponent(value)}`;
  const link = textOf(page.read.next) ?? (page.link === undefined ? undefined : relNext(page.link));
  if (link !== undefined) {
    const url = URL.parse(link, page.url().href);
    const isBelow = url?.origin === baseUrl.origin && url.pathname.startsWith(`${baseUrl.pathname}/`);
    if (url === null || !isBelow) return link;
    return next(ownPath, url.pathname.slice(baseUrl.pathname.length) + url.search);
  }
  const { by } = paging;
  if (by === undefined) return undefined;
  if (by === 'cursor') {
    const cursor = textOf(page.read.cursor);
    return cursor === undefined || page.read.more === false ? undefined : next('cursor', cursor);
  }
  const at = Number(page.asked.values[by] ?? (by === 'page' ? paging.firstPage : 0));
  return goesOn(page, paging, at) ? next(by, by === 'page' ? at + 1 : at + page.entries) : undefined;
}

/** Without any sign a list goes on until a page is empty. */
function goesOn({ entries, read }: Page, { by, firstPage, signs }: Paging, at: number): boolean {
  if (entries === 0) return false;
  if (signs.has('more')) return read.more === true;
  if (signs.has('pages')) return at - firstPage + 1 < Number(read.pages);
  if (signs.has('total') && by === 'offset') return at + entries < Number(read.total);
  return true;
}

/** Numbers are cursors as well. Nothing, `""` and `false` are the end. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

import type { IncomingHttpHeaders } from 'node:http';
import { fieldName, isObject, type JsonObject } from './json.ts';

/** A list in a body, and the dotted path of where it is. */
interface FoundList {
  readonly list: readonly unknown[];
  readonly path: string;
}

/** How deep a list of shades may lie in an object: `data.items`. */
const deepestList = 2;

/** The list of shades in an answer of GET /shades, under any name; undefined if there is no clear one. */
export function findShadeList(body: unknown): FoundList | undefined {
  if (Array.isArray(body)) return { list: body, path: '' };
  if (!isObject(body)) return undefined;
  if (Array.isArray(body.shades)) return { list: body.shades, path: 'shades' };
  const lists = listsIn(body, '', deepestList);
  if (lists.length === 1) return lists[0];
  const alike = lists.filter(({ list }) => hasEntryWith(list, ['sku']));
  if (alike.length > 0) return alike.length === 1 ? alike[0] : undefined;
  // Links, warnings and the like list no shades. A list with some field of a shade may be an invalid list of shades.
  if (lists.some(({ list }) => hasEntryWith(list, ['name', 'hex', 'finish']))) return undefined;
  return lists.find(({ list }) => list.length === 0);
}

/** Every list in an object, down to a depth. */
function listsIn(object: JsonObject, under: string, depth: number): FoundList[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const path = under === '' ? fieldName(name) : `${under}.${fieldName(name)}`;
    if (Array.isArray(value)) return [{ list: value, path }];
    return isObject(value) && depth > 1 ? listsIn(value, path, depth - 1) : [];
  });
}

function hasEntryWith(list: readonly unknown[], fields: readonly string[]): boolean {
  return list.some((entry) => isObject(entry) && fields.some((field) => field in entry));
}

/** What follows one page of a list. */
export type NextPage =
  /** Nothing: the list is whole, as far as the answer says. */
  | { readonly kind: 'none' }
  /** The path of another page, below the base URL. `guessed`: of a parameter whose name the answer does not say. */
  | { readonly kind: 'more'; readonly path: string; readonly guessed: string | undefined }
  /** There is or may be more, and it cannot be followed; `why` says the reason. */
  | { readonly kind: 'closed'; readonly why: string };

/** An answer of GET /shades, as far as it tells of pages. */
export interface PageAnswer {
  readonly body: unknown;
  /** The `Link` header, where it has a link to the next page. */
  readonly link: string | undefined;
  /** The name of a header that goes with pages. */
  readonly pagedBy: string | undefined;
}

/** Headers that go with one page of several; a `Link` (RFC 8288) does only where it leads to the next. */
const paging = /^(content-range|x-(total|next|page|per-page|pages|pagination|has-more)(-.*)?)$/;

/** What the headers of an answer tell of pages. */
export function pageHeadersOf(headers: Readonly<IncomingHttpHeaders>): Pick<PageAnswer, 'link' | 'pagedBy'> {
  const link = headers.link === undefined ? undefined : String(headers.link);
  if (link !== undefined && relNext(link) !== undefined) return { link, pagedBy: 'link' };
  for (const name in headers) if (paging.test(name)) return { link: undefined, pagedBy: name };
  return { link: undefined, pagedBy: undefined };
}

/** The headers without what they say of pages. */
export function withoutPageHeaders(headers: Readonly<IncomingHttpHeaders>): Readonly<IncomingHttpHeaders> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== 'link' && !paging.test(name)),
  );
}

/** A longer reference is not followed. */
const longestReference = 4_096;

/**
 * Where the next page of a list is. Pagination is unspecified, so it follows a `Link` header (RFC 8288), or a URL, a
 * cursor or a page number in the body. It stays on the same origin and below the base URL, since the key goes with
 * it. `asked`: the path of this page.
 */
export function nextPage(answer: PageAnswer, asked: string, baseUrl: URL): NextPage {
  const here = new URL(`${baseUrl.origin}${baseUrl.pathname}${asked}`);
  const linked = answer.link === undefined ? undefined : relNext(answer.link);
  if (linked !== undefined) return linkTo(linked, here, baseUrl);
  if (!isObject(answer.body)) return unlessMarked(answer);
  const fields = fieldsOf(answer.body);
  const listed = findShadeList(answer.body)?.list.length ?? 0;
  const says = saysMore(fields, listed, here.searchParams.size <= 1);
  const next = firstOf(fields, nextLinks);
  if (typeof next === 'string') {
    // No cursor has a question mark: neither base64 nor a number or an id.
    if (/^(https?:\/\/|\/)|\?/i.test(next)) return linkTo(next, here, baseUrl);
    return withParameter(here, baseUrl, 'cursor', next);
  }
  if (typeof next === 'number') return withParameter(here, baseUrl, 'page', next);
  for (const { field, parameter } of cursors) {
    const cursor = firstOf(fields, [field]);
    if (typeof cursor === 'string' || typeof cursor === 'number')
      return withParameter(here, baseUrl, parameter, cursor);
  }
  const strange = strangeField(fields);
  if (strange !== undefined) return { kind: 'closed', why: `it has a field ${JSON.stringify(strange.name)}` };
  const page = numberOf(fields, ['page', 'currentpage', 'pagenumber']);
  if (page !== undefined && says === true && firstOf(fields, totals.pages) !== undefined)
    return withParameter(here, baseUrl, 'page', page + 1);
  const offset = numberOf(fields, ['offset']);
  if (offset !== undefined && says === true && listed > 0)
    return withParameter(here, baseUrl, 'offset', offset + listed);
  const isLast =
    says === false || [...nextLinks, ...cursors.map(({ field }) => field)].some((name) => fields.has(name));
  return isLast && says !== true && answer.pagedBy === undefined ? { kind: 'none' } : unlessMarked(answer);
}

/** Field names that announce more. */
const announcing = /^(next|cursor|continuation|(is)?truncated|hasmore|hasnext|marker$|after$)/;

/** A field that announces more in a way that is not understood: more than a doubt it is not. */
function strangeField(fields: BodyFields): BodyField | undefined {
  for (const [plain, field] of fields) {
    const isRead = plain === 'hasmore' || plain === 'hasnext' || plain === 'hasnextpage';
    if (announcing.test(plain) && !isRead && !saysNothing(field.value)) return field;
  }
  return undefined;
}

function saysNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === false;
}

/** Where nothing says what the next page is, anything that goes with pages leaves open whether there is one. */
function unlessMarked(answer: PageAnswer): NextPage {
  const marker = pageMarker(answer);
  return marker === undefined ? { kind: 'none' } : { kind: 'closed', why: `it has ${marker}` };
}

/** The field or header by which a list looks like one page of several, in words; undefined when none does. */
export function pageMarker({ body, pagedBy }: Pick<PageAnswer, 'body' | 'pagedBy'>): string | undefined {
  if (pagedBy !== undefined) return `a header ${JSON.stringify(pagedBy)}`;
  if (!isObject(body)) return undefined;
  const marker = [...fieldsOf(body)].find(([name]) => markers.has(name));
  return marker === undefined ? undefined : `a field ${JSON.stringify(marker[1].name)}`;
}

/** The target of the link to the next page in a `Link` header; undefined when it has none. */
export function relNext(header: string): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(/<([^>]*)>([^<]*)/g)) {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters);
    const relations = (rel?.[1] ?? rel?.[2] ?? '').toLowerCase().split(/\s+/);
    if (relations.includes('next')) return target;
  }
  return undefined;
}

function linkTo(reference: string, here: URL, baseUrl: URL): NextPage {
  if (reference.length > longestReference) return { kind: 'closed', why: 'its link is too long' };
  const url = URL.parse(reference, here.href);
  if (url === null) return { kind: 'closed', why: 'its link is not a URL' };
  if (url.origin !== baseUrl.origin)
    return { kind: 'closed', why: 'its link leads to another origin, where the key must not go' };
  if (!url.pathname.startsWith(`${baseUrl.pathname}/`))
    return { kind: 'closed', why: 'its link leads out of the base URL' };
  return { kind: 'more', path: pathOf(url, baseUrl), guessed: undefined };
}

function withParameter(here: URL, baseUrl: URL, name: string, value: string | number): NextPage {
  if (String(value).length > longestReference) return { kind: 'closed', why: 'its cursor is too long' };
  const url = new URL(here);
  url.searchParams.set(name, String(value));
  return { kind: 'more', path: pathOf(url, baseUrl), guessed: name };
}

function pathOf(url: URL, baseUrl: URL): string {
  return url.pathname.slice(baseUrl.pathname.length) + url.search;
}

interface BodyField {
  readonly name: string;
  readonly value: unknown;
}
type BodyFields = ReadonlyMap<string, BodyField>;

/** Objects that may hold such fields, in addition to the body. */
const containers = /^(pagination|paging|page|page_?info|meta|cursors|_?links)$/i;
/** How deep: `meta.pagination.next`. */
const deepest = 3;

/** The fields that may tell of pages, by their names in lower case without separators. */
function fieldsOf(body: JsonObject, depth = 1): BodyFields {
  const fields = new Map<string, BodyField>();
  for (const [name, value] of Object.entries(body)) {
    const plain = name
      .replace(/^@odata\./i, '')
      .toLowerCase()
      .replaceAll(/[^a-z]/g, '');
    if (isObject(value) && containers.test(name) && depth < deepest) {
      for (const [inner, field] of fieldsOf(value, depth + 1))
        if (!fields.has(inner)) fields.set(inner, field);
    } else if (!Array.isArray(value)) {
      fields.set(plain, { name, value: isObject(value) ? urlIn(value) : value });
    } else if (/^_?links$/i.test(name) && value.some((entry) => isObject(entry) && 'rel' in entry)) {
      const next = value.find((entry) => isObject(entry) && entry.rel === 'next');
      fields.set('next', { name, value: isObject(next) ? urlIn(next) : null });
    }
  }
  return fields;
}

/** A link as an object: `{"next": {"href": …}}`; any other object as it is. */
function urlIn(value: JsonObject): unknown {
  return [value.href, value.url, value.link].find((each) => typeof each === 'string') ?? value;
}

const nextLinks = ['next', 'nextlink', 'nexturl', 'nexthref', 'nextpageurl', 'nextpage'] as const;
/** The parameter that takes a cursor is nowhere named. These are the usual ones. */
const cursors = [
  { field: 'nextcursor', parameter: 'cursor' },
  { field: 'nextpagetoken', parameter: 'page_token' },
  { field: 'nexttoken', parameter: 'next_token' },
] as const;
const totals = {
  pages: ['totalpages', 'pagecount', 'lastpage', 'pages'],
  items: ['total', 'totalcount', 'totalitems'],
  more: ['hasmore', 'hasnext', 'hasnextpage'],
} as const;
const markers: ReadonlySet<string> = new Set([
  ...nextLinks,
  ...cursors.map(({ field }) => field),
  ...totals.pages,
  ...totals.items,
  ...totals.more,
  'cursor',
  'limit',
  'offset',
  'page',
  'pagesize',
  'perpage',
]);

/** Whether the body says that there is more than `listed`; undefined if it does not say. */
function saysMore(fields: BodyFields, listed: number, isFirst: boolean): boolean | undefined {
  const more = totals.more.map((name) => fields.get(name)?.value).find((each) => typeof each === 'boolean');
  const page = numberOf(fields, ['page', 'currentpage', 'pagenumber']);
  const pages = numberOf(fields, totals.pages);
  const items = numberOf(fields, totals.items);
  const offset = numberOf(fields, ['offset']) ?? (isFirst ? 0 : undefined);
  const signs = [
    ...(more === undefined ? [] : [more]),
    ...(page !== undefined && pages !== undefined ? [page < pages] : []),
    // A later page does not tell by itself how many came before.
    ...(items !== undefined && offset !== undefined ? [offset + listed < items] : []),
  ];
  if (signs.length === 0) return undefined;
  return signs.includes(true);
}

function firstOf(fields: BodyFields, names: readonly string[]): unknown {
  for (const name of names) {
    const value = fields.get(name)?.value;
    if (!saysNothing(value)) return value;
  }
  return undefined;
}

function numberOf(fields: BodyFields, names: readonly string[]): number | undefined {
  const value = names
    .map((name) => fields.get(name)?.value)
    .find((each) => each !== undefined && each !== null);
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}

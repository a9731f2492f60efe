import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from './json.ts';
import { relNext } from './shade-list.ts';
import {
  type BodyTemplate,
  type NamedFields,
  parseBody,
  parseText,
  type RequestValues,
  TemplateError,
  type TextTemplate,
} from './template.ts';

/** Where a field of the interface stands in an answer, and the text around it. */
interface FieldPlace {
  readonly name: string;
  readonly path: readonly (string | number)[];
  readonly before: string;
  readonly after: string;
}

interface ListPlace {
  readonly name: string;
  readonly path: readonly (string | number)[];
  readonly fields: readonly FieldPlace[];
}

/** How an answer is read: where each field stands, and where the list. */
export interface Reader {
  readonly fields: readonly FieldPlace[];
  readonly list: ListPlace | undefined;
}

/** Compiles the template of an answer. Throws `TemplateError`. */
export function parseReader(template: unknown, named: NamedFields): Reader {
  const fields: FieldPlace[] = [];
  let list: ListPlace | undefined;
  const walk = (part: BodyTemplate, path: readonly (string | number)[], into: FieldPlace[]): void => {
    if (part.kind === 'value') into.push({ name: part.name, path, before: '', after: '' });
    else if (part.kind === 'text') into.push(placeOf(part.text, path));
    else if (part.kind === 'array')
      for (const [at, each] of part.items.entries()) walk(each, [...path, at], into);
    else if (part.kind === 'object')
      for (const [name, each] of part.fields) walk(each, [...path, name], into);
    else if (part.kind === 'list') {
      const entry: FieldPlace[] = [];
      walk(part.entry, [], entry);
      list = { name: part.name, path, fields: entry };
    }
  };
  walk(parseBody(template, named), [], fields);
  return { fields, list };
}

/** Throws `TemplateError` unless there is one placeholder. */
function placeOf({ literals, names }: TextTemplate, path: readonly (string | number)[]): FieldPlace {
  const [name] = names;
  const [before = '', after = ''] = literals;
  if (name === undefined || names.length > 1)
    throw new TemplateError('expected one placeholder in a text of an answer');
  return { name, path, before, after };
}

/** The interface's fields in a body of the target; what is not there is left out. */
export function readBody({ fields, list }: Reader, body: unknown): Record<string, unknown> {
  const read = readFields(fields, body);
  if (list === undefined) return read;
  const entries = valueAt(body, list.path);
  if (Array.isArray(entries))
    read[list.name] = entries.map((entry: unknown) =>
      isObject(entry) ? readFields(list.fields, entry) : entry,
    );
  else if (entries !== undefined) read[list.name] = entries;
  return read;
}

function readFields(fields: readonly FieldPlace[], body: unknown): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const place of fields) {
    const value = within(valueAt(body, place.path), place);
    if (value !== undefined) read[place.name] = value;
  }
  return read;
}

function valueAt(body: unknown, path: readonly (string | number)[]): unknown {
  let value = body;
  for (const part of path) {
    if (typeof part === 'number') value = Array.isArray(value) ? value[part] : undefined;
    else value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}

function within(value: unknown, { after, before }: Pick<FieldPlace, 'before' | 'after'>): unknown {
  if (before === '' && after === '') return value;
  if (typeof value !== 'string' || !value.startsWith(before) || !value.endsWith(after)) return undefined;
  return value.length < before.length + after.length
    ? undefined
    : value.slice(before.length, value.length - after.length);
}

/** A header of an answer that holds a field of the interface. */
export interface HeaderReader {
  readonly header: string;
  readonly place: FieldPlace;
}

/** Compiles the headers of an answer: `{"set-cookie": "tryon={token}"}`. Throws `TemplateError`. */
export function parseHeaderReader(header: string, text: string, named: NamedFields): HeaderReader {
  return { header: header.toLowerCase(), place: placeOf(parseText(text, named.fields), []) };
}

/** Adds the interface's fields in the headers. Of a cookie, attributes such as `Path=/` are no part. */
export function readHeaders(
  readers: readonly HeaderReader[],
  headers: Readonly<IncomingHttpHeaders>,
  into: Record<string, unknown>,
): void {
  for (const { header, place } of readers) {
    const values = [headers[header] ?? []].flat();
    const texts = header === 'set-cookie' ? values.map((text) => text.replace(/;.*$/s, '')) : values;
    const found = texts.map((text) => within(text, place)).find((value) => value !== undefined);
    if (found !== undefined) into[place.name] = found;
  }
}

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

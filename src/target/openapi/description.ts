import { usageError } from '../../exit.ts';
import { decoded } from '../adapt/map.ts';
import { fieldName, isObject, type JsonObject } from '../json.ts';

/** What a description says of a service, as far as answers can show it. */
export interface Description {
  /** The whole, for references; its schemas mean what JSON Schema 2020-12 means. */
  readonly document: JsonObject;
  /** As its author gives it: `3.1.0`. */
  readonly version: string;
  readonly operations: readonly DescribedOperation[];
}

export interface DescribedOperation {
  /** In capitals. */
  readonly method: string;
  /** `/sessions/{id}`. */
  readonly path: string;
  /** Paths of the servers that it is below, without a slash at the end. */
  readonly bases: readonly string[];
  readonly responses: readonly DescribedResponse[];
}

export interface DescribedResponse {
  /** `200`, `4XX` or `default`. */
  readonly status: string;
  readonly headers: readonly DescribedHeader[];
  /** Empty where the description says nothing of a body. */
  readonly media: readonly DescribedMedia[];
}

export interface DescribedHeader {
  /** In small letters. */
  readonly name: string;
  readonly isRequired: boolean;
  /** Reference to its schema within the document, if it has one. */
  readonly schema: string | undefined;
}

export interface DescribedMedia {
  /** `application/json`, `application/*` or any other range, in small letters and without parameters. */
  readonly range: string;
  readonly schema: string | undefined;
}

/** Every header that some response describes, in small letters and once. */
export function headerNames({ operations }: Description): string[] {
  const all = operations.flatMap(({ responses }) =>
    responses.flatMap(({ headers }) => headers.map(({ name }) => name)),
  );
  return [...new Set(all)].toSorted();
}

/** A media type without its parameters, in small letters. */
export function mediaRange(text: string): string {
  return (text.split(';', 1)[0] ?? '').trim().toLowerCase();
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
const statusKey = /^([1-5]\d\d|[1-5]XX|default)$/;

/** Every operation of a document. Throws usage errors. */
export function operationsOf(parts: LocatedObjects): DescribedOperation[] {
  const paths = parts.at(parts.root, 'paths', 'an object of paths');
  if (paths === undefined) return parts.fail(['paths'], 'an object of paths');
  return parts.each(paths, 'an object with operations').flatMap((item) => {
    if (!item.name.startsWith('/'))
      return parts.fail([...paths.path, item.name], 'a path that starts with /', item.name);
    return methods.flatMap((method) => {
      const operation = parts.at(item, method, 'an operation');
      if (operation === undefined) return [];
      const responses = parts.at(operation, 'responses', 'an object of responses');
      if (responses === undefined)
        return parts.fail([...operation.path, 'responses'], 'an object of responses');
      return {
        method: method.toUpperCase(),
        path: item.name,
        bases: basesOf(operation, item, parts.root),
        responses: parts.each(responses, 'a response').map((each) => responseOf(parts, each)),
      };
    });
  });
}

/** The paths of the innermost servers that are given. */
function basesOf(...places: readonly LocatedObject[]): string[] {
  const given = places
    .map(({ value }) => value.servers)
    .find((each) => Array.isArray(each) && each.length > 0);
  const servers: readonly unknown[] = Array.isArray(given) ? given : [];
  return [...new Set(servers.filter(isObject).map(basePath))];
}

function basePath({ url, variables }: { readonly [name: string]: unknown }): string {
  const values = isObject(variables) ? variables : {};
  const text = String(url ?? '').replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const variable = values[name];
    return isObject(variable) ? String(variable.default ?? '') : '';
  });
  // Relative addresses need some origin.
  return URL.canParse(text, 'http://localhost')
    ? new URL(text, 'http://localhost').pathname.replace(/\/+$/, '')
    : '';
}

function responseOf(
  parts: LocatedObjects,
  response: LocatedObject & { readonly name: string },
): DescribedResponse {
  const { name: status, path } = response;
  if (!statusKey.test(status)) return parts.fail(path, 'a status such as 200, 4XX or default', status);
  const headers = parts.at(response, 'headers', 'an object of headers');
  return {
    status,
    headers: parts
      .each(headers, 'a header', 'chosen')
      .map((header) => ({
        name: header.name.toLowerCase(),
        isRequired: header.value.required === true,
        schema: schemaOf(header),
      }))
      // Its place is `content`.
      .filter(({ name }) => name !== 'content-type'),
    media: mediaOf(parts, response),
  };
}

function mediaOf(parts: LocatedObjects, response: LocatedObject): DescribedMedia[] {
  const content = parts.at(response, 'content', 'an object of media types');
  return parts.each(content, 'a media type', 'chosen').map((each) => {
    if (!each.name.includes('/'))
      return parts.fail(each.path, 'a media type such as application/json', each.name);
    return { range: mediaRange(each.name), schema: schemaOf(each) };
  });
}

/** One that is only a reference stands for what it refers to, which is then compiled once. */
function schemaOf({ path, value: { schema } }: LocatedObject): string | undefined {
  if (schema === undefined) return undefined;
  const isReference = isObject(schema) && Object.keys(schema).length === 1 && typeof schema.$ref === 'string';
  return isReference ? String(schema.$ref) : referenceTo([...path, 'schema']);
}

/** An object of the document, and the way to it. */
export interface LocatedObject {
  readonly value: JsonObject;
  readonly path: readonly string[];
}

/** More references in a row than this are a circle. */
const mostInARow = 32;

/** The objects of a document, with references within it followed. Throws usage errors that name the field. */
export class LocatedObjects {
  readonly root: LocatedObject;
  readonly #where: string;

  constructor(document: JsonObject, where: string) {
    this.root = { value: document, path: [] };
    this.#where = where;
    this.#assertOwn(document, []);
  }

  fail(path: readonly string[], expected: string, got?: unknown): never {
    const field = path.map(fieldName).join('.');
    const text = got === undefined ? 'nothing' : JSON.stringify(got).slice(0, 80);
    throw usageError(`${this.#where}: ${field}: expected ${expected}, got ${text}`);
  }

  /** The object in a field, behind references; undefined where there is no such field. */
  at(part: LocatedObject, name: string, expected: string): LocatedObject | undefined {
    const path = [...part.path, name];
    const value = part.value[name];
    if (value === undefined) return undefined;
    if (!isObject(value)) return this.fail(path, expected, value);
    return this.#resolved({ value, path }, expected);
  }

  /** Each field of an object. Extensions (`x-…`) are left out, but not where the author chooses the names. */
  each(
    part: LocatedObject | undefined,
    expected: string,
    names: 'fixed' | 'chosen' = 'fixed',
  ): (LocatedObject & { readonly name: string })[] {
    if (part === undefined) return [];
    return Object.keys(part.value)
      .filter((name) => names === 'chosen' || !name.startsWith('x-'))
      .flatMap((name) => {
        const found = this.at(part, name, expected);
        return found === undefined ? [] : [{ ...found, name }];
      });
  }

  #resolved(from: LocatedObject, expected: string): LocatedObject {
    let part = from;
    for (let step = 0; step < mostInARow; step++) {
      const { $ref: reference } = part.value;
      if (typeof reference !== 'string') return part;
      const path = reference
        .split('/')
        .slice(1)
        .map((name) => decoded(name).replaceAll('~1', '/').replaceAll('~0', '~'));
      let value: unknown = this.root.value;
      for (const name of path)
        value =
          isObject(value) && Object.hasOwn(value, name)
            ? value[name]
            : Array.isArray(value)
              ? (value as unknown[])[Number(name)]
              : undefined;
      if (!isObject(value)) return this.fail([...part.path, '$ref'], `a reference to ${expected}`, reference);
      part = { value, path };
    }
    return this.fail([...from.path, '$ref'], 'a reference that ends', from.value.$ref);
  }

  /** A reference out of the document would need another file or request. */
  #assertOwn(value: unknown, path: readonly string[]): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, each] of Object.entries(value)) {
      if (name === '$ref' && typeof each === 'string' && !each.startsWith('#'))
        this.fail([...path, name], 'a reference within the document (#/…); bundle the files first', each);
      if (name !== 'example' && name !== 'examples') this.#assertOwn(each, [...path, name]);
    }
  }
}

/** The reference to a place. */
export function referenceTo(path: readonly string[]): string {
  const names = path.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')));
  return `#/${names.join('/')}`;
}

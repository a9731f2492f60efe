import { usageError } from '../exit.ts';
import { decoded } from '../target/adapt/request-values.ts';
import { fieldName, isObject, type JsonObject } from '../target/json.ts';

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
      const path = pathOf(reference);
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

/** The names in a reference within the document: `#/components/schemas/Shade`. */
function pathOf(reference: string): string[] {
  return reference
    .split('/')
    .slice(1)
    .map((name) => decoded(name).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The reference to a place. */
export function referenceTo(path: readonly string[]): string {
  const names = path.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')));
  return `#/${names.join('/')}`;
}

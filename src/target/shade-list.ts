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

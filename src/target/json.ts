/** A JSON object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field as a path names it; in quotes where it might not be seen as one. */
export function fieldName(key: PropertyKey): string {
  const name = String(key);
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}

/** No JSON of others is read deeper: code that walks it would exhaust the stack. */
export const mostLevels = 512;

/** Removes what lies deeper in a parsed value. Returns whether anything did. */
export function cutBelow(value: unknown, levels = mostLevels): boolean {
  if (typeof value !== 'object' || value === null) return false;
  let isCut = false;
  for (const [name, each] of Object.entries(value) as [string, unknown][]) {
    if (typeof each !== 'object' || each === null) continue;
    if (levels > 1) isCut = cutBelow(each, levels - 1) || isCut;
    else isCut = Reflect.deleteProperty(value, name);
  }
  return isCut;
}

/** What a text holds; undefined where it is not JSON, or where there is none. */
export function parsedJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { usageError } from '../exit.ts';
import { isObject, type JsonObject, parsedJson } from '../target/json.ts';

/** A file of a run as JSON. Throws a usage error if another version of tryon wrote it. */
export function parseVersioned(file: string, text: string, version: number): JsonObject {
  const value = parsedJson(text);
  if (!isObject(value)) throw usageError(`${file}: expected a JSON object`);
  if (value.schema_version !== version)
    throw usageError(
      `${file}: expected schema version ${version}, got ${JSON.stringify(value.schema_version) ?? 'none'}: another version of tryon wrote it`,
    );
  return value;
}

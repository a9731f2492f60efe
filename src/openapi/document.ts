import { usageError } from '../exit.ts';
import { cutBelow, fieldName, isObject, type JsonObject, mostLevels } from '../target/json.ts';
import { adapted } from './adapt.ts';
import type { Description } from './description.ts';
import { operationsOf } from './operations.ts';
import { LocatedObjects } from './parts.ts';
import { Schemas } from './schemas.ts';

/**
 * Reads a description in JSON. `where` names its file or URL. Throws a usage error that names the field and what was
 * expected.
 */
export function readDescription(text: string, where: string): Description {
  const root = parsed(text, where);
  const version = versionOf(root, where);
  const document = adapted(root, version.startsWith('3.0'));
  const parts = new LocatedObjects(document, where);
  return { document, version, operations: operationsOf(parts) };
}

function parsed(text: string, where: string): JsonObject {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    const isYaml = /^(openapi|swagger)\s*:/m.test(text);
    throw usageError(
      `${where}: expected a description in JSON, got ${isYaml ? 'YAML; convert it to JSON first' : 'other text'}`,
    );
  }
  if (cutBelow(json))
    throw usageError(`${where}: expected JSON of at most ${mostLevels} levels, got more levels`);
  if (!isObject(json)) throw usageError(`${where}: expected an object with the field openapi`);
  return json;
}

function versionOf({ openapi, swagger }: JsonObject, where: string): string {
  if (typeof openapi === 'string' && /^3\.[01](\.|$)/.test(openapi)) return openapi;
  const got = openapi ?? (swagger === undefined ? undefined : `swagger ${String(swagger)}`);
  throw usageError(
    `${where}: openapi: expected version 3.0 or 3.1, got ${got === undefined ? 'nothing' : JSON.stringify(got)}`,
  );
}

/**
 * Throws a usage error for a schema that no answer can be held against. Before the load: its author can correct it then.
 */
export function assertSchemas(description: Description, where: string): void {
  const schemas = new Schemas(description.document);
  for (const { method, path, responses } of description.operations)
    for (const { headers, media, status } of responses)
      for (const { schema } of [...headers, ...media]) {
        if (schema === undefined) continue;
        const problem = schemas.fault(schema);
        if (problem === undefined) continue;
        const field = ['paths', path, method.toLowerCase(), 'responses', status].map(fieldName).join('.');
        throw usageError(
          `${where}: ${field}: expected a schema of JSON Schema 2020-12 at ${decodeURIComponent(schema)}, got one that cannot be used: ${problem}`,
        );
      }
}

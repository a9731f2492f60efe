import { usageError } from '../../exit.ts';
import { cutBelow, fieldName, isObject, type JsonObject, mostLevels } from '../json.ts';
import { type Description, LocatedObjects, operationsOf } from './description.ts';
import { Schemas } from './schemas.ts';

/**
 * Reads a description in JSON. `where` names its file or URL. Throws a usage error that names the field and what was
 * expected.
 */
export function readDescription(text: string, where: string): Description {
  const root = parsed(text, where);
  const { openapi: version, swagger } = root;
  if (typeof version !== 'string' || !/^3\.[01](\.|$)/.test(version)) {
    const got = version ?? (swagger === undefined ? undefined : `swagger ${String(swagger)}`);
    throw usageError(
      `${where}: openapi: expected version 3.0 or 3.1, got ${got === undefined ? 'nothing' : JSON.stringify(got)}`,
    );
  }
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

/** Values under these names are data, and no schemas. */
const data = new Set(['example', 'examples', 'default', 'enum', 'const']);
/** Under these names, each field is a name that the author chose. */
const named = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions', 'schemas', 'headers'],
  ...['responses', 'content', 'paths', 'parameters', 'requestBodies', 'pathItems', 'callbacks', 'variables'],
]);

/**
 * A description in whose schemas JSON Schema 2020-12 means what OpenAPI 3.0 or 3.1 means: `nullable`, the boolean
 * `exclusiveMinimum` of 3.0, and `writeOnly`, which an answer need not have. References keep their places.
 */
export function adapted(document: JsonObject, is30: boolean): JsonObject {
  return copied(document, is30, false) as JsonObject;
}

function copied(value: unknown, is30: boolean, isNamed: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => copied(each, is30, false));
  if (!isObject(value)) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const isData = !isNamed && (data.has(name) || name.startsWith('x-'));
      return [name, isData ? each : copied(each, is30, !isNamed && named.has(name))];
    }),
  );
  return isNamed ? copy : withNull(asAnswer(is30 ? withoutBooleanBounds(copy) : copy), is30);
}

/** A required field that is only written is in no answer. */
function asAnswer(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!Array.isArray(required) || !isObject(properties)) return schema;
  const isWritten = (name: unknown): boolean => {
    const field = properties[String(name)];
    return isObject(field) && field.writeOnly === true;
  };
  return { ...schema, required: required.filter((name) => !isWritten(name)) };
}

function withoutBooleanBounds(schema: JsonObject): JsonObject {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum, ...rest } = schema;
  return {
    ...rest,
    ...bound('minimum', 'exclusiveMinimum', minimum, exclusiveMinimum),
    ...bound('maximum', 'exclusiveMaximum', maximum, exclusiveMaximum),
  };
}

function bound(name: string, exclusive: string, value: unknown, isExclusive: unknown): JsonObject {
  if (typeof isExclusive !== 'boolean')
    return {
      ...(value === undefined ? {} : { [name]: value }),
      ...(isExclusive === undefined ? {} : { [exclusive]: isExclusive }),
    };
  return value === undefined ? {} : { [isExclusive ? exclusive : name]: value };
}

/** In 3.0, what stands beside a reference counts for nothing; many authors mean `nullable` there all the same. */
function withNull(schema: JsonObject, is30: boolean): JsonObject {
  const { nullable, ...own } = schema;
  const plain = is30 && typeof own.$ref === 'string' ? { $ref: own.$ref } : own;
  if (nullable !== true) return plain;
  if (typeof plain.type !== 'string') return { anyOf: [plain, { type: 'null' }] };
  const values = Array.isArray(plain.enum) ? { enum: [...(plain.enum as unknown[]), null] } : {};
  return { ...plain, ...values, type: [plain.type, 'null'] };
}

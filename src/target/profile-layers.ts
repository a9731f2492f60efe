import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import stripJsonComments from 'strip-json-comments';
import { z } from 'zod';
import { fieldErrors, usageError } from '../exit.ts';
import { meantText } from '../vocabulary/closest.ts';
import type { JsonObject } from './json.ts';
import { type Profile, type ProfileInput, profileSchema } from './profile.ts';

/** The part of JSON Schema that a profile's schema consists of. */
interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/** A field of the profile by its path (`analytics.freshness`), and the JSON types that it takes. */
interface ProfileField {
  readonly path: string;
  readonly types: ReadonlySet<string>;
}

/** Each field that holds a value, in the order of the schema; an object of fields is given by its fields. */
export function profileFields(): ProfileField[] {
  return fieldsOf(z.toJSONSchema(profileSchema, { io: 'input', unrepresentable: 'any' }) as SchemaNode, '');
}

function fieldsOf(schema: SchemaNode, prefix: string): ProfileField[] {
  const branches = schema.anyOf ?? [schema];
  return Object.entries(Object.assign({}, ...branches.map(({ properties }) => properties)) as object).flatMap(
    ([name, field]: [string, SchemaNode]) => {
      const path = `${prefix}${name}`;
      const nested = isPlace(path) ? [] : fieldsOf(field, `${path}.`);
      const types = typesOf(field);
      if (nested.length > 0) types.delete('object');
      return [...(types.size === 0 ? [] : [{ path, types }]), ...nested];
    },
  );
}

/** Places of keys are values: one that names a file replaces one that names a variable. */
export function isPlace(path: string): boolean {
  return path === 'keys' || path.startsWith('keys.') || path === 'pool';
}

/** JSON with placeholders is a value as well: a layer replaces all of it. */
export function isTemplate(path: string): boolean {
  return /^(map|map\.\w+|channel)\.(headers|body|answer|answer_headers)$/.test(path);
}

function typesOf({ anyOf, type }: SchemaNode): Set<string> {
  const own = typeof type === 'string' ? [type] : (type ?? []);
  return new Set([...own, ...(anyOf ?? []).flatMap((each) => [...typesOf(each)])]);
}

/**
 * Reads a profile file: JSON with comments, and `$schema` for editors. Throws a usage error that names the file, the
 * field, and what was expected.
 */
export function readProfileFile(file: string): ProfileInput {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`profile ${file}: cannot be read`, error);
  }
  let json: unknown;
  try {
    json = JSON.parse(stripJsonComments(text, { trailingCommas: true }));
  } catch (error) {
    throw usageError(`profile ${file}: not JSON${placeOf(error)}`);
  }
  if (typeof json === 'object' && json !== null && '$schema' in json) {
    const { $schema: _schema, ...fields } = json;
    json = fields;
  }
  const checked = profileSchema.safeParse(json);
  if (!checked.success) throw usageError(`profile ${file}:\n  ${fieldErrors(checked.error)}`);
  // The profile is parsed again with the command line's values, so this returns the input, which has just been
  // checked.
  return withPlaces(z.custom<ProfileInput>().parse(json), dirname(file));
}

/** Files lie beside the profile that names them. */
function withPlaces(profile: ProfileInput, folder: string): ProfileInput {
  const { adapter, openapi } = profile;
  return {
    ...profile,
    ...(adapter === undefined ? {} : { adapter: resolve(folder, adapter) }),
    ...(openapi === undefined || isUrl(openapi) ? {} : { openapi: resolve(folder, openapi) }),
  };
}

/** Whether a place is a URL, and no file. */
export function isUrl(place: string): boolean {
  return /^https?:\/\//i.test(place);
}

/** Where JSON.parse stopped. The rest of its message quotes the file, which may hold a secret that has no place there. */
function placeOf(error: unknown): string {
  const place = /at position \d+(?: \(line \d+ column \d+\))?/.exec(
    error instanceof Error ? error.message : '',
  );
  return place === null ? '' : ` ${place[0]}`;
}

/** Fills in a profile's defaults. `where` names its origin in the usage error. */
export function resolveProfile(input: ProfileInput, where: string): Profile {
  const parsed = profileSchema.safeParse(input);
  if (!parsed.success) throw usageError(`${where}:\n  ${fieldErrors(parsed.error)}`);
  return parsed.data;
}

/** Fields of a profile from one place, each of them checked; what is undefined is not given. */
export interface Layer {
  readonly fields: JsonObject;
  /** Where a field comes from, by its path: `profile.json`, `env TRYON_PROFILE_RATE_LIMIT`, `--rate-limit`. */
  readonly origin: (path: string) => string;
}

/** Layers put together, the later over the earlier, and where each value is from. Other values are defaults. */
export interface Layered {
  readonly input: ProfileInput;
  readonly origins: ReadonlyMap<string, string>;
}

export function layered(layers: readonly Layer[]): Layered {
  const origins = new Map<string, string>();
  let input: JsonObject = {};
  for (const { fields, origin } of layers) {
    for (const path of pathsOf(fields)) {
      for (const known of origins.keys())
        if (known.startsWith(`${path}.`) || path.startsWith(`${known}.`)) origins.delete(known);
      origins.set(path, origin(path));
    }
    input = merged(input, fields, '');
  }
  return { input: z.custom<ProfileInput>().parse(input), origins };
}

/** The path of each value: `quota.sessions`, `keys.load`, `allow_hosts`. */
function pathsOf(fields: JsonObject, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    if (value === undefined) return [];
    return isFields(value, path) ? pathsOf(value, `${path}.`) : [path];
  });
}

function merged(under: JsonObject, over: JsonObject, prefix: string): JsonObject {
  const result: Record<string, unknown> = { ...under };
  for (const [name, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const path = `${prefix}${name}`;
    const below = result[name];
    result[name] = isFields(value, path)
      ? merged(isFields(below, path) ? below : {}, value, `${path}.`)
      : value;
  }
  return result;
}

function isFields(value: unknown, path: string): value is JsonObject {
  const isValue = (path !== 'keys' && isPlace(path)) || isTemplate(path);
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isValue;
}

/** The fields of a profile file; none where there is no file. Throws a usage error that names file and field. */
export function fileLayer(file: string | undefined): Layer {
  return { fields: file === undefined ? {} : readProfileFile(file), origin: () => file ?? '' };
}

const prefix = 'TRYON_PROFILE_';

/** The variable of a field: `TRYON_PROFILE_QUOTA__SESSIONS` of `quota.sessions`. */
export function variableOf(path: string): string {
  return `${prefix}${path.replaceAll('.', '__').toUpperCase()}`;
}

/**
 * The fields that environment variables give. A value is JSON where the field takes that type, otherwise text. Throws
 * a usage error for a variable of no field, which could otherwise silently become a default, and for a wrong value.
 */
export function environmentLayer(env: NodeJS.ProcessEnv): Layer {
  const names = Object.keys(env).filter((name) => name.startsWith(prefix));
  const layer = { origin: (path: string) => `env ${variableOf(path)}` };
  if (names.length === 0) return { fields: {}, ...layer };
  const known = new Map(profileFields().map((field) => [variableOf(field.path), field]));
  let fields: JsonObject = {};
  for (const name of names.toSorted()) {
    const field = known.get(name);
    if (field === undefined) {
      throw usageError(`${name}: the profile has no such field${meantText(name, [...known.keys()])}`);
    }
    const value = readValue(env[name] ?? '', field.types);
    const own = field.path
      .split('.')
      .reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as JsonObject;
    const checked = profileSchema.safeParse(own);
    if (!checked.success) throw usageError(`${name}: ${fieldErrors(checked.error)}`);
    fields = merged(fields, own, '');
  }
  return { fields, ...layer };
}

function readValue(text: string, types: ReadonlySet<string>): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return typesOfValue(json).some((type) => types.has(type)) ? json : text;
  } catch {
    return text;
  }
}

function typesOfValue(value: unknown): string[] {
  if (Array.isArray(value)) return ['array'];
  if (value === null) return ['null'];
  return typeof value === 'number' ? ['number', 'integer'] : [typeof value];
}

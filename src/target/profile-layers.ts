import { z } from 'zod';
import { fieldErrors, usageError } from '../exit.ts';
import { meantText } from '../vocabulary/closest.ts';
import type { JsonObject } from './json.ts';
import { type ProfileInput, profileSchema } from './profile.ts';
import { isPlace, isTemplate, profileFields } from './profile-fields.ts';
import { readProfileFile } from './profile-file.ts';

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

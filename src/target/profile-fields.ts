import { z } from 'zod';
import { profileSchema } from './profile.ts';

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

function described(): SchemaNode {
  return z.toJSONSchema(profileSchema, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
}

/** Each field that holds a value, in the order of the schema; an object of fields is given by its fields. */
export function profileFields(): ProfileField[] {
  return fieldsOf(described(), '');
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

import { z } from 'zod';
import { profileSchema } from '../../src/target/profile.ts';

interface SchemaNode {
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/**
 * The JSON Schema of a profile file, for completion and checks in editors. `meanings`: a sentence on each field by its
 * path. Only what needs no program to check is in it; `tryon` checks more.
 */
export function profileJsonSchema(meanings: ReadonlyMap<string, string>): object {
  const described = z.toJSONSchema(profileSchema, { io: 'input', unrepresentable: 'any' });
  const schema = withMeanings(described as SchemaNode, meanings, '') as { properties: object };
  return {
    ...schema,
    title: 'A target profile of tryon',
    properties: { $schema: { type: 'string' }, ...schema.properties },
  };
}

function withMeanings(
  { anyOf, properties, ...schema }: SchemaNode,
  meanings: ReadonlyMap<string, string>,
  path: string,
): SchemaNode {
  const description = meanings.get(path);
  const below = (each: SchemaNode, name: string): SchemaNode =>
    withMeanings(each, meanings, path === '' ? name : `${path}.${name}`);
  return {
    ...(description === undefined ? {} : { description }),
    ...schema,
    ...(anyOf === undefined
      ? {}
      : {
          anyOf: anyOf.map((each) =>
            withMeanings(each, new Map([...meanings].filter(([key]) => key !== path)), path),
          ),
        }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, below(each, name)]),
          ),
        }),
  };
}

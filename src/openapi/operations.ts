import { isObject } from '../target/json.ts';
import {
  type DescribedHeader,
  type DescribedMedia,
  type DescribedOperation,
  type DescribedResponse,
  mediaRange,
} from './description.ts';
import { type LocatedObject, type LocatedObjects, referenceTo } from './parts.ts';

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
const statusKey = /^([1-5]\d\d|[1-5]XX|default)$/;

/** Every operation of a document. Throws usage errors. */
export function operationsOf(parts: LocatedObjects): DescribedOperation[] {
  const paths = parts.at(parts.root, 'paths', 'an object of paths');
  if (paths === undefined) return parts.fail(['paths'], 'an object of paths');
  return parts.each(paths, 'an object with operations').flatMap((item) => {
    if (!item.name.startsWith('/'))
      return parts.fail([...paths.path, item.name], 'a path that starts with /', item.name);
    return methods.flatMap((method) => {
      const operation = parts.at(item, method, 'an operation');
      if (operation === undefined) return [];
      const responses = parts.at(operation, 'responses', 'an object of responses');
      if (responses === undefined)
        return parts.fail([...operation.path, 'responses'], 'an object of responses');
      return {
        method: method.toUpperCase(),
        path: item.name,
        bases: basesOf(operation, item, parts.root),
        responses: parts.each(responses, 'a response').map((each) => responseOf(parts, each)),
      };
    });
  });
}

/** The paths of the innermost servers that are given. */
function basesOf(...places: readonly LocatedObject[]): string[] {
  const given = places
    .map(({ value }) => value.servers)
    .find((each) => Array.isArray(each) && each.length > 0);
  const servers: readonly unknown[] = Array.isArray(given) ? given : [];
  return [...new Set(servers.filter(isObject).map(basePath))];
}

function basePath({ url, variables }: { readonly [name: string]: unknown }): string {
  const values = isObject(variables) ? variables : {};
  const text = String(url ?? '').replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const variable = values[name];
    return isObject(variable) ? String(variable.default ?? '') : '';
  });
  // Relative addresses need some origin.
  return URL.canParse(text, 'http://localhost')
    ? new URL(text, 'http://localhost').pathname.replace(/\/+$/, '')
    : '';
}

function responseOf(
  parts: LocatedObjects,
  response: LocatedObject & { readonly name: string },
): DescribedResponse {
  const { name: status, path } = response;
  if (!statusKey.test(status)) return parts.fail(path, 'a status such as 200, 4XX or default', status);
  const headers = parts.at(response, 'headers', 'an object of headers');
  return {
    status,
    headers: parts
      .each(headers, 'a header', 'chosen')
      .map((each) => headerOf(each))
      // Its place is `content`.
      .filter(({ name }) => name !== 'content-type'),
    media: mediaOf(parts, response),
  };
}

function headerOf(header: LocatedObject & { readonly name: string }): DescribedHeader {
  return {
    name: header.name.toLowerCase(),
    isRequired: header.value.required === true,
    schema: schemaOf(header),
  };
}

function mediaOf(parts: LocatedObjects, response: LocatedObject): DescribedMedia[] {
  const content = parts.at(response, 'content', 'an object of media types');
  return parts.each(content, 'a media type', 'chosen').map((each) => {
    if (!each.name.includes('/'))
      return parts.fail(each.path, 'a media type such as application/json', each.name);
    return { range: mediaRange(each.name), schema: schemaOf(each) };
  });
}

/** One that is only a reference stands for what it refers to, which is then compiled once. */
function schemaOf({ path, value: { schema } }: LocatedObject): string | undefined {
  if (schema === undefined) return undefined;
  const isReference = isObject(schema) && Object.keys(schema).length === 1 && typeof schema.$ref === 'string';
  return isReference ? String(schema.$ref) : referenceTo([...path, 'schema']);
}

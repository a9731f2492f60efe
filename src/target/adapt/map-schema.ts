import { z } from 'zod';
import { fields } from '../../vocabulary/fields.ts';
import type { MappedEndpoint } from './endpoint-fields.ts';
import { compilersOf, type EndpointMap, parseHeaders, planOf } from './endpoint-plan.ts';
import { TemplateError } from './template.ts';

const headers = z.record(z.string(), z.string());
const json = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())], {
  error: 'expected JSON: an object or a list, with {field} where a field of the interface stands',
});

/** The parts of a request and its answer that a profile can give another form. */
export const requestParts = {
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH']).optional(),
  /** Header fields, in addition to the usual ones. */
  headers: headers.optional(),
  /** JSON with placeholders. */
  body: json.optional(),
  /** A 2xx answer: JSON with placeholders. */
  answer: json.optional(),
};

/** The parts of a request to an endpoint of the interface. */
const endpointParts = {
  ...requestParts,
  path: z.string().startsWith('/').optional(),
  answer_headers: headers.optional(),
};

/** Reports each part that cannot be compiled, under its name. */
export function checkTemplates(name: MappedEndpoint): (map: EndpointMap, context: z.RefinementCtx) => void {
  return (map, context) => {
    const compile = compilersOf(name, map);
    let isWhole = true;
    const attempt = <T>(part: string, value: T | undefined, compileIt: (value: T) => unknown): void => {
      const problem = value === undefined ? undefined : problemOf(() => compileIt(value));
      if (problem === undefined) return;
      isWhole = false;
      context.addIssue({ code: 'custom', path: [part], message: problem });
    };
    attempt('path', name === 'interact' ? undefined : map.path, compile.path);
    attempt('headers', map.headers, compile.headers);
    attempt('body', map.body, compile.body);
    attempt('answer', map.answer, compile.answer);
    attempt('answer_headers', map.answer_headers, compile.answer_headers);
    if (isWhole && name === 'list_shades') attempt('answer', map.answer, () => planOf(name, map, {}));
  };
}

/** Why a template cannot be compiled. */
function problemOf(compile: () => unknown): string | undefined {
  try {
    compile();
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error.message;
  }
}

function endpointSchema(name: MappedEndpoint) {
  return fields(endpointParts).superRefine(checkTemplates(name)).optional();
}

/**
 * How a target's requests and answers differ from the interface: JSON of the target, with `{field}` where a field of the
 * interface stands.
 */
export const mapSchema = fields({
  /** Header fields of all requests. */
  headers: headers
    .superRefine((texts, context) => {
      const message = problemOf(() => parseHeaders(texts, ['key']));
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .optional(),
  create_session: endpointSchema('create_session'),
  read_session: endpointSchema('read_session'),
  list_shades: fields({ ...endpointParts, first_page: z.int().min(0).optional() })
    .superRefine(checkTemplates('list_shades'))
    .optional(),
  import_shades: endpointSchema('import_shades'),
  analytics: endpointSchema('analytics'),
});

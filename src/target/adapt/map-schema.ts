import { z } from 'zod';
import type { MappedEndpoint } from './endpoint-fields.ts';
import { compilersOf, type EndpointMap } from './endpoint-plan.ts';
import { TemplateError } from './template.ts';

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected the name of a header field');
const headers = z.record(headerName, z.string().regex(/^[\t\x20-\x7e]*$/, 'expected printable ASCII'));
const json = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]);

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
    const compile = compilersOf(name);
    const attempt = <T>(
      part: keyof typeof compile,
      value: T | undefined,
      with_: (value: T) => unknown,
    ): void => {
      if (value === undefined) return;
      try {
        with_(value);
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        context.addIssue({ code: 'custom', path: [part], message: error.message });
      }
    };
    attempt('path', name === 'interact' ? undefined : map.path, compile.path);
    attempt('headers', map.headers, compile.headers);
    attempt('body', map.body, compile.body);
    attempt('answer', map.answer, compile.answer);
    attempt('answer_headers', map.answer_headers, compile.answer_headers);
  };
}

function endpointSchema(name: MappedEndpoint) {
  return z.strictObject(endpointParts).superRefine(checkTemplates(name)).optional();
}

/**
 * How a target's requests and answers differ from the interface: JSON of the target, with `{field}` where a field of the
 * interface stands.
 */
export const mapSchema = z.strictObject({
  /** Header fields of all requests. */
  headers: headers
    .superRefine((texts, context) => checkTemplates('analytics')({ headers: texts }, context))
    .optional(),
  create_session: endpointSchema('create_session'),
  read_session: endpointSchema('read_session'),
  list_shades: z
    .strictObject({ ...endpointParts, first_page: z.int().min(0).optional() })
    .superRefine(checkTemplates('list_shades'))
    .optional(),
  import_shades: endpointSchema('import_shades'),
  analytics: endpointSchema('analytics'),
});

import { z } from 'zod';
import { fields } from '../vocabulary/fields.ts';
import { type HeaderReader, type Paging, parseHeaderReader, parseReader, type Reader } from './reading.ts';
import {
  type BodyTemplate,
  type NamedFields,
  namesIn,
  type PathTemplate,
  parseBody,
  parsePath,
  parseText,
  TemplateError,
  type TextTemplate,
} from './template.ts';

interface EndpointFields {
  readonly request: NamedFields;
  readonly answer: NamedFields;
}

const shade = ['sku', 'name', 'hex', 'finish'];
const event = ['id', 'type', 'sku', 'at'];

/** Where in a list a request is; and how an answer says what follows. */
export const pageParameters = ['cursor', 'page', 'offset'] as const;
const pageSigns = ['cursor', 'next', 'pages', 'total', 'more'] as const;

/** The fields of each endpoint, by the interface's names and this project's names of the interaction channel. */
export const endpointFields = {
  create_session: {
    request: { fields: ['product_id', 'catalog_id', 'locale'] },
    answer: { fields: ['session_id', 'token', 'expires_at', 'shade_count'] },
  },
  read_session: {
    request: { fields: ['session_id'] },
    answer: {
      fields: ['session_id', 'product_id', 'catalog_id', 'locale'],
      list: { name: 'interactions', fields: event },
    },
  },
  list_shades: {
    request: { fields: ['catalog_id', ...pageParameters] },
    answer: { fields: pageSigns, list: { name: 'shades', fields: shade } },
  },
  import_shades: {
    request: { fields: ['catalog_id'], list: { name: 'shades', fields: shade } },
    answer: { fields: [] },
  },
  analytics: {
    request: { fields: ['start_date', 'end_date', 'product_id'] },
    answer: {
      fields: ['period', 'total_sessions', 'avg_shades_per_session', 'cart_intent_rate'],
      list: { name: 'top_shades', fields: ['sku', 'selections'] },
    },
  },
  interact: {
    request: { fields: ['session_id', 'token'], list: { name: 'interactions', fields: event } },
    answer: { fields: ['accepted'] },
  },
} as const satisfies Readonly<Record<string, EndpointFields>>;

export type MappedEndpoint = keyof typeof endpointFields;

/** Where a request carries one event, its fields also stand outside of a list. */
export const oneEventRequest: NamedFields = {
  ...endpointFields.interact.request,
  fields: [...endpointFields.interact.request.fields, ...event],
};

type Texts = Readonly<Record<string, string>>;

/** What a profile says of one endpoint. */
export interface EndpointMap {
  readonly method?: WireRequest['method'] | undefined;
  readonly path?: string | undefined;
  readonly headers?: Texts | undefined;
  readonly body?: object | undefined;
  readonly answer?: object | undefined;
  readonly answer_headers?: Texts | undefined;
  readonly first_page?: number | undefined;
  readonly most_events?: number | undefined;
}

/** The map of one endpoint, compiled. */
export interface EndpointPlan {
  readonly method: WireRequest['method'] | undefined;
  readonly path: PathTemplate | undefined;
  readonly headers: readonly (readonly [string, TextTemplate])[];
  readonly body: BodyTemplate | undefined;
  readonly reader: Reader | undefined;
  readonly headerReaders: readonly HeaderReader[];
  /** The placeholders of credentials: headers or body hold them in place of `Authorization`. */
  readonly credentials: readonly string[];
  readonly paging: Paging | undefined;
}

const credentialNames = ['key', 'token'] as const;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerText = /^[\t\x20-\x7e]*$/;

/** Compiles header fields; `allowed`: the placeholders in them. Throws `TemplateError`. */
export function parseHeaders(
  texts: Texts,
  allowed: readonly string[],
): readonly (readonly [string, TextTemplate])[] {
  return Object.entries(texts).map(([name, text]) => {
    if (!headerName.test(name))
      throw new TemplateError(`expected the name of a header field, got ${JSON.stringify(name)}`);
    if (!headerText.test(text)) throw new TemplateError(`${name}: expected printable ASCII`);
    return [name.toLowerCase(), parseText(text, allowed)] as const;
  });
}

/** The parts of a map that hold placeholders, each with what compiles it. They throw `TemplateError`. */
export function compilersOf(name: MappedEndpoint, { most_events: mostEvents }: EndpointMap) {
  const { answer } = endpointFields[name];
  const request: NamedFields = mostEvents === 1 ? oneEventRequest : endpointFields[name].request;
  const inHeaders = [...request.fields, 'key'];
  return {
    path: (text: string): PathTemplate => parsePath(text, request.fields),
    headers: (texts: Texts) => parseHeaders(texts, inHeaders),
    body: (template: object): BodyTemplate => parseBody(template, request),
    answer: (template: object): Reader => parseReader(template, answer),
    answer_headers: (texts: Texts): HeaderReader[] =>
      Object.entries(texts).map(([header, text]) => parseHeaderReader(header, text, answer)),
  };
}

/** Compiles the map of one endpoint; `common`: headers of all requests. Throws `TemplateError`. */
export function planOf(name: MappedEndpoint, map: EndpointMap, common: Texts): EndpointPlan {
  const compile = compilersOf(name, map);
  const headers = compile.headers({ ...common, ...map.headers });
  const path = map.path === undefined ? undefined : compile.path(map.path);
  const body = map.body === undefined ? undefined : compile.body(map.body);
  const reader = map.answer === undefined ? undefined : compile.answer(map.answer);
  const used = [...headers.flatMap(([, text]) => text.names), ...(body === undefined ? [] : namesIn(body))];
  const asked = [...used, ...(path?.path.names ?? []), ...(path?.query.map((pair) => pair.name) ?? [])];
  return {
    method: map.method,
    path,
    headers,
    body,
    reader,
    headerReaders: compile.answer_headers(map.answer_headers ?? {}),
    credentials: credentialNames.filter((credential) => used.includes(credential)),
    paging:
      name === 'list_shades' && reader !== undefined ? pagingOf(reader, asked, map.first_page) : undefined,
  };
}

/** `asked`: the placeholders of the request. Throws `TemplateError` for a cursor that is only read, or only sent. */
function pagingOf(reader: Reader, asked: readonly (string | undefined)[], firstPage = 1): Paging {
  const by = pageParameters.find((each) => asked.includes(each));
  const signs = new Set(reader.fields.map(({ name }) => name));
  if (signs.has('cursor') && by !== 'cursor')
    throw new TemplateError('it has {cursor}, which neither path nor body of the request takes');
  if (by === 'cursor' && !signs.has('cursor'))
    throw new TemplateError('the request takes {cursor}: expected the answer to have it');
  return { by, signs, firstPage };
}

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

/** A request as it goes out, below the base URL. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly body: string | undefined;
  /** In addition to the usual ones; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

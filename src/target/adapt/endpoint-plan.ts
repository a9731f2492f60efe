import {
  endpointFields,
  type MappedEndpoint,
  type NamedFields,
  oneEventRequest,
  pageParameters,
} from './endpoint-fields.ts';
import type { Paging } from './pages.ts';
import { type PathTemplate, parsePath } from './path-template.ts';
import { type HeaderReader, parseHeaderReader, parseReader, type Reader } from './reading.ts';
import {
  type BodyTemplate,
  namesIn,
  parseBody,
  parseText,
  TemplateError,
  type TextTemplate,
} from './template.ts';
import type { WireRequest } from './translation.ts';

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

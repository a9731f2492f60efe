import { isObject } from './json.ts';

/** What a request says, in the interface's names. */
export interface RequestValues {
  /** Parameters of path and query, as they are encoded there; several where one is repeated. */
  readonly encoded: Readonly<Record<string, readonly string[]>>;
  /** The same decoded, and the fields of the body. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Whether the body can be put into another form: it is an object, or there is none. */
  readonly isPlain: boolean;
}

/** What a map can name of a request or an answer. */
export interface NamedFields {
  readonly fields: readonly string[];
  /** The one list in it, and the fields of its entries. */
  readonly list?: { readonly name: string; readonly fields: readonly string[] };
}

/** A text with placeholders. There is one more literal than names: they take turns. */
export interface TextTemplate {
  readonly literals: readonly string[];
  readonly names: readonly string[];
}

/** A template of a JSON body, compiled. */
export type BodyTemplate =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'text'; readonly text: TextTemplate }
  | { readonly kind: 'array'; readonly items: readonly BodyTemplate[] }
  | { readonly kind: 'object'; readonly fields: readonly (readonly [string, BodyTemplate])[] }
  | { readonly kind: 'list'; readonly name: string; readonly entry: BodyTemplate };

/** What placeholders stand for. */
type Values = Readonly<Record<string, unknown>>;

const placeholder = /\{([a-z_]+)\}/;

/** A template that cannot be used, in words. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** Throws `TemplateError` for a placeholder that is not among the allowed names. */
export function parseText(text: string, allowed: readonly string[]): TextTemplate {
  const { literals, names } = split(text);
  const unknown = names.find((name) => !allowed.includes(name));
  if (unknown !== undefined) throw unknownName(unknown, allowed);
  return { literals, names };
}

function split(text: string): { readonly literals: string[]; readonly names: string[] } {
  const parts = text.split(placeholder);
  return {
    literals: parts.filter((_, place) => place % 2 === 0),
    names: parts.filter((_, place) => place % 2 === 1),
  };
}

function unknownName(name: string, allowed: readonly string[]): TemplateError {
  const known = allowed.length === 0 ? 'none here' : allowed.map((each) => `{${each}}`).join(', ');
  return new TemplateError(`no placeholder {${name}}; there are ${known}`);
}

/** The text, or undefined where a value is missing. `encode`: how a value is written. */
export function renderText(
  { literals, names }: TextTemplate,
  values: Values,
  encode: (value: string) => string = (value) => value,
): string | undefined {
  let text = literals[0] ?? '';
  for (let place = 0; place < names.length; place++) {
    const value = values[names[place] ?? ''];
    if (value === undefined) return undefined;
    text += encode(typeof value === 'string' ? value : JSON.stringify(value)) + literals[place + 1];
  }
  return text;
}

/**
 * Compiles a body: JSON in the target's form, with `{field}` where a field of the interface stands. An array with one
 * entry that names a field of the list stands for the whole list. Throws `TemplateError`.
 */
export function parseBody(template: unknown, { fields, list }: NamedFields): BodyTemplate {
  const allowed = [...fields, ...(list?.fields ?? [])];
  const parse = (value: unknown): BodyTemplate => {
    if (typeof value === 'string') return parseValue(value, allowed);
    if (Array.isArray(value)) {
      const items = value.map(parse);
      const [entry] = items;
      return list !== undefined &&
        entry !== undefined &&
        items.length === 1 &&
        namesIn(entry).some((name) => list.fields.includes(name))
        ? { kind: 'list', name: list.name, entry }
        : { kind: 'array', items };
    }
    if (!isObject(value)) return { kind: 'literal', value };
    return {
      kind: 'object',
      fields: Object.entries(value).map(([name, each]) => [name, parse(each)] as const),
    };
  };
  const parsed = parse(template);
  const stray = namesIn(parsed, false).find((name) => !fields.includes(name));
  if (stray !== undefined)
    throw new TemplateError(`{${stray}} is a field of the entries of a list: put it into [ ]`);
  return parsed;
}

/** A long text, such as a GraphQL query, may have words in braces: only a text of nothing else is a mistyped name. */
function parseValue(value: string, allowed: readonly string[]): BodyTemplate {
  const { literals, names } = split(value);
  const [name] = names;
  const isWhole = names.length === 1 && literals.every((literal) => literal === '');
  if (isWhole && name !== undefined) {
    if (!allowed.includes(name)) throw unknownName(name, allowed);
    return { kind: 'value', name };
  }
  return names.length > 0 && names.every((each) => allowed.includes(each))
    ? { kind: 'text', text: { literals, names } }
    : { kind: 'literal', value };
}

/** The names of all placeholders, or of those that are in no list. */
export function namesIn(template: BodyTemplate, inLists = true): readonly string[] {
  switch (template.kind) {
    case 'literal':
      return [];
    case 'value':
      return [template.name];
    case 'text':
      return template.text.names;
    case 'array':
      return template.items.flatMap((each) => namesIn(each, inLists));
    case 'object':
      return template.fields.flatMap(([, each]) => namesIn(each, inLists));
    case 'list':
      return inLists ? namesIn(template.entry) : [];
  }
}

/** The body for these values; undefined where a value is missing, so that JSON leaves the field out. */
export function renderBody(template: BodyTemplate, values: Values): unknown {
  switch (template.kind) {
    case 'literal':
      return template.value;
    case 'value':
      return values[template.name];
    case 'text':
      return renderText(template.text, values);
    case 'array':
      return template.items.map((each) => renderBody(each, values));
    case 'object': {
      const body: Record<string, unknown> = {};
      for (const [name, each] of template.fields) body[name] = renderBody(each, values);
      return body;
    }
    case 'list':
      return renderList(template.entry, values[template.name], values);
  }
}

/** What is no list, or no entry of one, is a fault that a probe sends on purpose: it goes out as it is. */
function renderList(entry: BodyTemplate, list: unknown, values: Values): unknown {
  if (!Array.isArray(list)) return list;
  const rendered: unknown[] = [];
  for (const each of list) rendered.push(isObject(each) ? renderBody(entry, { ...values, ...each }) : each);
  return rendered;
}

/** A path with its query, compiled. */
export interface PathTemplate {
  readonly path: TextTemplate;
  readonly query: readonly { readonly text: string; readonly name: string | undefined }[];
}

/** Throws `TemplateError` for a placeholder that is not allowed, and for a parameter that goes on after it. */
export function parsePath(text: string, allowed: readonly string[]): PathTemplate {
  const at = text.indexOf('?');
  const pairs = at < 0 ? [] : text.slice(at + 1).split('&');
  return {
    path: parseText(at < 0 ? text : text.slice(0, at), allowed),
    query: pairs.map((pair) => {
      const { literals, names } = parseText(pair, allowed);
      if (names.length > 1 || (literals[1] ?? '') !== '')
        throw new TemplateError(`expected parameters such as name={field}, got ${JSON.stringify(pair)}`);
      return { text: literals[0] ?? '', name: names[0] };
    }),
  };
}

/**
 * A parameter without a value is left out. Values that came percent-encoded stay as they are: some probes break the
 * encoding on purpose, or repeat a parameter.
 */
export function renderPath({ path, query }: PathTemplate, { encoded, values }: RequestValues): string {
  const allOf = (name: string): readonly string[] =>
    encoded[name] ?? (values[name] === undefined ? [] : [encode(values[name])]);
  let text = path.literals[0] ?? '';
  for (const [place, name] of path.names.entries()) text += (allOf(name)[0] ?? '') + path.literals[place + 1];
  const pairs = query.flatMap(({ name, text: before }) =>
    name === undefined ? [before] : allOf(name).map((value) => before + value),
  );
  return pairs.length === 0 ? text : `${text}?${pairs.join('&')}`;
}

function encode(value: unknown): string {
  return encodeURIComponent(typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value));
}

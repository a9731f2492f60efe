import type { RequestValues } from './request-values.ts';
import { parseText, TemplateError, type TextTemplate } from './template.ts';

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

import {
  counted,
  listed,
  milliseconds,
  noneOf,
  number,
  ordinal,
  percent,
  range,
  seconds,
  span,
  times,
  verb,
} from '../../../amounts.ts';
import type { Interval } from '../../../vocabulary/bounds.ts';
import {
  keysText,
  kindText,
  type LimiterSize,
  type Pace,
  paceText,
  type StreamName,
  sizeText,
} from './limits.ts';
import { answeredText, requestsText, requestText } from './requests.ts';

/**
 * Sentences as data. A place is `{name}`, a number, or `{name:format}`, where a format says what the parameter is and how it is
 * written: `{shades:count shade}`, `{one:text}`. A format that is two words with a bar is chosen by a number: `{n:was|were}`.
 */
const formats = {
  text: (value: string) => value,
  count: (value: number, noun: string) => {
    const [one = '', many] = noun.split('/');
    return counted(value, one, many);
  },
  list: (value: readonly string[], most: string) =>
    most === '' ? listed(value) : listed(value, Number(most)),
  ms: (value: number) => milliseconds(value),
  seconds: (value: number) => seconds(value),
  span: (value: number) => span(value),
  percent: (value: number) => percent(value),
  times: (value: number) => times(value),
  ordinal: (value: number) => ordinal(value),
  range: (value: Interval) => range(value),
  'none of': (value: number) => noneOf(value),
  request: (value: string) => requestText(value),
  requests: (value: readonly string[]) => requestsText(value),
  answered: (value: readonly string[]) => listed(value.map(answeredText)),
  keys: (value: StreamName) => keysText(value),
  pace: (value: Pace) => paceText(value),
  kind: (value: string | null) => kindText(value),
  size: (value: LimiterSize) => sizeText(value),
} as const;

type Formats = typeof formats;
type FormatName = keyof Formats;

/** The parameter of a place. A format with a word after it is looked up by its first word. */
type FormatParam<Format extends string> = Format extends `${string}|${string}`
  ? number
  : Format extends FormatName
    ? Parameters<Formats[Format]>[0]
    : Format extends `${infer Name extends FormatName} ${string}`
      ? Parameters<Formats[Name]>[0]
      : never;

type PlaceParam<Place extends string> = Place extends `${infer Name}:${infer Format}`
  ? { readonly [Key in Name]: FormatParam<Format> }
  : { readonly [Key in Place]: number };

/** What the places of a template need, by the template's own text. */
export type TemplateParams<Template extends string> = string extends Template
  ? Record<never, never>
  : Template extends `${string}{${infer Place}}${infer Rest}`
    ? PlaceParam<Place> & TemplateParams<Rest>
    : unknown;

/** A template with its places filled in. */
export function filledIn(template: string, params: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{(\w+)(?::([^}]+))?\}/g, (_, name: string, format = '') =>
    formatted(params[name], format),
  );
}

function formatted(value: unknown, format: string): string {
  // The parameters have the types that the template demands: `TemplateParams`.
  if (format === '') return number(value as number);
  const [one, many] = format.split('|');
  if (one !== undefined && many !== undefined) return verb(value as number, one, many);
  const name = (Object.keys(formats) as FormatName[]).find(
    (each) => format === each || format.startsWith(`${each} `),
  );
  if (name === undefined) throw new Error(`no format ${format}`);
  return (formats[name] as (value: unknown, rest: string) => string)(value, format.slice(name.length + 1));
}

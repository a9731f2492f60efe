import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { isObject, type JsonObject } from '../json.ts';

/** How one value differs from its schema. */
export interface Mismatch {
  /** The place in the body, with `*` for each entry of a list: `shades.*.hex`; empty for the whole. */
  readonly at: string;
  /** The keyword of JSON Schema that it contradicts: `type`, `required` … */
  readonly keyword: string;
  /** What the keyword demands, as JSON. */
  readonly wants: string;
  /** The value, as JSON and short; its kind alone where it is long. */
  readonly got: string;
}

interface OperationStatus {
  /** `POST /sessions`. */
  readonly operation: string;
  readonly status: number;
}

/** One way in which answers contradict the description. */
export type AnswerFault =
  | { readonly kind: 'operation'; readonly operation: string; readonly status: number }
  | (OperationStatus & { readonly kind: 'status'; readonly described: readonly string[] })
  | (OperationStatus & {
      readonly kind: 'media-type';
      readonly wants: readonly string[];
      readonly got: string | null;
    })
  | (OperationStatus & { readonly kind: 'header-missing'; readonly header: string })
  | (OperationStatus & {
      readonly kind: 'header-value';
      readonly header: string;
      readonly mismatch: Mismatch;
    })
  | (OperationStatus & { readonly kind: 'not-json' })
  | (OperationStatus & { readonly kind: 'body'; readonly mismatch: Mismatch });

/** A fault with the answers that show it. */
export interface Contradiction {
  readonly fault: AnswerFault;
  readonly answers: number;
  /** The first few. */
  readonly seqs: readonly number[];
}

const documentKey = 'tryon-description';
/** Whether these are met depends on everything in the value. */
const ofTheWhole = new Set([
  ...['enum', 'const', 'oneOf', 'anyOf', 'not', 'if', 'contains', 'uniqueItems', 'dependentSchemas'],
  ...['unevaluatedProperties', 'unevaluatedItems', 'propertyNames'],
]);
const longestShown = 64;

/** Whether a value stands for one that the record does not hold. */
export type IsHidden = (value: unknown) => boolean;

/** The schemas of a description, each compiled once. */
export class Schemas {
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: JsonObject) {
    this.#ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      verbose: true,
      validateSchema: false,
      meta: false,
      logger: false,
      code: { regExp: Object.assign(patternOf, { code: 'patternOf' }) },
    });
    formats.default(this.#ajv);
    this.#ajv.addSchema(document, documentKey);
  }

  /** Why a schema cannot be used; undefined where it can. */
  fault(reference: string): string | undefined {
    try {
      this.#of(reference);
      return undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return message.replaceAll(`${documentKey}#`, '#');
    }
  }

  /** How a value differs from a schema: nothing where it does not, undefined where hidden parts decide. */
  mismatches(reference: string, value: unknown, isHidden: IsHidden): readonly Mismatch[] | undefined {
    const validate = this.#of(reference);
    if (validate(value)) return [];
    const errors = validate.errors ?? [];
    const holdsHidden = (part: unknown): boolean =>
      isHidden(part) ||
      (Array.isArray(part) && part.some(holdsHidden)) ||
      (isObject(part) && Object.entries(part).some(([name, each]) => isHidden(name) || holdsHidden(each)));
    if (errors.some(({ data, keyword }) => ofTheWhole.has(keyword) && holdsHidden(data))) return undefined;
    const seen = errors.filter(
      ({ data }) => !isHidden(data) && !(isObject(data) && Object.keys(data).some(isHidden)),
    );
    if (seen.length === 0) return undefined;
    const own = seen.filter((error) => !isPartOf(error, errors)).map(mismatchOf);
    return [...new Map(own.map((each) => [`${each.at} ${each.keyword} ${each.wants}`, each])).values()];
  }

  #of(reference: string): ValidateFunction {
    const known = this.#compiled.get(reference);
    if (known !== undefined) return known;
    const key = `${documentKey}${reference}`;
    // What cannot be got, such as `true`, can be referred to; and an error says which reference leads nowhere.
    const compiled = this.#ajv.getSchema(key) ?? this.#ajv.compile({ $ref: key });
    this.#compiled.set(reference, compiled);
    return compiled;
  }
}

/** JSON Schema reads patterns as Unicode; some that authors write are valid only without it. */
function patternOf(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

/** Of alternatives that all fail, only the choice is told: why each of them fails is no contradiction by itself. */
function isPartOf({ instancePath, keyword }: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (keyword === 'oneOf' || keyword === 'anyOf') return false;
  return all.some(
    (choice) =>
      (choice.keyword === 'oneOf' || choice.keyword === 'anyOf') &&
      (instancePath === choice.instancePath || instancePath.startsWith(`${choice.instancePath}/`)),
  );
}

function mismatchOf({ data, instancePath, keyword, params, schema }: ErrorObject): Mismatch {
  const names = instancePath
    .split('/')
    .slice(1)
    .map((name) => (/^\d+$/.test(name) ? '*' : name.replaceAll('~1', '/').replaceAll('~0', '~')));
  return { at: names.join('.'), keyword, wants: wantsOf(keyword, params, schema), got: gotOf(keyword, data) };
}

/** The name of the property where one is missing or too many; otherwise what stands behind the keyword. */
function wantsOf(keyword: string, params: JsonObject, schema: unknown): string {
  const name = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  if (typeof name === 'string') return name;
  if (keyword === 'oneOf' || keyword === 'anyOf') return String(Array.isArray(schema) ? schema.length : 0);
  const text = JSON.stringify(schema) ?? '';
  return text.length > longestShown ? `${text.slice(0, longestShown).toWellFormed()}…` : text;
}

function gotOf(keyword: string, value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isObject(value)) return 'an object';
  if (keyword === 'type') return value === null ? 'null' : typeof value;
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longestShown ? `a text of ${text.length} characters` : text;
}

/** A number as JSON has it. */
const numeral = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * What the text of a header may stand for: it has no types, and the schema may be behind references. A value is right if
 * one of these is.
 */
export function readingsOf(text: string): unknown[] {
  const trimmed = text.trim();
  const parts = trimmed === '' ? [] : trimmed.split(',').map((part) => part.trim());
  return [trimmed, ...scalars(trimmed), parts, parts.map((part) => scalars(part)[0] ?? part)];
}

function scalars(text: string): (number | boolean)[] {
  if (numeral.test(text)) return [Number(text)];
  return text === 'true' || text === 'false' ? [text === 'true'] : [];
}

import { type ApiCall, type CallEvent, type Outcome, outcomeOf, type SentShade } from './call.ts';

/** What an answer says, in the words of the model. Foreign bodies are parsed here, once, and trusted inside. */
export interface AnswerSaid {
  readonly outcome: Outcome;
  /** The list that is shown; undefined where there is none. */
  readonly shades?: readonly SentShade[];
  readonly events?: readonly CallEvent[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly isPage: boolean;
}

type JsonFields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const deepest = 3;

/** What a call's answer says. Pure. */
export function saidBy(call: ApiCall): AnswerSaid {
  const { answer, op } = call;
  const objects: JsonFields[] = [];
  const lists: (readonly unknown[])[] = [];
  collect(answer.body, objects, lists, 0);
  const isList = op === 'list-shades';
  const list = lists.find((each) => isListOf(each, isList ? 'sku' : 'id')) ?? lists[0];
  return {
    outcome: outcomeOf(call),
    fields: fieldsOf(objects),
    isPage: answer.isPage === true,
    ...(list !== undefined && isList && { shades: list.map(shadeOf) }),
    ...(list !== undefined && op === 'read-session' && { events: list.map(eventOf) }),
  };
}

function collect(value: unknown, objects: JsonFields[], lists: (readonly unknown[])[], depth: number): void {
  if (Array.isArray(value)) lists.push(value);
  else if (isFields(value) && depth < deepest) {
    objects.push(value);
    for (const each of Object.values(value)) collect(each, objects, lists, depth + 1);
  }
}

const isListOf = (list: readonly unknown[], field: string): boolean =>
  list.length > 0 && list.every((each) => isFields(each) && field in each);

/** The fields of all objects of a body, the outer ones first. */
function fieldsOf(objects: readonly JsonFields[]): JsonFields {
  const fields: Record<string, unknown> = Object.assign({}, ...objects.toReversed());
  const { expires_at: expires } = fields;
  if (expires !== undefined) {
    fields['form of expires_at'] = instantForm(expires);
    fields.expires_at = instantMs(expires);
  }
  return fields;
}

/** In which form an instant is written. The interface has ISO 8601 in UTC. */
export type InstantForm = 'utc' | 'with another offset' | 'without an offset' | 'not an instant';

export function instantForm(value: unknown): InstantForm {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)) return 'not an instant';
  if (Number.isNaN(Date.parse(value))) return 'not an instant';
  if (/(Z|[+-]00:?00)$/.test(value)) return 'utc';
  return /[+-]\d\d:?\d\d$/.test(value) ? 'with another offset' : 'without an offset';
}

/** The instant that a text names, in whole milliseconds; NaN where it names none. Without an offset it is read as UTC, on any machine. */
export const instantMs = (value: unknown): number => {
  if (typeof value !== 'string') return Number.NaN;
  const isLocal = instantForm(value) === 'without an offset';
  return Math.floor(Date.parse(isLocal ? `${value}Z` : value));
};

/** A field as text. What is no text differs from every text. */
const text = (value: unknown): string | undefined =>
  value === undefined || value === null
    ? undefined
    : typeof value === 'string'
      ? value
      : `(${String(value)})`;

function shadeOf(entry: unknown): SentShade {
  const { finish, hex, name, sku } = isFields(entry) ? entry : {};
  return { sku: text(sku), name: text(name), hex: text(hex), finish: text(finish) };
}

function eventOf(entry: unknown): CallEvent {
  const { at, id, sku, type } = isFields(entry) ? entry : {};
  const isCart = type === 'cart_intent';
  return {
    id: text(id) ?? '',
    type: isCart ? 'cart_intent' : type === 'shade_selected' ? 'shade_selected' : otherType(type),
    sku: text(sku),
    atMs: instantMs(at),
  };
}

/** Any other type is wrong: it differs from both. */
const otherType = (type: unknown): CallEvent['type'] => (text(type) ?? '(none)') as CallEvent['type'];

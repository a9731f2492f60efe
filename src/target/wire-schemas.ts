import { z } from 'zod';
import { number } from '../amounts.ts';
import type { SessionAnalytics, SessionGrant, Shade } from '../wire.ts';
import { fieldName, isObject, type JsonObject } from './json.ts';
import { problemText } from './problems.ts';
import type { HistoryNames } from './profile.ts';
import { findShadeList } from './shade-list.ts';

/**
 * Reads the bodies of 2xx answers. Promises of the interface are checked, open points are accepted in any form, extra
 * fields always. A problem is a text without secrets: `token: expected string, got number`.
 */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/** What GET /sessions/{id} shows of a session. Only being an object is promised, so everything may be absent. */
interface SessionView {
  readonly productId?: string;
  readonly catalogId?: string;
  readonly locale?: string;
  /** In the order of the answer; absent when the profile's `session_history.list` is not a list of objects there. */
  readonly interactions?: readonly InteractionView[];
}

/** One entry of a session's history, under the names that the profile gives; what is no text is absent. */
interface InteractionView {
  readonly id?: string;
  readonly type?: string;
  readonly sku?: string;
  readonly at?: string;
}

const wholeCount = z
  .int({
    error: (issue) =>
      issue.code === 'invalid_type'
        ? `expected integer, got ${typeof issue.input === 'number' ? issue.input : kind(issue.input)}`
        : undefined,
  })
  .min(0);
const instant = z.string().refine((text) => parseUtcInstantMs(text) !== undefined, {
  error: (issue) => `expected an ISO 8601 instant in UTC, got ${quoted(issue.input)}`,
});

/** Longer than this is no identifier: it would not fit into the path of a request. */
const longestId = 4_096;
/** An instant with all that ISO 8601 allows, and fractions to spare. */
const longestInstant = 64;

/**
 * A session id goes into paths, so it must be percent-encodable: JSON may hold half of a surrogate pair, which UTF-8
 * cannot.
 */
const sessionId = z
  .string()
  .min(1)
  .max(longestId)
  .refine((text) => text.isWellFormed(), {
    error: 'expected well-formed Unicode, got a lone surrogate',
  });

export const grantSchema = z.looseObject({
  session_id: sessionId.describe('Identifier of the session.'),
  token: z.string().min(1).describe('Session token used by the JS SDK. It is not the API key.'),
  expires_at: z.string().max(longestInstant).pipe(instant).describe('Timestamp in ISO 8601 UTC form.'),
  shade_count: wholeCount.describe('Number of shades available for the session.'),
}) satisfies z.ZodType<SessionGrant>;

export const shadesSchema = z.array(
  z.looseObject({
    sku: z.string().min(1).describe('Stock keeping identifier of the shade.'),
    name: z.string().describe('Display name.'),
    hex: z
      .string()
      .regex(/^#[0-9A-Fa-f]{3,8}$/, {
        error: (issue) => `expected a colour such as #A1B2C3, got ${quoted(issue.input)}`,
      })
      .describe('Color as a HEX string with a leading #, for example the form #RRGGBB.'),
    finish: z.string().describe('Finish type. The value matte is shown.'),
  }),
) satisfies z.ZodType<Shade[]>;

export const analyticsSchema = z.looseObject({
  period: z.string().describe('Two dates of the form <start_date> / <end_date>.'),
  total_sessions: wholeCount.describe('Number of sessions in the period.'),
  avg_shades_per_session: z.number().min(0).describe('Average number of shades per session.'),
  cart_intent_rate: z
    .number()
    .max(1, {
      error: (issue) => `expected a fraction between 0 and 1, got ${quoted(issue.input)}`,
    })
    .describe('Fraction between 0 and 1.'),
  top_shades: z.array(
    z.looseObject({ sku: z.string().min(1), selections: wholeCount.describe('Number of selections.') }),
  ),
}) satisfies z.ZodType<SessionAnalytics>;

/** Reads the answer of POST /sessions. */
export function readGrant(body: unknown): Parsed<SessionGrant> {
  return isPlainGrant(body) ? { ok: true, value: body } : parse(grantSchema, body);
}

/**
 * Reads the answer of GET /shades: a bare list, a list under `shades`, or an object with one list of shades under any
 * name, at most one object deeper (`{"data":{"items":[…]}}`).
 */
export function readShades(body: unknown): Parsed<readonly Shade[]> {
  const found = findShadeList(body);
  if (found !== undefined) {
    const { list, path } = found;
    return arePlainShades(list) ? { ok: true, value: list } : parse(shadesSchema, list, path);
  }
  return { ok: false, problem: `body: expected a list of shades, or an object with one, got ${kind(body)}` };
}

/** Reads the answer of GET /analytics/sessions. */
export function readAnalytics(body: unknown): Parsed<SessionAnalytics> {
  return parse(analyticsSchema, body);
}

/** Reads the answer of GET /sessions/{id} for the session `askedId`, which it must show if it shows a `session_id` at all. */
export function readSession(body: unknown, fields: HistoryNames, askedId: string): Parsed<SessionView> {
  if (!isObject(body)) return { ok: false, problem: `body: expected object, got ${kind(body)}` };
  // The session's own fields are in the body, or in its `session`.
  const session = !('session_id' in body) && isObject(body.session) ? body.session : body;
  const id = session.session_id;
  if ('session_id' in session && typeof id !== 'string') {
    return { ok: false, problem: `session_id: expected string, got ${kind(id)}` };
  }
  if (typeof id === 'string' && id !== askedId) {
    return {
      ok: false,
      problem: problemText({ field: 'session_id', expected: quoted(askedId), got: quoted(id) }),
    };
  }
  const list = valueAt(body, fields.list) ?? valueAt(session, fields.list);
  const interactions = Array.isArray(list) && list.every(isObject) ? list : undefined;
  return {
    ok: true,
    value: {
      ...text('productId', session.product_id),
      ...text('catalogId', session.catalog_id),
      ...text('locale', session.locale),
      ...(interactions === undefined
        ? {}
        : { interactions: interactions.map((entry) => interactionView(entry, fields)) }),
    },
  };
}

/** Reads the answer of the interaction channel: `accepted`, where there is one. */
export function readAccepted(body: unknown): Parsed<{ readonly accepted?: number }> {
  const accepted = isObject(body) ? body.accepted : undefined;
  if (typeof accepted !== 'number') return { ok: true, value: {} };
  const parsed = isCount(accepted) ? undefined : parse(wholeCount, accepted, 'accepted');
  return parsed?.ok === false ? parsed : { ok: true, value: { accepted } };
}

const utcInstant = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?(?:Z|\+00(?::?00)?)$/;

/** Epoch milliseconds of an ISO 8601 instant with a UTC designator (`Z`, `+00:00`), basic or extended; else undefined. */
export function parseUtcInstantMs(text: string): number | undefined {
  const match = utcInstant.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = '00', fraction = '0'] = match;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3)}Z`);
  // Date.parse takes February 30 for March 2.
  return new Date(ms).getUTCDate() === Number(day) ? ms : undefined;
}

function parse<T>(schema: z.ZodType<T>, body: unknown, root = ''): Parsed<T> {
  const result = schema.safeParse(body, { error: problemOf });
  if (result.success) return { ok: true, value: result.data };
  const shown = result.error.issues.slice(0, 3).map((issue) => {
    const path = [...(root === '' ? [] : [root]), ...issue.path.map(fieldName)].join('.');
    return `${path === '' ? 'body' : path}: ${issue.message}`;
  });
  const more = result.error.issues.length - shown.length;
  return { ok: false, problem: `${shown.join('; ')}${more > 0 ? `; and ${number(more)} more` : ''}` };
}

/** Says what was expected and the kind of the value, without the value: it may be a secret. */
const problemOf: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${issue.expected}, got ${kind(issue.input)}`;
    case 'too_small':
      return issue.origin === 'string'
        ? 'expected text, got an empty string'
        : `expected at least ${issue.minimum}, got ${quoted(issue.input)}`;
    case 'too_big':
      // Only the length: a value that is too long may be anything, even a secret.
      return issue.origin === 'string'
        ? `expected at most ${issue.maximum} characters, got ${String(issue.input).length}`
        : `expected at most ${issue.maximum}, got ${quoted(issue.input)}`;
    default:
      return `expected another value (${issue.code})`;
  }
};

/** `number`, `null`, `array`, `nothing` … */
function kind(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  // JSON text such as 1e999 parses to this.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'an infinite number';
  return typeof value;
}

/** How much of a value a problem shows. */
const longestQuote = 64;

function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longestQuote ? `${text.slice(0, longestQuote).toWellFormed()}…` : text;
}

function interactionView(entry: JsonObject, fields: HistoryNames): InteractionView {
  return {
    ...text('id', valueAt(entry, fields.id)),
    ...text('type', valueAt(entry, fields.type)),
    ...text('sku', valueAt(entry, fields.sku)),
    ...text('at', valueAt(entry, fields.at)),
  };
}

function text<Name extends string>(name: Name, value: unknown): { readonly [name in Name]?: string } {
  return typeof value === 'string' ? ({ [name]: value } as { readonly [name in Name]?: string }) : {};
}

/** The value of a field, which may be named by a dotted path: `history.items`. */
function valueAt(object: JsonObject, path: string): unknown {
  if (Object.hasOwn(object, path)) return object[path];
  let value: unknown = object;
  for (const name of path.split('.')) value = isObject(value) ? value[name] : undefined;
  return value;
}

/**
 * A quick test whether a body is certainly as the interface promises. Nearly every answer of a run passes here; the
 * schemas judge and describe the others.
 */

const plainInstant = /^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
const plainColour = /^#[0-9A-Fa-f]{6}$/;

export function isPlainGrant(body: unknown): body is SessionGrant {
  return (
    isObject(body) &&
    isText(body.session_id) &&
    body.session_id.length <= longestId &&
    body.session_id.isWellFormed() &&
    isText(body.token) &&
    isPlainInstant(body.expires_at) &&
    isCount(body.shade_count)
  );
}

export function arePlainShades(list: readonly unknown[]): list is readonly Shade[] {
  return list.every(
    (shade) =>
      isObject(shade) &&
      isText(shade.sku) &&
      typeof shade.name === 'string' &&
      typeof shade.hex === 'string' &&
      plainColour.test(shade.hex) &&
      typeof shade.finish === 'string',
  );
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0;
}

function isPlainInstant(value: unknown): value is string {
  if (typeof value !== 'string' || !plainInstant.test(value)) return false;
  return value.slice(11, 13) < '24' && value.slice(14, 16) < '60' && value.slice(17, 19) < '60';
}

import type { Endpoint } from '../vocabulary/requests.ts';

/**
 * The calls that the model judges: what was sent, when, and what was answered. A call is data: it holds no key and no
 * token, only their names, so it can be kept in a history and judged again.
 */

/** How a key that is no key was made from a real one. */
export type KeyForm =
  | 'unknown'
  | `cut to ${8 | 12 | 16 | 20 | 24 | 32 | 36 | 64 | 72} characters`
  | 'without the last character'
  | 'with a further character'
  | 'with another last character'
  | 'with another 73rd byte'
  | 'in the other case'
  | 'twice'
  | 'in quotes';

/** How the token of a session was altered. */
export type TokenForm =
  | 'without the last character'
  | 'with a further character'
  | 'with other last characters'
  | 'in the other case';

/** How the id of a session was misspelt. */
export type SessionIdForm =
  | 'unknown'
  | 'in the other case'
  | 'without the last character'
  | 'with a further character'
  | 'with another last character'
  /** A percent sign that nothing can decode. */
  | 'not decodable';

/** With what a call was sent. */
export type CallCredential =
  /** One of the run's keys, by its label. */
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'near'; readonly key: string; readonly form: KeyForm }
  /** The token of the session that call `of` opened. */
  | { readonly kind: 'token'; readonly of: number }
  | { readonly kind: 'near token'; readonly of: number; readonly form: TokenForm };

/** A form of request that differs from the usual one. */
export type CallForm = 'head' | 'slash' | 'broken-json' | 'no-fields' | 'array';

/** A shade as it was sent: each field may be missing or wrong. */
export interface SentShade {
  readonly sku?: string | undefined;
  readonly name?: string | undefined;
  readonly hex?: string | undefined;
  readonly finish?: string | undefined;
}

/** An event as it was sent. `atMs`: epoch milliseconds. */
export interface CallEvent {
  readonly id: string;
  readonly type: 'shade_selected' | 'cart_intent';
  readonly sku?: string | undefined;
  readonly atMs: number;
  /** How it was spoiled before it was sent. */
  readonly flaw?: EventFlaw;
}

/** What makes an event malformed. */
export type EventFlaw = 'without a type' | 'of an unknown type' | 'without an instant';

export const isBadEvent = ({ flaw }: CallEvent): boolean => flaw !== undefined;
export const hasBadEvent = ({ events = [] }: Pick<CallRequest, 'events'>): boolean => events.some(isBadEvent);

/** What one call asks for. */
export interface CallRequest {
  readonly op: Endpoint;
  readonly by: CallCredential;
  readonly catalog?: string;
  readonly shades?: readonly SentShade[];
  readonly product?: string;
  readonly locale?: string;
  /** The call that opened the session. */
  readonly session?: number;
  readonly misspelt?: SessionIdForm;
  readonly events?: readonly CallEvent[];
  readonly form?: CallForm;
  /** Over a new connection. */
  readonly isFresh?: boolean;
}

/** What came back. Without an answer, the status is 0. */
export interface CallAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** More of the list is on another page. */
  readonly isPage?: boolean;
  /** The list came in several pages, one after the other. */
  readonly isPaged?: boolean;
}

/** One call with its answer. Instants are epoch milliseconds; `line`: the connection, by a number. */
export interface ApiCall extends CallRequest {
  readonly n: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly line: number;
  readonly answer: CallAnswer;
}

/** What an answer says, by its status. `void`: nothing that the model judges (no answer, 402, 429). */
export type Outcome = 'ok' | 'unauthorized' | 'missing' | 'refused' | 'failed' | 'void';

export function outcomeOf({ answer: { status }, form }: Pick<ApiCall, 'answer' | 'form'>): Outcome {
  if (status === 0 || status === 402 || status === 429) return 'void';
  // A redirect to the usual spelling says that this one is not served.
  if (form === 'slash' && status >= 300 && status < 400) return 'refused';
  if (status >= 500) return 'failed';
  if (status === 401) return 'unauthorized';
  if (status === 404) return 'missing';
  return status >= 400 ? 'refused' : status >= 200 && status < 300 ? 'ok' : 'failed';
}

/** Whether a call may have had an effect of which nothing was heard. */
export const isLost = ({ answer: { status } }: Pick<ApiCall, 'answer'>): boolean =>
  status === 0 || status >= 500;

/** Whether the interface lets a call with this answer change something. */
export const mayHaveEffect = (call: Pick<ApiCall, 'answer'>): boolean =>
  isLost(call) || outcomeOf(call) === 'ok';

/** Whether a limit turned the call away: then it changed nothing. */
export const isLimited = ({ answer: { status } }: Pick<ApiCall, 'answer'>): boolean =>
  status === 402 || status === 429;

/** The label of the key that a call was sent with, where it is one of the run's. */
export const keyOf = ({ by }: Pick<CallRequest, 'by'>): string | undefined =>
  by.kind === 'key' ? by.key : undefined;

export const isWrite = ({ op }: Pick<CallRequest, 'op'>): boolean =>
  op === 'import-shades' || op === 'create-session' || op === 'interact';

/** Whether the request itself is not as the interface wants it. */
export const isMalformed = ({ form, misspelt }: Pick<CallRequest, 'form' | 'misspelt'>): boolean =>
  misspelt === 'not decodable' || form === 'broken-json' || form === 'no-fields' || form === 'array';

/** Whether its answer has no body by its nature. */
export const hasNoBody = ({ form }: Pick<CallRequest, 'form'>): boolean => form === 'head';

export const isColour = (hex: string | undefined): boolean => /^#[\da-f]{6}$/i.test(hex ?? '');

/** Every replay asks again. */
const badShades = new WeakMap<SentShade, boolean>();

/** Whether a shade lacks what every service needs. */
export function isBadShade(shade: SentShade): boolean {
  const known = badShades.get(shade);
  if (known !== undefined) return known;
  const { hex, name, sku } = shade;
  const isBad = sku === undefined || name === undefined || !isColour(hex);
  badShades.set(shade, isBad);
  return isBad;
}

/** The most shades that the interface allows in one import. */
export const mostShades = 500;

export const isOversize = ({ shades = [] }: ApiCall): boolean => shades.length > mostShades;

/** The longest text that every service is expected to take. */
const longestPlain = 255;

/** Whether every service is expected to take a shade. For others the answer tells whether this one does. */
export function isPlainShade(shade: SentShade): boolean {
  const { finish, name = '', sku = '' } = shade;
  if (isBadShade(shade) || finish === undefined || name.length === 0) return false;
  if (sku.length === 0 || sku.trim() !== sku) return false;
  // A character takes one unit at least.
  return sku.length <= longestPlain && (name.length <= longestPlain || [...name].length <= longestPlain);
}

/** Every replay asks again. */
const flaws = new WeakMap<readonly SentShade[], ShadesFlaws>();

interface ShadesFlaws {
  /** Some shade lacks what every service needs. */
  readonly hasBad: boolean;
  /** Every service is expected to take all of them. */
  readonly arePlain: boolean;
}

export function flawsOf({ shades = [] }: Pick<CallRequest, 'shades'>): ShadesFlaws {
  const known = flaws.get(shades);
  if (known !== undefined) return known;
  const made = { hasBad: shades.some(isBadShade), arePlain: shades.every(isPlainShade) };
  flaws.set(shades, made);
  return made;
}

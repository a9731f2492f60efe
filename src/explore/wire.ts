import type { CallEvent, CallRequest, KeyForm, SessionIdForm, TokenForm } from '../model/call.ts';
import {
  analytics,
  type Call,
  createSession,
  importShades,
  interact,
  listShades,
  readSession,
} from '../target/calls.ts';
import type { Channel } from '../target/profile.ts';
import type { AnalyticsQuery, SessionRequest, ShadeBatch } from '../wire.ts';

/** What a drawn call needs to be sent. */
export interface WireContext {
  /** The id of the session that a call opened; undefined: it opened none. */
  readonly sessionId: (opener: number) => string | undefined;
  readonly channel: Channel | undefined;
  /** The period that analytics are asked for: all that the explorer does is in it. */
  readonly period: Pick<AnalyticsQuery, 'start_date' | 'end_date'>;
}

/** A drawn call as the client sends it; undefined where it cannot be sent, or would not be what it says. */
export function wireOf(request: CallRequest, context: WireContext): Call | undefined {
  const { form } = request;
  const plain = plainWire(request, context);
  if (plain === undefined) return undefined;
  // Of its events the record of the call tells, and nothing else counts them.
  const { batch: _, items, ...about } = plain.about;
  const wire = {
    ...plain,
    about: { ...about, ...(request.op === 'import-shades' && items !== undefined && { items }) },
  };
  if (form === undefined) return wire;
  if (form === 'head') return { ...wire, spelling: 'head' };
  if (form === 'slash') return { ...wire, spelling: 'trailing-slash' };
  return { ...wire, body: malformedBodies[form] };
}

const malformedBodies = { 'broken-json': '{"catalog_id": "x", ', 'no-fields': '{}', array: '[]' } as const;

function plainWire(request: CallRequest, { channel, period, sessionId }: WireContext): Call | undefined {
  const {
    catalog = '',
    events = [],
    locale = '',
    misspelt,
    op,
    product = '',
    session,
    shades = [],
  } = request;
  const id = session === undefined ? undefined : sessionId(session);
  switch (op) {
    case 'import-shades':
      // A shade may lack what the interface wants.
      return importShades({ catalog_id: catalog, shades: shades as ShadeBatch['shades'] });
    case 'list-shades':
      return listShades(catalog);
    case 'create-session':
      return createSession({ product_id: product, catalog_id: catalog, locale } satisfies SessionRequest);
    case 'analytics':
      return analytics({ ...period, product_id: product });
    case 'read-session': {
      if (id === undefined) return undefined;
      const spelt = misspelt === undefined ? id : idForms[misspelt](id);
      if (misspelt === 'not decodable') return { ...readSession(spelt), path: `/sessions/${spelt}` };
      // Misspelt to no effect is not misspelt.
      const isOther = misspelt === undefined || (spelt !== id && namesNone(misspelt, id));
      return isOther ? readSession(spelt) : undefined;
    }
    case 'interact': {
      if (id === undefined || channel === undefined) return undefined;
      const body = JSON.stringify({ interactions: events.map(interactionOf) });
      return { ...interact(channel, id, { interactions: [] }), body };
    }
  }
}

/** An event as it is sent: spoiled, where it is to be. */
export function interactionOf({ atMs, flaw, id, sku, type }: CallEvent): Readonly<Record<string, string>> {
  return {
    id,
    ...(flaw !== 'without a type' && { type: flaw === 'of an unknown type' ? 'shade_dreamt' : type }),
    at: flaw === 'without an instant' ? 'soon' : new Date(atMs).toISOString(),
    ...(sku !== undefined && { sku }),
  };
}

/** A key that only resembles a real one; undefined where the form changes nothing. */
export function nearKey(form: KeyForm, key: string): string | undefined {
  const near = keyForms[form]?.(key) ?? key.slice(0, Number(/\d+/.exec(form)?.[0] ?? 0));
  return near === key || near.length === 0 ? undefined : near;
}

const otherCase = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
const otherLast = (text: string): string => `${text.slice(0, -1)}${text.endsWith('x') ? 'y' : 'x'}`;

const keyForms: Readonly<Partial<Record<KeyForm, (key: string) => string>>> = {
  unknown: () => 'key-of-nobody-0123456789',
  'without the last character': (key) => key.slice(0, -1),
  'with a further character': (key) => `${key}0`,
  'with another last character': otherLast,
  'with another 73rd byte': (key) =>
    key.length < 73 ? key : `${key.slice(0, 72)}${key[72] === 'x' ? 'y' : 'x'}${key.slice(73)}`,
  'in the other case': otherCase,
  twice: (key) => key + key,
  'in quotes': (key) => `"${key}"`,
};

/** A token that only resembles a real one; undefined where the form changes nothing. */
export function nearToken(form: TokenForm, token: string): string | undefined {
  const near = tokenForms[form](token);
  return near === token ? undefined : near;
}

const tokenForms: Readonly<Record<TokenForm, (token: string) => string>> = {
  'without the last character': (token) => token.slice(0, -1),
  'with a further character': (token) => `${token}0`,
  // Of one alone, the bits may be padding.
  'with other last characters': (token) =>
    token.slice(0, -6) + [...token.slice(-6)].map((each) => (each === 'x' ? 'y' : 'x')).join(''),
  'in the other case': otherCase,
};

const idForms: Readonly<Record<SessionIdForm, (id: string) => string>> = {
  unknown: () => 'no-such-session',
  'in the other case': otherCase,
  'without the last character': (id) => id.slice(0, -1),
  'with a further character': (id) => `${id}0`,
  'with another last character': otherLast,
  'not decodable': () => '%zz',
};

/** An id of fewer characters may be one step from that of another session. */
const leastLength = 16;
/** A number behind a sign, or alone: with a digit less, or one more, it may be that of another session. */
const endsInNumber = /(^|[^0-9A-Za-z])[0-9]+$/;

/** Whether an id that is misspelt so names no session, as far as its form tells. */
function namesNone(form: SessionIdForm, id: string): boolean {
  switch (form) {
    case 'unknown':
      return true;
    case 'in the other case':
      // Where an id has letters of one case alone, such as the digits of a UUID, either case may name it.
      return id.length >= leastLength && /[a-z]/.test(id) && /[A-Z]/.test(id);
    case 'with another last character':
      return id.length >= leastLength;
    default:
      return id.length >= leastLength && !endsInNumber.test(id);
  }
}

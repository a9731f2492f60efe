import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ApiCall,
  CallAnswer,
  CallCredential,
  CallRequest,
  KeyForm,
  SessionIdForm,
  TokenForm,
} from '../model/call.ts';
import {
  analytics,
  type Call,
  createSession,
  importShades,
  interact,
  listShades,
  nextShades,
  readSession,
} from '../target/calls.ts';
import type { Channel } from '../target/channel.ts';
import type { TargetClient } from '../target/client.ts';
import type { Exchange } from '../target/exchange.ts';
import { isObject } from '../target/json.ts';
import { nextPage, pageHeadersOf } from '../target/next-page.ts';
import { findShadeList } from '../target/shade-list.ts';
import type { SessionRequest, ShadeBatch } from '../wire.ts';
import type { CallGroup } from './draw.ts';

/** A target as the explorer drives it. Secrets stay here: a record names keys by their labels. */
export interface DrivenTarget {
  readonly client: TargetClient;
  /** A client over a new connection. */
  readonly fresh: () => TargetClient;
  readonly keys: Readonly<Record<string, string>>;
  readonly channel: Channel | undefined;
  readonly perSecond: number;
}

const dayMs = 86_400_000;
/** A stalled answer does not stop the walk. */
const mostWaitMs = 3_000;
/** A service that is silent for so long is asked nothing more. */
const mostSilentMs = 20_000;
const mostPages = 50;

/** Sends the groups of a plan, each at its time, and records every call. */
export async function drive(groups: readonly CallGroup[], target: DrivenTarget): Promise<ApiCall[]> {
  const driver = new ExploreDriver(target);
  let slotMs = performance.now();
  let n = 0;
  for (const group of groups) {
    if (driver.silentMs > mostSilentMs) break;
    await sleep(Math.max(0, slotMs - performance.now()));
    slotMs = Math.max(slotMs, performance.now() - 100) + (1_000 / target.perSecond) * group.length;
    const sent = group.map((request) => driver.send(request, n++));
    const waiting = new AbortController();
    await Promise.race([
      Promise.all(sent),
      sleep(mostWaitMs, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
  }
  return driver.finish();
}

/** The wall clock, with fractions of a millisecond. */
export const exploreNowMs = (): number => performance.timeOrigin + performance.now();

class ExploreDriver {
  readonly #target: DrivenTarget;
  readonly #calls: ApiCall[] = [];
  readonly #sessions = new Map<number, { readonly id: string; readonly token: string }>();
  readonly #lines = new Map<number, number>();
  readonly #open = new Set<Promise<void>>();
  #answeredMs = performance.now();

  constructor(target: DrivenTarget) {
    this.#target = target;
  }

  /** For how long no call was answered. */
  get silentMs(): number {
    return performance.now() - this.#answeredMs;
  }

  async send(request: CallRequest, n: number): Promise<void> {
    const wire = this.#wire(request);
    const secret = this.#secret(request.by);
    if (wire === undefined || secret === null) return;
    const sending = this.#exchange(request, n, wire, secret);
    this.#open.add(sending);
    await sending.finally(() => this.#open.delete(sending));
  }

  async finish(): Promise<ApiCall[]> {
    await Promise.all(this.#open);
    return this.#calls.toSorted((a, b) => a.n - b.n);
  }

  async #exchange(request: CallRequest, n: number, wire: Call, secret: string | undefined): Promise<void> {
    const client = request.isFresh === true ? this.#target.fresh() : this.#target.client;
    const authorization = secret === undefined ? undefined : `Bearer ${secret}`;
    const fromMs = exploreNowMs();
    const ask = (call: Call): Promise<Exchange<undefined>> =>
      new Promise((resolve) => client.send(call, authorization, undefined, { done: resolve }));
    const exchange = await ask(wire);
    if (exchange.status !== undefined) this.#answeredMs = performance.now();
    const answer = await this.#answer(request, n, exchange, wire, ask);
    if (request.isFresh === true) await client.destroy();
    // What was never sent changed nothing.
    if (exchange.sentNs === undefined) return;
    this.#calls.push({
      ...request,
      n,
      fromMs,
      untilMs: exploreNowMs(),
      line: this.#line(exchange.carrier?.localPort),
      answer,
    });
  }

  #line(port: number | undefined): number {
    const known = this.#lines.get(port ?? -1);
    if (known !== undefined) return known;
    this.#lines.set(port ?? -1, this.#lines.size);
    return this.#lines.size - 1;
  }

  async #answer(
    { op }: CallRequest,
    n: number,
    exchange: Exchange<undefined>,
    wire: Call,
    ask: (call: Call) => Promise<Exchange<undefined>>,
  ): Promise<CallAnswer> {
    const { status = 0 } = exchange;
    const body = exchange.json();
    if (op === 'create-session' && isObject(body)) {
      const { session_id: id, token, ...rest } = body;
      if (typeof id === 'string' && typeof token === 'string') this.#sessions.set(n, { id, token });
      return { status, body: { ...rest, session_id: id } };
    }
    if (op !== 'list-shades' || status !== 200) return { status, ...(body !== undefined && { body }) };
    return { status, ...(await this.#pages(exchange, wire, body, ask)) };
  }

  /** A list in pages is one list. */
  async #pages(
    first: Exchange<undefined>,
    wire: Call,
    body: unknown,
    ask: (call: Call) => Promise<Exchange<undefined>>,
  ): Promise<{ readonly body?: unknown; readonly isPage?: boolean }> {
    const shades = [...(findShadeList(body)?.list ?? [])];
    let page = { exchange: first, body, path: wire.path };
    for (let count = 0; count < mostPages; count++) {
      const headers = pageHeadersOf(page.exchange.headers);
      const next = nextPage({ body: page.body, ...headers }, page.path, this.#target.client.baseUrl);
      if (next.kind === 'none') return count === 0 ? { body } : { body: { shades } };
      if (next.kind === 'closed') return { body: { shades }, isPage: true };
      const exchange = await ask(nextShades(wire.about.catalogId ?? '', next.path));
      const list = findShadeList(exchange.json())?.list;
      if (exchange.status !== 200 || list === undefined) return { body: { shades }, isPage: true };
      shades.push(...list);
      page = { exchange, body: exchange.json(), path: next.path };
    }
    return { body: { shades }, isPage: true };
  }

  /** The secret of a credential; null where it cannot be sent, or would be a good one by chance. */
  #secret(by: CallCredential): string | undefined | null {
    if (by.kind === 'none') return undefined;
    if (by.kind === 'token') return this.#sessions.get(by.of)?.token ?? null;
    if (by.kind === 'near token') {
      const token = this.#sessions.get(by.of)?.token;
      const altered = token === undefined ? undefined : tokenForms[by.form](token);
      return altered === undefined || altered === token ? null : altered;
    }
    const key = this.#target.keys[by.key];
    if (key === undefined) return null;
    if (by.kind === 'key') return key;
    const near = keyForms[by.form]?.(key) ?? cutKey(by.form, key);
    return near === key || near.length === 0 ? null : near;
  }

  #wire(request: CallRequest): Call | undefined {
    const { form } = request;
    const wire = this.#plain(request);
    if (wire === undefined || form === undefined) return wire;
    if (form === 'head') return { ...wire, spelling: 'head' };
    if (form === 'slash') return { ...wire, spelling: 'trailing-slash' };
    return { ...wire, body: { 'broken-json': '{"catalog_id": "x", ', 'no-fields': '{}', array: '[]' }[form] };
  }

  #plain({
    catalog = '',
    events = [],
    locale = '',
    misspelt,
    op,
    product = '',
    session,
    shades = [],
  }: CallRequest): Call | undefined {
    const held = session === undefined ? undefined : this.#sessions.get(session);
    switch (op) {
      case 'import-shades':
        return importShades({ catalog_id: catalog, shades: shades as ShadeBatch['shades'] });
      case 'list-shades':
        return listShades(catalog);
      case 'create-session':
        return createSession({ product_id: product, catalog_id: catalog, locale } satisfies SessionRequest);
      case 'analytics': {
        const day = (days: number): string => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
        return analytics({ start_date: day(-1), end_date: day(1), product_id: product });
      }
      case 'read-session': {
        if (held === undefined) return undefined;
        const id = misspelt === undefined ? held.id : idForms[misspelt](held.id);
        // Misspelt to no effect is not misspelt.
        return misspelt !== undefined && id === held.id ? undefined : readSession(id);
      }
      default: {
        const { channel } = this.#target;
        if (held === undefined || channel === undefined) return undefined;
        const interactions = events.map(({ atMs, id, sku, type }) => ({
          ...{ id, type, at: new Date(atMs).toISOString() },
          ...(sku !== undefined && { sku }),
        }));
        return interact(channel, held.id, { interactions });
      }
    }
  }
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
const cutKey = (form: KeyForm, key: string): string => key.slice(0, Number(/\d+/.exec(form)?.[0] ?? 0));

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
};

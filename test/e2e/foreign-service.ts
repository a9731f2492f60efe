import { randomBytes, randomUUID } from 'node:crypto';
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Interaction, SessionRequest, Shade } from '../../src/wire.ts';
import {
  type ForeignLimiter,
  type ForeignLimiterName,
  foreignLimiter,
  type Limit,
} from './foreign-limiters.ts';
import { analyticsOf, type Counting, type ForeignSession, ForeignShop } from './foreign-shop.ts';
import { eventsOf, importOf, type Strictness, sessionOf } from './foreign-validation.ts';

/** What the foreign service does where the interface leaves it a choice. Every field has a default. */
export interface ForeignChoices extends Partial<Counting> {
  readonly limit?: Limit;
  readonly limiter?: ForeignLimiterName;
  /** Interactions spend the rate limit of the key that opened the session. */
  readonly interactionsCount?: boolean;
  /** Sessions that the account of the `quota` key may create, and that of the `twin` key. */
  readonly quota?: number;
  /** A role's key belongs to the account of another role: it shares that account's data and quota. */
  readonly accounts?: Partial<Readonly<Record<ForeignRole, ForeignRole>>>;
  /** A name puts the list of shades under that name in an object. */
  readonly shades?: 'bare' | 'shades' | 'items';
  /** GET /shades answers in pages: the next one is named by a `Link` header, or by a cursor in the body. */
  readonly pages?: { readonly size: number; readonly by: 'link' | 'cursor' };
  readonly importStatus?: 200 | 201 | 202;
  readonly importBody?: 'json' | 'empty';
  readonly errorBody?: 'json' | 'empty' | 'text' | 'html';
  readonly extraFields?: boolean;
  readonly sessionId?: (count: number) => string;
  readonly limitHeaders?: 'none' | 'draft-10' | 'draft-7' | 'x-ratelimit';
  /** `honest`: seconds rounded up. `jitter`: up to 2 s more. `short`: rounded down, which is wrong. */
  readonly retryAfter?: 'none' | 'honest' | 'jitter' | 'short';
  /** Analytics show what happened until so long ago. */
  readonly analyticsLagMs?: number;
  /** Names of the history list and of the fields of its entries. */
  readonly history?: Readonly<Record<'list' | 'id' | 'type' | 'sku' | 'at', string>>;
  /** The order in which GET /sessions/{id} lists a history: of arrival, or of the events' own instants. */
  readonly historyOrder?: 'arrival' | 'at' | 'at-descending';
  readonly channel?: boolean;
  /** An interaction is one event, with names of its own: `{"uid", "event", "item", "time"}`. */
  readonly oneEvent?: boolean;
  readonly clockOffsetMs?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly keepAlive?: boolean;
  /** A connection without a request for so long is closed, and no header says so beforehand. */
  readonly idleMs?: number;
  /** How long each answer takes. */
  readonly delayMs?: number;
  /** What keeps an account's catalogs and sessions, where it is another than usual. */
  readonly shop?: () => ForeignShop;
  /** What becomes of malformed imports and sessions; malformed events are always rejected. */
  readonly strictness?: Strictness;
  /** Which shades an import may hold; with any other it gets 422. */
  readonly takes?: (shade: Shade) => boolean;
  /** Which events a session may get after those that it has; others are rejected. */
  readonly acts?: (before: readonly Interaction[], interactions: readonly Interaction[]) => boolean;
  /** Which sessions it opens; others are rejected. */
  readonly opens?: (request: SessionRequest) => boolean;
  /** Answers in place of the service; returns false to leave a request to it. */
  readonly sabotage?: (request: IncomingMessage, response: ServerResponse, count: number) => boolean;
}

export interface ForeignService {
  readonly baseUrl: string;
  readonly keys: Readonly<Record<ForeignRole, string>>;
  readonly shops: Readonly<Record<ForeignRole, ForeignShop>>;
  /** `POST /v1/sessions` → the number of such requests, with any answer; ids in paths are left out. */
  readonly asked: ReadonlyMap<string, number>;
  /** Keys, and tokens of all sessions: what must not be found anywhere. */
  secrets(): string[];
  close(): Promise<void>;
}

type ForeignRole = 'load' | 'quota' | 'twin' | 'bystander';

/** An independent, honest implementation of the interface on a free loopback port. */
export async function startForeignService(choices: ForeignChoices = {}): Promise<ForeignService> {
  const service = new Foreign(choices);
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    service.handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  };
  const { tls } = choices;
  const server = tls === undefined ? createPlainServer(listener) : createTlsServer(tls, listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  if (choices.idleMs !== undefined) closeWhenIdle(server, choices.idleMs);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/v1`,
    keys: service.keys,
    shops: service.shops,
    asked: service.asked,
    secrets: () => service.secrets(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Node's own idle time-out announces itself in a header; this one does not. */
function closeWhenIdle(server: Server, idleMs: number): void {
  server.keepAliveTimeout = 0;
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    socket.setTimeout(0);
    response.on('close', () => socket.setTimeout(idleMs));
  });
  server.on('connection', (socket: Socket) => socket.on('timeout', () => socket.destroy()));
}

function oneEventOf(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('uid' in body)) return undefined;
  const { event: type, item: sku, time: at, uid: id } = body as Readonly<Record<string, unknown>>;
  return { interactions: [{ id, type, sku, at }] };
}

const defaultHistory = { list: 'interactions', id: 'id', type: 'type', sku: 'sku', at: 'at' };

class Foreign {
  readonly keys = eachRole(newSecret);
  readonly shops: Readonly<Record<ForeignRole, ForeignShop>>;
  readonly asked = new Map<string, number>();
  readonly #choices: ForeignChoices;
  readonly #counting: Counting;
  readonly #limiters: Readonly<Record<ForeignRole, ForeignLimiter>>;
  #count = 0;
  #sessions = 0;
  #refused = 0;

  constructor(choices: ForeignChoices) {
    this.#choices = choices;
    this.#counting = { topShades: 10, ties: 'sku', decimals: 4, average: 'distinct', ...choices };
    const { limit = { requests: 60, windowMs: 2_000 }, limiter: kind = 'sliding-log' } = choices;
    this.#limiters = eachRole(() => foreignLimiter(kind, limit));
    const own = eachRole(choices.shop ?? (() => new ForeignShop()));
    this.shops = eachRole((role) => own[choices.accounts?.[role] ?? role]);
  }

  secrets(): string[] {
    const tokens = Object.values(this.shops).flatMap(({ sessions }) =>
      [...sessions.values()].map((s) => s.token),
    );
    return [...Object.values(this.keys), ...tokens];
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://foreign');
    const { channel = true, clockOffsetMs = 0, delayMs = 0, keepAlive = true, sabotage } = this.#choices;
    const isAct = /^\/v1\/sessions\/[^/]+\/interactions$/.test(url.pathname);
    const route = `${request.method} ${url.pathname.replace(/(?<=\/sessions\/)[^/]+/, '{id}')}`.replace(
      /\/v1/,
      '',
    );
    this.asked.set(route, (this.asked.get(route) ?? 0) + 1);
    response.shouldKeepAlive = keepAlive;
    response.setHeader('date', new Date(Date.now() + clockOffsetMs).toUTCString());
    if (sabotage?.(request, response, ++this.#count) === true) return;
    const body = await bodyOf(request);
    if (delayMs > 0) await sleep(delayMs);
    const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const answer =
      isAct && channel
        ? this.#act(response, idIn(url), bearer, body)
        : this.#api(response, route, url, bearer, body);
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.text);
  }

  #api(response: ServerResponse, route: string, url: URL, bearer: string | undefined, body: unknown): Answer {
    const role = roles.find((each) => bearer === this.keys[each]);
    if (role === undefined) return this.#refusal(401);
    const verdict = this.#limiters[role](Date.now());
    this.#describeLimit(response, verdict);
    if ('waitMs' in verdict) return this.#refusal(429);
    const shop = this.shops[role];
    switch (route) {
      case 'POST /shades':
        return this.#import(shop, body);
      case 'GET /shades':
        return this.#list(response, shop, url);
      case 'POST /sessions':
        return this.#create(shop, role, body);
      case 'GET /sessions/{id}':
        return this.#read(shop, idIn(url));
      case 'GET /analytics/sessions':
        return this.#analytics(shop, url.searchParams);
      default:
        return this.#refusal(404);
    }
  }

  #import(shop: ForeignShop, body: unknown): Answer {
    const batch = importOf(body, this.#choices.strictness ?? 'strict');
    if (batch === undefined) return this.#refusal(422);
    const { catalog_id, shades } = batch;
    if (shades.length > 500) return this.#refusal(413);
    const { takes = () => true } = this.#choices;
    if (!shades.every(takes)) return this.#refusal(422);
    shop.importShades(catalog_id, shades);
    const { importBody = 'json', importStatus = 200 } = this.#choices;
    if (importBody === 'json') return this.#json(importStatus, { stored: shades.length });
    return { status: importStatus, type: 'text/plain', text: '' };
  }

  #list(response: ServerResponse, shop: ForeignShop, url: URL): Answer {
    const catalog = shop.catalogs.get(url.searchParams.get('catalog_id') ?? '');
    if (catalog === undefined) return this.#refusal(404);
    const extra = this.#choices.extraFields === true ? { undertone: 'cool', weight_mg: 3_500 } : {};
    const list = [...catalog.values()].map((shade) => ({ ...shade, ...extra }));
    const { pages, shades = 'bare' } = this.#choices;
    if (pages !== undefined) return this.#page(response, list, url, pages);
    return this.#json(200, shades === 'bare' ? list : { [shades]: list });
  }

  #page(response: ServerResponse, list: readonly object[], url: URL, { by, size }: Pages): Answer {
    const parameter = by === 'link' ? 'page' : 'cursor';
    const from = Number(url.searchParams.get(parameter) ?? 0);
    const page = list.slice(from, from + size);
    const next = from + size < list.length ? String(from + size) : undefined;
    if (by === 'cursor') return this.#json(200, { shades: page, next_cursor: next ?? null });
    if (next !== undefined) {
      const further = new URL(url);
      further.searchParams.set(parameter, next);
      response.setHeader('link', `<${further.pathname}${further.search}>; rel="next"`);
    }
    return this.#json(200, page);
  }

  #create(shop: ForeignShop, role: ForeignRole, body: unknown): Answer {
    const request = sessionOf(body, this.#choices.strictness ?? 'strict');
    const { opens = () => true } = this.#choices;
    if (request === undefined || !opens(request)) return this.#refusal(422);
    const { clockOffsetMs = 0, quota = 15, sessionId = () => randomUUID() } = this.#choices;
    const catalog = shop.catalogs.get(request.catalog_id);
    if (catalog === undefined) return this.#refusal(404);
    const isSmall = shop === this.shops.quota || shop === this.shops.twin;
    if (isSmall && shop.sessions.size >= quota) return this.#refusal(402);
    const createdMs = Date.now() + clockOffsetMs;
    const session: ForeignSession = {
      id: sessionId(++this.#sessions),
      token: newSecret(),
      request,
      openedBy: role,
      createdMs,
      acts: [],
    };
    shop.sessions.set(session.id, session);
    return this.#json(200, {
      session_id: session.id,
      token: session.token,
      expires_at: new Date(createdMs + 1_800_000).toISOString(),
      shade_count: catalog.size,
    });
  }

  #read(shop: ForeignShop, id: string): Answer {
    const session = shop.sessions.get(id);
    if (session === undefined) return this.#refusal(404);
    const names = this.#choices.history ?? defaultHistory;
    const { historyOrder = 'arrival' } = this.#choices;
    const sign = historyOrder === 'at' ? 1 : -1;
    const acts =
      historyOrder === 'arrival'
        ? session.acts
        : session.acts.toSorted(
            (a, b) => sign * (Date.parse(a.interaction.at) - Date.parse(b.interaction.at)),
          );
    const entries = acts.map(({ interaction: { id, type, sku, at } }) => ({
      [names.id]: id,
      [names.type]: type,
      [names.sku]: sku,
      [names.at]: at,
    }));
    // It may show the token again, under any name.
    const extra = this.#choices.extraFields === true ? { sdk: session.token } : {};
    return this.#json(200, { session_id: id, ...session.request, ...extra, [names.list]: entries });
  }

  #act(response: ServerResponse, id: string, bearer: string | undefined, body: unknown): Answer {
    const shop = Object.values(this.shops).find(({ sessions }) => sessions.has(id));
    const session = shop?.sessions.get(id);
    if (shop === undefined || session === undefined) return this.#refusal(404);
    if (bearer !== session.token) return this.#refusal(401);
    const batch = eventsOf(this.#choices.oneEvent === true ? oneEventOf(body) : body);
    if (batch === undefined) return this.#refusal(422);
    const { interactions } = batch;
    const { acts = () => true } = this.#choices;
    if (
      !acts(
        session.acts.map(({ interaction }) => interaction),
        interactions,
      )
    )
      return this.#refusal(409);
    if (this.#choices.interactionsCount === true) {
      const verdict = this.#limiters[session.openedBy](Date.now());
      this.#describeLimit(response, verdict);
      if ('waitMs' in verdict) return this.#refusal(429);
    }
    const nowMs = Date.now() + (this.#choices.clockOffsetMs ?? 0);
    return this.#json(202, { accepted: shop.act(session, interactions, nowMs) });
  }

  #analytics(shop: ForeignShop, query: URLSearchParams): Answer {
    const startDate = query.get('start_date') ?? '';
    const endDate = query.get('end_date') ?? '';
    if (![startDate, endDate].every(isDate)) return this.#refusal(400);
    const { analyticsLagMs = 0, clockOffsetMs = 0 } = this.#choices;
    const asked = { startDate, endDate, productId: query.get('product_id') ?? undefined };
    const asOfMs = Date.now() + clockOffsetMs - analyticsLagMs;
    return this.#json(200, analyticsOf([...shop.sessions.values()], asked, asOfMs, this.#counting));
  }

  #json(status: number, body: object): Answer {
    const extended =
      this.#choices.extraFields === true && !Array.isArray(body)
        ? { ...body, _links: { self: '/somewhere' }, note: null, build: [1, 2, 3] }
        : body;
    return { status, type: 'application/json', text: JSON.stringify(extended) };
  }

  #refusal(status: number): Answer {
    switch (this.#choices.errorBody) {
      case 'empty':
        return { status, type: 'text/plain', text: '' };
      case 'text':
        return { status, type: 'text/plain', text: `no: ${status}` };
      case 'html':
        return { status, type: 'text/html', text: `<!doctype html><title>${status}</title><h1>Sorry</h1>` };
      default:
        return {
          status,
          type: 'application/problem+json',
          text: JSON.stringify({ title: 'refused', status }),
        };
    }
  }

  #describeLimit(response: ServerResponse, verdict: ReturnType<ForeignLimiter>): void {
    const { limit = { requests: 60, windowMs: 2_000 }, limitHeaders = 'none' } = this.#choices;
    if ('waitMs' in verdict) this.#advise(response, verdict.waitMs);
    const remaining = 'remaining' in verdict ? verdict.remaining : 0;
    const resetSeconds = Math.ceil(
      ('waitMs' in verdict ? verdict.waitMs : (verdict.resetMs ?? limit.windowMs)) / 1_000,
    );
    if (limitHeaders === 'draft-10') {
      response.setHeader('ratelimit-policy', `"default";q=${limit.requests};w=${limit.windowMs / 1_000}`);
      response.setHeader('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
    } else if (limitHeaders === 'draft-7') {
      response.setHeader('ratelimit-policy', `${limit.requests};w=${limit.windowMs / 1_000}`);
      response.setHeader(
        'ratelimit',
        `limit=${limit.requests}, remaining=${remaining}, reset=${resetSeconds}`,
      );
    } else if (limitHeaders === 'x-ratelimit') {
      response.setHeader('x-ratelimit-limit', limit.requests);
      response.setHeader('x-ratelimit-remaining', remaining);
      response.setHeader('x-ratelimit-reset', Math.floor(Date.now() / 1_000) + resetSeconds);
    }
  }

  #advise(response: ServerResponse, waitMs: number): void {
    const { retryAfter = 'none' } = this.#choices;
    if (retryAfter === 'none') return;
    const seconds = retryAfter === 'short' ? Math.floor(waitMs / 1_000) : Math.ceil(waitMs / 1_000);
    response.setHeader('retry-after', seconds + (retryAfter === 'jitter' ? this.#refused++ % 3 : 0));
  }
}

type Pages = NonNullable<ForeignChoices['pages']>;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** The session id in a path below /v1/sessions/. */
function idIn(url: URL): string {
  const id = url.pathname.split('/')[3] ?? '';
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

const roles: readonly ForeignRole[] = ['load', 'quota', 'twin', 'bystander'];

function eachRole<T>(make: (role: ForeignRole) => T): Record<ForeignRole, T> {
  return { load: make('load'), quota: make('quota'), twin: make('twin'), bystander: make('bystander') };
}

function newSecret(): string {
  return `fk_${randomBytes(18).toString('base64url')}`;
}

/** Undefined for a body that is empty or not JSON. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether it is a day of the calendar: 2026-02-30 is none. */
function isDate(text: string): boolean {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

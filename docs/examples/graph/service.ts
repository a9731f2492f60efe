import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import {
  type Account,
  addEvents,
  dayOf,
  hexOf,
  instantOf,
  listIn,
  Refusal,
  Shop,
  type ShopEvent,
  type ShopKeys,
  type ShopOptions,
  texts,
} from '../shop.ts';

/**
 * A try-on service that speaks as GraphQL services do: one path, every answer with status 200, errors as codes in the
 * body, lists as connections. Its token is a variable, it expires at a number of seconds, and rates are percentages.
 */
export async function startGraphService(
  options: ShopOptions = {},
): Promise<{ readonly baseUrl: string; readonly keys: ShopKeys; close(): void }> {
  const shop = new Shop(options);
  const server = createServer((request, response) => {
    serve(shop, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    keys: shop.keys,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const codes = {
  401: 'UNAUTHENTICATED',
  402: 'QUOTA_EXCEEDED',
  404: 'NOT_FOUND',
  413: 'TOO_LARGE',
  422: 'BAD_USER_INPUT',
  429: 'RATE_LIMITED',
} as const;

async function serve(shop: Shop, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url !== '/v1/graphql') {
    response.writeHead(404).end();
    return;
  }
  const asked: unknown = await readJson(request).catch(() => undefined);
  if (asked === undefined) {
    send(response, 400, { errors: [{ message: 'no JSON', extensions: { code: 'BAD_REQUEST' } }] });
    return;
  }
  try {
    const { name, result } = resolve(shop, asked, request.headers.authorization);
    send(response, 200, { data: { [name]: result } });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message, retryAfterS, status } = error;
    send(response, 200, {
      data: null,
      errors: [{ message, extensions: { code: codes[status], retryAfterS } }],
    });
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

type Variables = Readonly<Record<string, unknown>>;

function resolve(
  shop: Shop,
  asked: unknown,
  authorization: string | undefined,
): { readonly name: string; readonly result: object } {
  const { operationName, variables } = (asked ?? {}) as { operationName?: unknown; variables?: Variables };
  const name = String(operationName);
  if (name === 'track') return { name, result: track(shop, variables ?? {}) };
  const account = shop.admit(/^ApiKey (\S+)$/.exec(authorization ?? '')?.[1]);
  const operation = operations[name];
  if (operation === undefined) throw new Refusal(404, 'no such operation');
  return { name, result: operation(account, variables ?? {}) };
}

const operations: Readonly<Record<string, (account: Account, variables: Variables) => object>> = {
  startTryOn(account, variables) {
    const { catalog, locale, product } = texts(variables, ['product', 'catalog', 'locale']);
    const { expiresMs, id, shades, token } = account.open(product, catalog, locale);
    return {
      tryOn: { id },
      credentials: { token, expiresAt: Math.floor(expiresMs / 1e3) },
      shades: { totalCount: shades },
    };
  },
  tryOn(account, variables) {
    const { catalog, events, id, locale, product } = account.visit(texts(variables, ['id']).id);
    const nodes = events.map(({ at, id: uid, kind, sku }) => ({
      ...{ uid, name: kind === 'cart' ? 'CartIntent' : 'ShadeSelected', shade: sku ?? null, when: at },
    }));
    return { id, product: { id: product }, catalog: { id: catalog }, locale, events: { nodes } };
  },
  shades(account, variables) {
    const { catalog } = texts(variables, ['catalog']);
    const { after = null } = variables;
    const all = account.shadesOf(catalog);
    const from = after === null ? 0 : all.findIndex(({ sku }) => sku === after) + 1;
    const nodes = all.slice(from, from + pageSize);
    const hasNextPage = from + pageSize < all.length;
    return {
      edges: nodes.map((node) => ({ node })),
      pageInfo: { hasNextPage, endCursor: nodes.at(-1)?.sku ?? null },
    };
  },
  importShades(account, variables) {
    const { catalog } = texts(variables, ['catalog']);
    const shades = listIn(variables, 'input').map((each) => {
      const shade = texts(each, ['sku', 'name', 'hex', 'finish']);
      return { ...shade, hex: hexOf(shade.hex) };
    });
    return { imported: account.importShades(catalog, shades) };
  },
  report(account, variables) {
    const { from, to } = texts(variables, ['from', 'to']);
    if (dayOf(from) > dayOf(to)) throw new Refusal(422, 'the period ends before it begins');
    const product = variables.product === undefined ? undefined : texts(variables, ['product']).product;
    const { cartRate, favourites, shadesPerVisit, visits } = account.report(from, to, product);
    return {
      ...{ from, to, tryOns: visits, shadesPerTryOn: shadesPerVisit },
      cartPercent: Number((cartRate * 100).toFixed(2)),
      favourites: favourites.map(([sku, count]) => ({ shade: { sku }, count })),
    };
  },
};

const pageSize = 60;

function track(shop: Shop, variables: Variables): object {
  const { token, tryOn } = texts(variables, ['tryOn', 'token']);
  const visit = shop.visitOf(tryOn, token);
  return { accepted: addEvents(visit, listIn(variables, 'events').map(readEvent)) };
}

function readEvent(each: unknown): ShopEvent {
  const { name, uid, when } = texts(each, ['uid', 'name', 'when']);
  if (name !== 'ShadeSelected' && name !== 'CartIntent') throw new Refusal(422, 'no such event');
  const isBare = name === 'CartIntent' && (each as { shade?: unknown }).shade === undefined;
  const { shade } = isBare ? { shade: undefined } : texts(each, ['shade']);
  return { id: uid, kind: name === 'CartIntent' ? 'cart' : 'selection', sku: shade, at: instantOf(when) };
}

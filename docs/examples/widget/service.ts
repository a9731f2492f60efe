import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type Response } from 'express';
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
 * A try-on service whose shoppers use a widget. The key is in a header, the shopper's token in a cookie, all events of
 * a moment come in one batch to one path, lists go on by cursors, and most names differ from those of the interface.
 */
export async function startWidgetService(
  options: ShopOptions = {},
): Promise<{ readonly baseUrl: string; readonly keys: ShopKeys; close(): void }> {
  const shop = new Shop(options);
  const server = createServer(widgetApp(shop));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    keys: shop.keys,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const pageSize = 100;
const eventKinds = { pick: 'selection', bag: 'cart' } as const;

function widgetApp(shop: Shop): express.Express {
  const app = express();
  const api = express.Router();
  app.disable('x-powered-by');
  app.use(express.json({ limit: '1mb' }));
  app.use('/api/v1', api);

  // The widget's own path: no key, but the cookie of its try-on.
  api.post('/collect', (request, response) => {
    const { tryon } = texts(request.body, ['tryon']);
    const visit = shop.visitOf(tryon, cookieIn(request, 'widget'));
    const events = listIn(request.body, 'events').map(readEvent);
    response.status(202).json({ stored: addEvents(visit, events) });
  });

  api.use((request, response, next) => {
    response.locals.account = shop.admit(request.get('x-api-key'));
    next();
  });
  api.put('/palettes/:palette/items', (request, response) => {
    const items = listIn(request.body, 'items').map((item) => {
      const { code, label, look, rgb } = texts(item, ['code', 'label', 'rgb', 'look']);
      return { sku: code, name: label, hex: hexOf(rgb), finish: look };
    });
    response.json({ saved: accountOf(response).importShades(request.params.palette, items) });
  });
  api.get('/palettes/:palette/items', (request, response) => {
    const shades = accountOf(response).shadesOf(request.params.palette);
    const from = fromCursor(request.query.after);
    const next = from + pageSize < shades.length ? toCursor(from + pageSize) : null;
    const items = shades
      .slice(from, from + pageSize)
      .map(({ finish, hex, name, sku }) => ({ code: sku, label: name, rgb: hex, look: finish }));
    response.json({ items, page: { after: next, size: items.length } });
  });
  api.post('/tryons', (request, response) => {
    const { language, palette, product } = texts(request.body, ['product', 'palette', 'language']);
    const visit = accountOf(response).open(product, palette, language);
    response.cookie('widget', visit.token, { httpOnly: true });
    const expires = new Date(visit.expiresMs).toISOString();
    response.json({ tryon: { id: visit.id, expires, shades: visit.shades } });
  });
  api.get('/tryons/:id', (request, response) => {
    const { catalog, events, id, locale, product } = accountOf(response).visit(request.params.id);
    const log = events.map(({ at, id: uid, kind, sku }) => ({
      ...{ uid, event: kind === 'cart' ? 'bag' : 'pick', time: at },
      ...(sku === undefined ? {} : { item: sku }),
    }));
    response.json({ tryon: { id, product, palette: catalog, language: locale, log } });
  });
  api.get('/reports/tryons', (request, response) => {
    const { from, to } = texts(request.query, ['from', 'to']);
    if (dayOf(from) > dayOf(to)) throw new Refusal(422, 'the period ends before it begins');
    const { product } = request.query;
    if (product !== undefined && typeof product !== 'string') throw new Refusal(422, 'one product, or none');
    const { cartRate, favourites, shadesPerVisit, visits } = accountOf(response).report(from, to, product);
    response.json({
      report: {
        ...{ range: `${from} / ${to}`, tryons: visits, shadesPerTryon: shadesPerVisit, bagRate: cartRate },
        favourites: favourites.map(([item, picks]) => ({ item, picks })),
      },
    });
  });
  api.use(() => {
    throw new Refusal(404, 'no such path');
  });
  app.use(refuse);
  return app;
}

function accountOf(response: Response): Account {
  return response.locals.account as Account;
}

function readEvent(each: unknown): ShopEvent {
  const { event, time, uid } = texts(each, ['uid', 'event', 'time']);
  if (event !== 'pick' && event !== 'bag') throw new Refusal(422, 'event: expected pick or bag');
  const isBare = event === 'bag' && typeof each === 'object' && each !== null && !('item' in each);
  const { item } = isBare ? { item: undefined } : texts(each, ['item']);
  return { id: uid, kind: eventKinds[event], sku: item, at: instantOf(time) };
}

function cookieIn(request: Request, name: string): string | undefined {
  const pairs = (request.get('cookie') ?? '').split('; ').map((pair) => pair.split('='));
  return pairs.find(([key]) => key === name)?.[1];
}

function toCursor(place: number): string {
  return Buffer.from(`at:${place}`).toString('base64url');
}

function fromCursor(cursor: unknown): number {
  if (cursor === undefined) return 0;
  const place = /^at:(\d+)$/.exec(Buffer.from(String(cursor), 'base64url').toString())?.[1];
  if (place === undefined) throw new Refusal(422, 'no such cursor');
  return Number(place);
}

function refuse(error: unknown, _request: Request, response: Response, _next: NextFunction): void {
  // What Express cannot read has a status as well: no JSON, or broken percent-encoding.
  const known = typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : 500;
  if (error instanceof Refusal && error.retryAfterS !== undefined)
    response.set('retry-after', String(error.retryAfterS));
  response
    .status(known)
    .json({ error: { code: known, message: error instanceof Error ? error.message : '' } });
}

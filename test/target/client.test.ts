import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Call, listShades } from '../../src/target/calls.ts';
import { spelled } from '../../src/target/client.ts';
import type { Exchange } from '../../src/target/exchange.ts';
import { clientOf, exchanged, listening } from './loopback.ts';

async function ask(
  answer: RequestListener,
  { call, localAddress }: { readonly call?: Call; readonly localAddress?: string | undefined } = {},
): Promise<Exchange<undefined>> {
  const url = await listening(createServer(answer));
  return exchanged(clientOf(url, localAddress === undefined ? {} : { localAddress }), call);
}

describe('a request by HEAD', () => {
  it('goes out where the call says so, and takes an answer without a body', async () => {
    const exchange = await ask(
      (request, response) => response.setHeader('x-method', request.method ?? '').end('12345'),
      { call: { ...listShades('c'), spelling: 'head' } },
    );
    expect(exchange.headers['x-method']).toBe('HEAD');
    expect(exchange.status).toBe(200);
    expect(exchange.text()).toBe('');
  });
});

describe('a pool', () => {
  it.each([
    ['the address that the system takes', undefined, '127.0.0.1'],
    ['the address given', '127.0.0.2', '127.0.0.2'],
  ])('sends from %s', async (_sentence, localAddress, expected) => {
    const exchange = await ask((request, response) => response.end(request.socket.remoteAddress), {
      localAddress,
    });
    expect(exchange.text()).toBe(expected);
  });

  it.each([
    ['a request', 'Bearer key'],
    ['what is no request', 'Bearer \n'],
  ])('sends nothing when %s is prepared, and tells nobody', async (_sentence, authorization) => {
    const paths: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url);
      response.end('[]');
    });
    const client = clientOf(await listening(server));
    const over: string[] = [];
    const listener = { done: ({ call }: Exchange<undefined>) => over.push(call.path) };
    client.prepare(listShades('prepared'), authorization, undefined, listener);
    await exchanged(client, listShades('sent'));
    expect(paths).toEqual(['/v1/shades?catalog_id=sent']);
    expect(over).toEqual([]);
  });
});

describe('a connection that is opened before the first request', () => {
  /** A target that notes its connections, and the requests on each. */
  async function noting() {
    const requests: number[] = [];
    const server = createServer((request, response) => {
      const socket = sockets.indexOf(request.socket);
      requests[socket] = (requests[socket] ?? 0) + 1;
      response.end('[]');
    });
    const sockets: Socket[] = [];
    server.on('connection', (socket) => {
      requests[sockets.push(socket) - 1] = 0;
    });
    const client = clientOf(await listening(server));
    return { client, requests, send: () => exchanged(client), server, sockets };
  }

  it('carries it, and is the only one', async () => {
    const { client, requests, send, server } = await noting();
    client.open();
    client.open();
    await once(server, 'connection');
    expect(requests).toEqual([0]);
    expect(await send()).toMatchObject({ status: 200 });
    expect(requests).toEqual([1]);
  });

  it('carries it also if that comes before it is open, and a further request has another', async () => {
    const { client, requests, send } = await noting();
    client.open();
    await Promise.all([send(), send()]);
    expect(requests).toEqual([1, 1]);
  });

  it('is closed where the client gives up before it is open', async () => {
    const { client, server, sockets } = await noting();
    client.open();
    await client.destroy();
    await once(server, 'connection');
    const [socket] = sockets;
    if (socket?.destroyed === false) await once(socket.resume(), 'close');
    expect(socket?.destroyed).toBe(true);
  });

  it('tells nobody where nobody listens, and the first request finds out for itself', async () => {
    const { client, send, server } = await noting();
    server.close();
    await once(server, 'close');
    client.open();
    expect(await send()).toMatchObject({ notSent: 'no-connection' });
    expect(await send()).toMatchObject({ notSent: 'no-connection' });
  });
});

describe('a path that is spelled otherwise', () => {
  it.each([
    ['double-slash', '/shades?catalog_id=c', '//shades?catalog_id=c'],
    ['trailing-slash', '/shades?catalog_id=c', '/shades/?catalog_id=c'],
    ['trailing-slash', '/sessions', '/sessions/'],
    ['capital', '/shades', '/Shades'],
    ['percent', '/sessions/s1', '/%73essions/s1'],
    ['head', '/sessions', '/sessions'],
  ] as const)('has %s: %s', (spelling, path, expected) => {
    expect(spelled(path, spelling)).toBe(expected);
  });
});

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Call, listShades } from '../../src/target/calls.ts';
import { openPool, spelled, TargetClient } from '../../src/target/client.ts';
import type { Exchange } from '../../src/target/exchange.ts';
import { type ProfileInput, profileSchema } from '../../src/target/profile.ts';

async function ask(
  answer: RequestListener,
  profile: ProfileInput = {},
  localAddress?: string,
  call: Call = listShades('c'),
): Promise<Exchange<undefined>> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}`);
  const client = new TargetClient(
    url,
    openPool(url, profileSchema.parse(profile), localAddress === undefined ? {} : { localAddress }),
    () => 0,
    undefined,
  );
  try {
    return await new Promise<Exchange<undefined>>((done) => {
      client.send(call, undefined, undefined, { done });
    });
  } finally {
    await client.destroy();
    server.closeAllConnections();
    server.close();
  }
}

describe('a request by HEAD', () => {
  it('goes out where the call says so, and takes an answer without a body', async () => {
    const exchange = await ask(
      (request, response) => response.setHeader('x-method', request.method ?? '').end('12345'),
      {},
      undefined,
      { ...listShades('c'), spelling: 'head' },
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
    const exchange = await ask(
      (request, response) => response.end(request.socket.remoteAddress),
      {},
      localAddress,
    );
    expect(exchange.text()).toBe(expected);
  });

  it('gives up on an answer that never ends, though a byte comes now and then', async () => {
    const exchange = await ask(
      (_request, response) => {
        response.writeHead(200);
        const drip = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(drip));
      },
      { timeouts: { connect: '1s', headers: '200ms', body: '200ms' } },
    );
    expect(exchange).toMatchObject({ lost: 'timeout', status: undefined });
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
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const client = new TargetClient(url, openPool(url, profileSchema.parse({})), () => 0, undefined);
    const over: string[] = [];
    const listener = { done: ({ call }: Exchange<undefined>) => over.push(call.path) };
    client.prepare(listShades('prepared'), authorization, undefined, listener);
    await new Promise<Exchange<undefined>>((done) => {
      client.send(listShades('sent'), undefined, undefined, { done });
    });
    await client.destroy();
    server.close();
    expect(paths).toEqual(['//shades?catalog_id=sent']);
    expect(over).toEqual([]);
  });

  it('knows what is not HTTP', async () => {
    const exchange = await ask((request) => request.socket.end('what?\r\n\r\n'));
    expect(exchange).toMatchObject({ lost: 'protocol' });
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
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const client = new TargetClient(url, openPool(url, profileSchema.parse({})), () => 0, undefined);
    onTestFinished(async () => {
      await client.destroy();
      server.close();
    });
    const send = (): Promise<Exchange<undefined>> =>
      new Promise((done) => client.send(listShades('c'), undefined, undefined, { done }));
    return { client, requests, send, server, sockets };
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

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/target/exchange.ts';
import type { ProfileInput } from '../../src/target/profile.ts';
import { clientOf, exchanged, listening } from './loopback.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function answered(answer: Answer, profile: ProfileInput = {}): Promise<Exchange<undefined>> {
  return exchanged(clientOf(await listening(createServer(answer)), { profile }));
}

describe('an exchange', () => {
  it('holds the status, the headers, the body and both instants of an answer', async () => {
    const exchange = await answered((request, response) => {
      response.writeHead(201, { 'retry-after': '3' });
      response.end(JSON.stringify([request.method, request.url, request.headers.authorization]));
    });
    expect(exchange).toMatchObject({ status: 201, lost: undefined, notSent: undefined });
    expect(exchange.headers['retry-after']).toBe('3');
    expect(exchange.json()).toEqual(['GET', '/v1/shades?catalog_id=c', 'Bearer k']);
    expect(exchange.bytes).toBe(exchange.text().length);
    expect(exchange.answeredNs).toBeGreaterThan(exchange.sentNs ?? Number.POSITIVE_INFINITY);
  });

  it('takes what is no JSON for none', async () => {
    const exchange = await answered((_request, response) => void response.end('<html>'));
    expect([exchange.json(), exchange.text()]).toEqual([undefined, '<html>']);
  });

  it.each([
    ['lists', '['.repeat(8_000) + ']'.repeat(8_000)],
    ['objects', `${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`],
    ['objects in __proto__', `${'{"__proto__":'.repeat(8_000)}1${'}'.repeat(8_000)}`],
  ])('reads of %s that are 8,000 levels deep 512, and says so', async (_what, deep) => {
    const exchange = await answered((_request, response) => void response.end(`{"id":"s1","extra":${deep}}`));
    const body = exchange.json();
    expect(body).toMatchObject({ id: 's1' });
    expect(exchange.problem).toBe('body: expected JSON of at most 512 levels, got more levels');
    expect(JSON.stringify(body).match(/[[{]/g)).toHaveLength(512);
  });

  it('reads 512 levels without a word', async () => {
    const deep = '['.repeat(512) + ']'.repeat(512);
    const exchange = await answered((_request, response) => void response.end(deep));
    expect(JSON.stringify(exchange.json())).toBe(deep);
    expect(exchange.problem).toBeUndefined();
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)(
    'asks for no encoding, and reads %s where a proxy uses it all the same',
    async (encoding, encode) => {
      const exchange = await answered((request, response) => {
        response.writeHead(200, { 'content-encoding': encoding });
        response.end(encode(JSON.stringify({ asked: request.headers['accept-encoding'] })));
      });
      expect(exchange.json()).toEqual({ asked: 'identity' });
    },
  );

  it('takes a body that is not in the encoding it claims for none', async () => {
    const exchange = await answered((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end('plain');
    });
    expect(exchange.json()).toBeUndefined();
  });

  it('is given up on when its body trickles in for longer than the time it has', async () => {
    const trickling = (_request: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(drip));
    };
    const exchange = await answered(trickling, { timeouts: { headers: 200, body: 200 } });
    expect([exchange.status, exchange.lost]).toEqual([undefined, 'timeout']);
  });

  it('does not follow a redirect', async () => {
    const exchange = await answered(
      (_request, response) => void response.writeHead(307, { location: '/' }).end(),
    );
    expect(exchange.status).toBe(307);
  });

  it.each<[string, Answer, ProfileInput, string]>([
    ['a reset before any answer', (request) => void request.socket.resetAndDestroy(), {}, 'reset'],
    [
      'an answer that breaks off',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{', () => response.destroy());
      },
      {},
      'reset',
    ],
    ['no answer in time', () => undefined, { timeouts: { headers: '200ms' } }, 'timeout'],
    [
      'a body that stops half-way',
      (_request, response) => void response.writeHead(200, { 'content-length': '100' }).write('{'),
      { timeouts: { body: '200ms' } },
      'timeout',
    ],
    ['what is not HTTP', (request) => void request.socket.end('220 mail ESMTP\r\n'), {}, 'protocol'],
  ])('is lost, though sent, with %s', async (_what, answer, profile, lost) => {
    const exchange = await answered(answer, profile);
    expect(exchange).toMatchObject({ lost, status: undefined, notSent: undefined });
    expect(exchange.sentNs).toBeDefined();
    expect(exchange.answeredNs).toBeDefined();
    expect(exchange.cause).toBeInstanceOf(Error);
  });

  it('was never sent without a listener', async () => {
    const server = createServer();
    const url = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    const exchange = await exchanged(clientOf(url));
    expect(exchange).toMatchObject({ notSent: 'no-connection', lost: undefined, status: undefined });
    expect([exchange.sentNs, exchange.answeredNs]).toEqual([undefined, undefined]);
    expect(exchange.cause?.message).toContain('ECONNREFUSED');
  });

  it('given up on is stopped: lost when it was sent, else not sent', async () => {
    const reached = Promise.withResolvers<void>();
    const url = await listening(createServer(() => reached.resolve()));
    const client = clientOf(url, { profile: { connections: 1 } });
    const first = exchanged(client);
    const second = exchanged(client);
    await reached.promise;
    await client.destroy();
    expect(await first).toMatchObject({ lost: 'stopped', notSent: undefined });
    expect(await second).toMatchObject({ notSent: 'stopped', lost: undefined });
  });
});

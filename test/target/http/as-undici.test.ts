import { createServer } from 'node:net';
import { Pool } from 'undici';
import { describe, expect, it } from 'vitest';
import { programVersion } from '../../../src/program-files.ts';
import { createSession, listShades } from '../../../src/target/calls.ts';
import type { Connections, TargetClient } from '../../../src/target/client.ts';
import { clientOf, clientOver, exchanged, listening } from '../loopback.ts';

/** A server that answers each request on a connection with the next of these texts; `undefined` ends the connection. */
function saying(answers: readonly (string | undefined)[]): Promise<URL> {
  const server = createServer((socket) => {
    let n = 0;
    socket.on('data', () => {
      const answer = answers[n++];
      if (answer === undefined) socket.end();
      else if (answer.endsWith('<end>')) socket.end(answer.slice(0, -5), 'latin1');
      else socket.write(answer, 'latin1');
    });
  });
  return listening(server);
}

interface Seen {
  readonly status: number | undefined;
  readonly lost: string | undefined;
  readonly notSent: string | undefined;
  readonly headers: unknown;
  readonly text: string;
}

/** Makes requests one after another, over one connection at most at a time. */
async function seenBy(client: TargetClient, requests: number): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (let n = 0; n < requests; n++) {
    const exchange = await exchanged(client);
    const { headers, lost, notSent, status } = exchange;
    seen.push({
      headers: status === undefined ? {} : { ...headers },
      lost,
      notSent,
      status,
      text: status === undefined ? '' : exchange.text(),
    });
  }
  return seen;
}

const ours = (url: URL): TargetClient => clientOf(url, { profile: { connections: 1 } });
function undicis(url: URL): TargetClient {
  const pool = new Pool(url.origin, { connections: 1, pipelining: 1, allowH2: false });
  const connections: Connections = {
    dispatch({ authorization = '', body, headers, method, path }, handler) {
      pool.dispatch(
        { method, path, body, headers: { ...headers, authorization } },
        {
          onRequestStart: () => handler.onSent(),
          onResponseStart: (_, status, fields) => handler.onHead(status, fields),
          onResponseData: (_, chunk) => handler.onData(chunk),
          onResponseEnd: () => handler.onEnd(),
          onResponseError: (_, error) => handler.onError(error),
        },
      );
    },
    destroy: (reason: Error) => pool.destroy(reason),
  };
  return clientOver(url, connections);
}

const ok = 'HTTP/1.1 200 OK\r\n';

describe('our connections and undici’s', () => {
  it.each<[what: string, answers: readonly (string | undefined)[]]>([
    ['an answer of a length', [`${ok}Content-Length: 2\r\nDate: now\r\n\r\n[]`]],
    [
      'one answer after another',
      [
        `${ok}content-length: 2\r\n\r\n[]`,
        'HTTP/1.1 429 Slow\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n',
      ],
    ],
    [
      'chunks',
      [
        `${ok}transfer-encoding: chunked\r\n\r\n1\r\n[\r\n1\r\n]\r\n0\r\n\r\n`,
        `${ok}content-length: 2\r\n\r\n[]`,
      ],
    ],
    ['an answer that ends with the connection', [`${ok}\r\n[]<end>`]],
    ['an answer that wants the connection closed', [`${ok}connection: close\r\ncontent-length: 2\r\n\r\n[]`]],
    ['an answer of HTTP/1.0', ['HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n[]']],
    ['an interim answer', [`HTTP/1.1 103 Hints\r\nlink: x\r\n\r\n${ok}content-length: 2\r\n\r\n[]`]],
    ['a field that comes twice', [`${ok}x: 1\r\nX: 2\r\ncontent-length: 2\r\n\r\n[]`]],
    ['a 204', ['HTTP/1.1 204 No Content\r\n\r\n', `${ok}content-length: 2\r\n\r\n[]`]],
    ['an end without an answer', [undefined]],
    ['an end within the head', [`${ok}content-le<end>`]],
    ['an end within the body', [`${ok}content-length: 9\r\n\r\n[]<end>`]],
  ])('see the same in %s', async (_what, answers) => {
    const url = await saying(answers);
    const seen = await seenBy(ours(url), answers.length);
    expect(seen).toEqual(await seenBy(undicis(url), answers.length));
    expect(seen).toHaveLength(answers.length);
  });
});

describe('a request', () => {
  async function received(send: (client: TargetClient) => void): Promise<string> {
    const got = Promise.withResolvers<string>();
    const server = createServer((socket) => {
      let text = '';
      socket.on('data', (data) => {
        text += data.toString('latin1');
        if (/\r\n\r\n(?:$|.*\})/s.test(text)) got.resolve(text);
      });
    });
    const url = await listening(server);
    const client = ours(url);
    send(client);
    return (await got.promise).replace(url.host, 'HOST');
  }
  const nothing = { done: () => undefined };

  it('is a head and a body of the length that it says', async () => {
    const body = { product_id: 'p', catalog_id: 'c', locale: 'en-GB' };
    const text = await received((client) => client.send(createSession(body), 'Bearer k', undefined, nothing));
    expect(text).toBe(
      [
        'POST /v1/sessions HTTP/1.1',
        'host: HOST',
        'connection: keep-alive',
        'accept: application/json',
        'accept-encoding: identity',
        `user-agent: tryon/${programVersion()}`,
        'content-type: application/json',
        'authorization: Bearer k',
        `content-length: ${JSON.stringify(body).length}`,
        '',
        JSON.stringify(body),
      ].join('\r\n'),
    );
  });

  it('carries a body in any script, as UTF-8', async () => {
    const body = { product_id: '口紅 é', catalog_id: 'c', locale: 'ja-JP' };
    const text = await received((client) => client.send(createSession(body), 'Bearer k', undefined, nothing));
    const [head = '', sent = ''] = text.split('\r\n\r\n');
    expect(JSON.parse(Buffer.from(sent, 'latin1').toString('utf8'))).toEqual(body);
    expect(head).toContain(`content-length: ${sent.length}`);
  });

  it.each(['a\r\nx: y', 'a\nb', 'a\0', 'é\u0101'])('with the token %j is never sent', async (token) => {
    const client = ours(await saying([`${ok}content-length: 0\r\n\r\n`]));
    const exchange = await exchanged(client, listShades('c'), `Bearer ${token}`);
    expect(exchange).toMatchObject({ notSent: 'bad-header', sentNs: undefined, status: undefined });
    expect(exchange.wasFailed).toBe(false);
  });
});

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listShades } from '../../src/target/calls.ts';
import { openQuestions, TargetClient } from '../../src/target/client.ts';
import type { Exchange } from '../../src/target/exchange.ts';
import { noAnswerText, problemText, readProblem } from '../../src/target/problems.ts';
import { profileSchema } from '../../src/target/profile.ts';

describe('the record of a problem', () => {
  it('is read as it was written', () => {
    const field = fc.stringMatching(/^[a-z_]{1,12}(\[\d\]\.[a-z]{1,5})?$/);
    const expected = fc.string({ minLength: 1 }).filter((text) => !text.includes(', got '));
    fc.assert(
      fc.property(field, expected, fc.string({ minLength: 1 }), (name, wanted, got) => {
        const problem = { field: name, expected: wanted, got };
        expect(readProblem(problemText(problem))).toEqual(problem);
      }),
    );
  });

  it.each([
    ['nothing', null],
    ['a text in another form', 'not JSON: Unexpected end of input'],
  ])('in %s is none', (_, text) => {
    expect(readProblem(text)).toBeUndefined();
  });
});

const fixture = (name: string): string =>
  readFileSync(new URL(`../e2e/fixtures/${name}`, import.meta.url), 'utf8');
const tls = { key: fixture('self-signed.key.pem'), cert: fixture('self-signed.cert.pem') };

it.each([
  [
    'http:// to a port that speaks TLS',
    () => createTlsServer(tls),
    'http:',
    /^this port speaks TLS: use https:\/\/$/,
  ],
  [
    'https:// to a port that does not',
    () => createServer(),
    'https:',
    /^this port does not speak TLS: use http:\/\/$/,
  ],
  [
    'a certificate that no known authority has signed',
    () => createTlsServer(tls),
    'https:',
    /^self-signed certificate: name .* in the profile \(tls\.ca_file\)/,
  ],
  [
    'a server that closes each connection',
    () => createServer().on('connection', (socket) => socket.destroy()),
    'http:',
    /^(the other side closed the connection|.*ECONNRESET.*)$/,
  ],
] as const)(
  '%s is said with what to change, and no option of Node.js',
  async (_sentence, make, protocol, words) => {
    const server = make().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = new URL(`${protocol}//127.0.0.1:${port}`);
    const client = new TargetClient(url, openQuestions(url, profileSchema.parse({})), () => 0, undefined);
    try {
      const { cause } = await new Promise<Exchange<undefined>>((done) => {
        client.send(listShades('c'), undefined, undefined, { done });
      });
      const text = await noAnswerText(cause, url);
      expect(text).toMatch(words);
      expect(text).not.toMatch(/Node|--use/);
    } finally {
      await client.destroy();
      server.closeAllConnections();
      server.close();
    }
  },
);

it('no other address of a name is tried than the one to use', async () => {
  const server = createTlsServer(tls).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const url = new URL(`http://localhost:${(server.address() as AddressInfo).port}`);
    const cause = new Error('other side closed');
    expect(await noAnswerText(cause, url, '127.0.0.2')).toBe('other side closed');
    expect(await noAnswerText(cause, url, '127.0.0.1')).toMatch(/^this port speaks TLS/);
  } finally {
    server.close();
  }
});

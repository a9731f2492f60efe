import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/drive/clock/clock.ts';
import { listShades } from '../../../src/target/calls.ts';
import { openPool, type PoolSettings, TargetClient } from '../../../src/target/client.ts';
import { BodyRoom, type Exchange } from '../../../src/target/exchange.ts';
import { Addresses, type Lookup } from '../../../src/target/http/connect.ts';
import { profileSchema } from '../../../src/target/profile.ts';

const largeBody = JSON.stringify('x'.repeat(40 * 2 ** 20));

/** A server on all of 127.0.0.0/8 that closes each connection. `only`: on this address alone. */
async function serving(only = '0.0.0.0'): Promise<URL> {
  const held = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    response.writeHead(200, { connection: 'close', 'content-type': 'application/json' });
    if (request.url?.includes('held') === true) {
      // Until one was refused, none of them ends: they are surely received together.
      response.write(largeBody.slice(0, -1));
      held.add(response);
      response.once('close', () => {
        held.delete(response);
        for (const other of held) if (!other.writableEnded) other.end(largeBody.slice(-1));
      });
      return;
    }
    response.end(
      request.url?.includes('large') === true ? largeBody : JSON.stringify(request.socket.localAddress),
    );
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, only, resolve));
  return new URL(`http://shop.example:${(server.address() as AddressInfo).port}/v1`);
}

const named =
  (...addresses: string[]): Lookup =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

type Asked = Exchange<undefined>;

function asker(url: URL, settings: PoolSettings, room?: BodyRoom): (catalog?: string) => Promise<Asked> {
  const profile = profileSchema.parse({ timeouts: { connect: '300ms' } });
  const client = new TargetClient(
    url,
    openPool(url, profile, settings),
    systemClock().nowNs,
    undefined,
    room,
  );
  onTestFinished(() => client.destroy());
  return (catalog = 'c') =>
    new Promise((done) => client.send(listShades(catalog), 'Bearer k', undefined, { done }));
}

describe('connections', () => {
  async function reached(
    url: URL,
    addresses: Addresses,
  ): Promise<(readonly [unknown, string | undefined])[]> {
    const ask = asker(url, { addresses });
    const seen: (readonly [unknown, string | undefined])[] = [];
    for (let n = 0; n < 4; n++) {
      const exchange = await ask();
      seen.push([exchange.json(), exchange.carrier?.remoteAddress]);
    }
    return seen;
  }
  const at = (last: number): readonly [string, string] => [`127.0.0.${last}`, `127.0.0.${last}`];

  it('use the addresses of a name in turn, and say which one each of them leads to', async () => {
    const addresses = new Addresses('shop.example', { lookup: named('127.0.0.2', '127.0.0.3') });
    const seen = await reached(await serving(), addresses);
    expect(seen.slice(0, 2)).toEqual([at(2), at(3)]);
    expect(seen.map(([address]) => address)).toEqual(seen.map(([, remoteAddress]) => remoteAddress));
    expect(addresses.inTurn).toEqual(['127.0.0.2', '127.0.0.3']);
  });

  it('use one address where one is chosen', async () => {
    const lookup = named('127.0.0.2', '127.0.0.3');
    const addresses = new Addresses('shop.example', { lookup, only: '127.0.0.3' });
    expect(await reached(await serving(), addresses)).toEqual([at(3), at(3), at(3), at(3)]);
  });

  it('go to another address where one gives no connection, and remember why', async () => {
    const addresses = new Addresses('shop.example', { lookup: named('127.0.0.2', '127.0.0.3') });
    expect(await reached(await serving('127.0.0.3'), addresses)).toEqual([at(3), at(3), at(3), at(3)]);
    expect([...addresses.failed]).toEqual([['127.0.0.2', expect.stringContaining('ECONNREFUSED')]]);
  });

  it('tell how long their opening took, with their first request alone', async () => {
    const lookup: Lookup = async () => {
      await new Promise((resolve) => setTimeout(resolve, 40));
      return named('127.0.0.2')('');
    };
    const addresses = new Addresses('shop.example', { lookup });
    const { carrier } = await asker(await serving(), { addresses })();
    // A timer may fire a millisecond early.
    expect(carrier?.opened?.resolveMs).toBeGreaterThanOrEqual(39);
    expect(carrier?.opened?.waitedMs).toBeGreaterThanOrEqual(
      carrier?.opened?.resolveMs ?? Number.POSITIVE_INFINITY,
    );
    expect(carrier?.opened?.handshakeMs).toBeUndefined();
  });

  it('try an address once that a name has twice', async () => {
    const addresses = new Addresses('shop.example', { lookup: named('127.0.0.1', '127.0.0.1') });
    const ask = asker(new URL('http://shop.example:1/v1'), { addresses });
    expect(await ask()).toMatchObject({ notSent: 'no-connection', cause: { code: 'ECONNREFUSED' } });
  });

  it.each<[sentence: string, settings: PoolSettings, expected: object, message: RegExp]>([
    [
      'the name is not resolved in time',
      { addresses: new Addresses('shop.example', { lookup: () => new Promise(() => undefined) }) },
      { notSent: 'no-address', wasFailed: true },
      /^the name shop\.example was not resolved within 300 ms$/,
    ],
    [
      'there is no such name',
      { addresses: new Addresses('shop.example', { lookup: () => Promise.reject(new Error('ENOTFOUND')) }) },
      { notSent: 'no-address', wasFailed: true },
      /^the name shop\.example was not resolved: ENOTFOUND$/,
    ],
    [
      'this machine has no socket for it',
      // An address that is none of this machine's gets the same error as a machine without ports.
      { addresses: new Addresses('127.0.0.1'), localAddress: '192.0.2.1' },
      { notSent: 'no-socket', wasFailed: false },
      /^this machine has no socket left: .*EADDRNOTAVAIL/,
    ],
    [
      'the target takes none',
      { addresses: new Addresses('127.0.0.1') },
      { notSent: 'no-connection', wasFailed: true },
      /ECONNREFUSED/,
    ],
  ])('are not blamed on the target unless it is why: %s', async (_sentence, settings, expected, message) => {
    const exchange = await asker(new URL('http://shop.example:1/v1'), settings)();
    expect(exchange).toMatchObject(expected);
    expect(exchange.cause?.message).toMatch(message);
  });

  it('share one bound for the bodies that are received, and have it again afterwards', async () => {
    const addresses = new Addresses('shop.example', { lookup: named('127.0.0.2') });
    const ask = asker(await serving(), { addresses }, new BodyRoom(4));
    const together = await Promise.all([ask('held'), ask('held'), ask('held')]);
    const refused = together.filter(({ lost }) => lost === 'no-room');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.map(({ wasFailed }) => wasFailed)).not.toContain(true);
    expect(refused[0]?.cause?.message).toBe(
      'the bodies that are being received would take over 64 MiB together',
    );
    expect(await ask('large')).toMatchObject({ status: 200, bytes: largeBody.length });
  });
});

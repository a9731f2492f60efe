import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Call, createSession, listShades } from '../../src/target/calls.ts';
import { openPool, openQuestions } from '../../src/target/client.ts';
import type { Exchange } from '../../src/target/exchange.ts';
import { RestLimit } from '../../src/target/http/errors.ts';
import { clientOf, exchanged, listening } from './loopback.ts';

const pools = [
  ['of the load', openPool],
  ['of questions', openQuestions],
] as const;

const get = listShades('c');
const post = createSession({ product_id: 'p', catalog_id: 'c', locale: 'en-GB' });
const ok = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]';

/** A target whose connections a test closes when it likes: `keeps` says how many requests each of them lives to answer. */
async function target(open: (typeof pools)[number][1], keeps: readonly number[], connections = 512) {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const number = sockets.push(socket);
    let left = keeps[number - 1] ?? Number.POSITIVE_INFINITY;
    socket.on('data', (data) => {
      // What meets a closed connection is never read.
      if (left-- <= 0) return void socket.destroy();
      requests.push(`${data.toString('latin1').split(' ', 1)[0]} on ${number}`);
      socket.write(ok);
    });
  });
  const rest = new RestLimit();
  const client = clientOf(await listening(server), { open, rest, profile: { connections } });
  const ask = (call: Call): Promise<Exchange<undefined>> => exchanged(client, call);
  return { ask, requests, rest, sockets };
}

/** The time that the pools see, which a test advances, so that it need not wait. */
function movableTime(): (ms: number) => void {
  const now = performance.now.bind(performance);
  let offsetMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + offsetMs);
  onTestFinished(() => void vi.restoreAllMocks());
  return (ms) => {
    offsetMs += ms;
  };
}

/** A connection is free from the turn after its answer. */
async function restFor(ms: number, pass: (ms: number) => void): Promise<void> {
  await nextTurn();
  await nextTurn();
  pass(ms);
}

describe.each(pools)('a connection that the target closes for its idleness, in the pool %s', (_, open) => {
  it('costs a GET nothing but time: it is sent again on a new one, and the record holds both instants', async () => {
    const pass = movableTime();
    const { ask, requests } = await target(open, [1]);
    await ask(get);
    await restFor(1_000, pass);
    const exchange = await ask(get);
    expect(exchange).toMatchObject({ status: 200, lost: undefined });
    expect(exchange.firstSentNs).toBeLessThan(exchange.sentNs ?? 0);
    expect(requests).toEqual(['GET on 1', 'GET on 2']);
  });

  it('shows after the second such rest how long connections are kept', async () => {
    const pass = movableTime();
    const { ask, requests, rest } = await target(open, [1, 1]);
    await ask(get);
    await restFor(1_200, pass);
    await ask(get);
    expect(rest.closedAfterMs).toBeUndefined();
    await restFor(1_000, pass);
    await ask(get);
    expect(requests).toEqual(['GET on 1', 'GET on 2', 'GET on 3']);
    expect(rest.closedAfterMs).toBeGreaterThanOrEqual(1_000);
    expect(rest.closedAfterMs).toBeLessThan(1_200);
  });

  it('shows nothing where it was one crash, and the next connections are kept', async () => {
    const pass = movableTime();
    const { ask, requests, rest } = await target(open, [1]);
    await ask(get);
    for (let n = 0; n < 3; n++) {
      await restFor(n === 0 ? 120 : 400, pass);
      await ask(get);
    }
    expect(requests).toEqual(['GET on 1', 'GET on 2', 'GET on 2', 'GET on 2']);
    expect(rest.closedAfterMs).toBeUndefined();
  });

  it('leaves open what became of a POST, which is not sent again', async () => {
    const pass = movableTime();
    // With a single connection there is no other for it to take.
    const { ask, requests } = await target(open, [1], 1);
    await ask(get);
    await restFor(1_000, pass);
    const exchange = await ask(post);
    expect(exchange).toMatchObject({ lost: 'closed-idle', firstSentNs: undefined, wasFailed: false });
    expect(requests).toEqual(['GET on 1']);
  });

  it.each([
    ['has rested for no time to speak of', [1], 'reset', 1],
    ['is closed again the second time', [1, 0], 'reset', 2],
  ] as const)('is a loss where it %s', async (_sentence, keeps, lost, connections) => {
    const pass = movableTime();
    const { ask, sockets } = await target(open, keeps);
    await ask(get);
    await restFor(connections === 1 ? 0 : 1_000, pass);
    expect(await ask(get)).toMatchObject({ lost, wasFailed: true });
    expect(sockets).toHaveLength(connections);
  });

  it('is not used once it is seen to be closed, and neither is a third that rests nearly as long as two', async () => {
    const pass = movableTime();
    const { ask, requests, rest, sockets } = await target(open, []);
    await ask(get);
    await restFor(1_000, pass);
    const gone = once(sockets[0] as Socket, 'close');
    sockets[0]?.end();
    await gone;
    await ask(get);
    await restFor(1_000, pass);
    sockets[1]?.end();
    while (rest.closedAfterMs === undefined) await nextTurn();
    expect(await ask(post)).toMatchObject({ status: 200 });
    await restFor(700, pass);
    expect(await ask(get)).toMatchObject({ status: 200 });
    await restFor(200, pass);
    expect(await ask(get)).toMatchObject({ status: 200 });
    expect(requests).toEqual(['GET on 1', 'GET on 2', 'POST on 3', 'GET on 4', 'GET on 4']);
  });
});

it('a question that must not be sent twice takes a connection that has not rested', async () => {
  const pass = movableTime();
  const { ask, requests } = await target(openQuestions, []);
  await ask(get);
  await restFor(0, pass);
  await ask(post);
  await restFor(300, pass);
  await ask(post);
  expect(requests).toEqual(['GET on 1', 'POST on 1', 'POST on 2']);
});

describe('what is learned of idle connections', () => {
  /** A rest that the target ended, or that a connection survived, from one instant to another. */
  type Rest = readonly ['ended' | 'survived', fromMs: number, toMs: number];

  it.each<[string, readonly Rest[], number, number | undefined]>([
    ['nothing where none was closed', [], 4_000, undefined],
    [
      'nothing of those closed in use',
      [
        ['ended', 0, 20],
        ['ended', 30, 50],
      ],
      4_000,
      undefined,
    ],
    ['nothing of a single one', [['ended', 0, 120]], 4_000, undefined],
    [
      'nothing of all that one crash closed',
      [
        ['ended', 0, 120],
        ['ended', 5, 120],
        ['ended', 0, 121],
      ],
      4_000,
      undefined,
    ],
    [
      'nothing of rests of different lengths',
      [
        ['ended', 0, 120],
        ['ended', 200, 1_200],
      ],
      4_000,
      undefined,
    ],
    [
      'half of the shorter of two similar rests is used',
      [
        ['ended', 0, 1_200],
        ['ended', 1_300, 2_300],
      ],
      500,
      1_000,
    ],
    [
      'the shortest time of all counts',
      [
        ['ended', 0, 3_000],
        ['ended', 3_000, 6_000],
        ['ended', 6_000, 7_000],
        ['ended', 7_000, 8_000],
        ['ended', 8_000, 11_000],
      ],
      500,
      1_000,
    ],
    [
      'no more than the target announces is used',
      [
        ['ended', 0, 30_000],
        ['ended', 30_000, 60_000],
      ],
      4_000,
      30_000,
    ],
    [
      'nothing where a longer rest was survived in between',
      [
        ['ended', 0, 120],
        ['survived', 200, 500],
        ['ended', 600, 720],
      ],
      4_000,
      undefined,
    ],
    [
      'it is forgotten where a longer rest is survived later',
      [
        ['ended', 0, 1_000],
        ['ended', 1_000, 2_000],
        ['survived', 500, 2_100],
      ],
      4_000,
      undefined,
    ],
    [
      'it stays where a shorter rest is survived',
      [
        ['ended', 0, 1_000],
        ['ended', 1_000, 2_000],
        ['survived', 2_000, 2_400],
      ],
      500,
      1_000,
    ],
  ])('%s', (_, rests, usedMs, closedAfterMs) => {
    const rest = new RestLimit();
    for (const [how, fromMs, toMs] of rests) {
      if (how === 'ended') rest.learn(toMs - fromMs, toMs);
      else rest.survived(toMs - fromMs);
    }
    expect(rest.within(4_000)).toBe(usedMs);
    expect(rest.closedAfterMs).toBe(closedAfterMs);
  });

  const met: readonly [string, number | undefined, number, number, boolean, number?][] = [
    ['a rest of 0.2 s', undefined, 200, 5, true],
    ['a rest of 0.05 s', undefined, 50, 600, false],
    ['a rest of 0.05 s that, with the wait, is as long as connections are kept', 400, 50, 600, true],
    ['a rest of 0.05 s that, with the wait, is shorter than connections are kept', 400, 50, 300, false],
    ['a wait of over 1 s, where nothing is known', undefined, 500, 1_001, false],
    ['a wait of over 1 s, within 1 s of the time that connections are kept', 1_000, 50, 1_900, true],
    ['a wait of over 1 s past the time that connections are kept', 400, 500, 1_401, false],
    ['a connection without an earlier answer', 400, 0, 600, false],
    ['a rest of 0.05 s after an answer that was read late', 400, 50, 300, true, 200],
    [
      'a rest of 0.05 s after an answer that was read late, where nothing is known',
      undefined,
      50,
      300,
      false,
      200,
    ],
  ];
  it.each(met)(
    'of %s: whether idleness closed it',
    (_, closedAfterMs, restedMs, waitedMs, expected, most) => {
      const rest = new RestLimit();
      rest.closedAfterMs = closedAfterMs;
      const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      const rested = { restedMs, mostRestedMs: most ?? restedMs };
      expect(rest.wasClosedIdle(reset, rested, waitedMs)).toBe(expected);
      expect(rest.wasClosedIdle(new Error('of another kind'), rested, waitedMs)).toBe(false);
    },
  );

  it('nothing of a crash that a second request waits for', () => {
    const rest = new RestLimit();
    rest.learn(120, 1_000);
    rest.learn(130, 1_500, 500);
    expect(rest.closedAfterMs).toBeUndefined();
  });
});

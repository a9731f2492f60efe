import { createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openQuestions } from '../../../src/target/client.ts';
import { RestLimit } from '../../../src/target/http/errors.ts';
import { clientOf, exchanged, listening } from '../loopback.ts';

interface Asked {
  readonly spread?: number;
  readonly connections?: number;
  /** Milliseconds between two requests. */
  readonly everyMs?: number;
  /** The target closes connections that rest for longer, as the pool has learned. */
  readonly closedAfterMs?: number;
}

/** Asks one request after the other, each answered at once. Gives the number of the connection that carried each. */
async function carriers(requests: number, { everyMs = 10, closedAfterMs, spread, connections }: Asked) {
  const sockets: Socket[] = [];
  const carried: number[] = [];
  const server = createServer((socket) => {
    const number = sockets.push(socket);
    socket.on('data', () => {
      carried.push(number);
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]');
    });
  });
  const url = await listening(server);
  const now = performance.now.bind(performance);
  let offsetMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + offsetMs);
  onTestFinished(() => void vi.restoreAllMocks());
  const rest = new RestLimit();
  if (closedAfterMs !== undefined) {
    rest.learn(closedAfterMs, 0);
    rest.learn(closedAfterMs, 10 * closedAfterMs);
  }
  const profile = connections === undefined ? {} : { connections };
  const client = clientOf(url, { rest, profile, ...(spread === undefined ? {} : { spread }) });
  const ports: (number | undefined)[] = [];
  for (let n = 0; n < requests; n++) {
    ports.push((await exchanged(client)).carrier?.localPort);
    // A connection that was opened meanwhile is there, and the one used is free.
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    offsetMs += everyMs;
  }
  return { carried, ports, remotePorts: sockets.map((socket) => socket.remotePort) };
}

describe('how many connections carry requests that come one after the other', () => {
  it.each<[string, Asked, number]>([
    ['as many as are wanted', { spread: 8 }, 8],
    ['one where none are wanted', {}, 1],
    ['no more than the profile allows', { spread: 8, connections: 3 }, 3],
    [
      'two where a third would rest for more than half of the 4 s that it may',
      { spread: 8, everyMs: 900 },
      2,
    ],
    ['one where the requests are too far apart for two', { spread: 8, everyMs: 1_500 }, 1],
    ['fewer where the target closes connections early', { spread: 8, everyMs: 100, closedAfterMs: 1_800 }, 4],
  ])('%s', async (_, asked, expected) => {
    const { carried } = await carriers(80, asked);
    expect(new Set(carried).size).toBe(expected);
    // About in turn: none is left out for long.
    const last = carried.slice(-40);
    for (const number of new Set(carried)) expect(last).toContain(number);
  });
});

describe('in which order they carry them', () => {
  it('is not the same again and again: what the target does in turn does not depend on the connection', async () => {
    const { carried } = await carriers(400, { spread: 8 });
    const settled = carried.slice(-200);
    // If a target had two nodes that took requests in turn, each connection would meet both.
    for (const number of new Set(settled)) {
      const parities = settled.flatMap((each, place) => (each === number ? [place % 2] : []));
      expect(new Set(parities).size).toBe(2);
    }
  });
});

describe('the port of this machine that a connection comes from', () => {
  it('is known of each request of the load', async () => {
    const { carried, ports, remotePorts } = await carriers(20, { spread: 4 });
    expect(ports).toEqual(carried.map((number) => remotePorts[number - 1]));
  });

  it('is known of each question', async () => {
    const seen: (number | undefined)[] = [];
    const server = createServer((socket) => {
      socket.on('data', () => {
        seen.push(socket.remotePort);
        socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n[]');
      });
    });
    const client = clientOf(await listening(server), { open: openQuestions });
    const ports: (number | undefined)[] = [];
    for (let n = 0; n < 3; n++) ports.push((await exchanged(client)).carrier?.localPort);
    expect(new Set(ports).size).toBe(3);
    expect(ports).toEqual(seen);
  });
});

import {
  Agent,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestTo,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, randomStream } from '../../src/random.ts';

/** An answer of the service, whole. */
interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** One request on its way, and what can be made of it. */
export interface Passage {
  /** Forwards the request to the service on each call. */
  forward(): Promise<Answer>;
  /** Passes an answer on. */
  answer(answer: Answer): void;
  /** Passes on the head of an answer and part of its body, and breaks the connection off. */
  truncate(answer: Answer, part: number): void;
  /** Breaks the connection off. */
  reset(): void;
}

/** What goes wrong with a request between the harness and the service. */
export type Fault = (passage: Passage, random: Random) => Promise<void>;

const pass: Fault = async (passage) => passage.answer(await passage.forward());

type Range = readonly [fromMs: number, toMs: number];

/** The request is held up on its way, its answer on the way back. */
export function delayed(request: Range, answer: Range): Fault {
  return async (passage, random) => {
    await sleep(between(request, random));
    const answered = await passage.forward();
    await sleep(between(answer, random));
    passage.answer(answered);
  };
}

/** The connection breaks before the service has heard of the request. */
export const resetBefore: Fault = async (passage) => passage.reset();

/** The service does what it is asked, and its answer is swallowed. */
export const resetAfter: Fault = async (passage) => {
  await passage.forward();
  passage.reset();
};

/** The service does what it is asked, and its answer breaks off somewhere in its body, if only at the last byte. */
export const truncated: Fault = async (passage, random) => {
  passage.truncate(await passage.forward(), random());
};

/**
 * A gateway that retries: the service meets the request twice, at the same moment or when it has answered it already. One
 * answer is passed on.
 */
export const deliveredTwice: Fault = async (passage, random) => {
  const first = passage.forward();
  if (random() < 0.5) await first;
  const second = passage.forward();
  passage.answer(await Promise.race([first, second]));
  await second;
};

function between([fromMs, toMs]: Range, random: Random): number {
  return fromMs + (toMs - fromMs) * random();
}

export interface FaultProxyOptions {
  /** The service: its base URL without the path. */
  readonly origin: string;
  readonly fault: Fault;
  /** The share of requests that meet the fault. */
  readonly share: number;
  readonly seed: number;
  /** Whether a request may meet the fault at all. */
  readonly mayMeet: (request: IncomingMessage) => boolean;
}

export interface FaultProxy {
  readonly origin: string;
  /** How many requests have met the fault. */
  met(): number;
  close(): Promise<void>;
}

/** A proxy on a free loopback port that passes requests on to a service, and lets a share of them meet a fault. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true });
  const random = randomStream(options.seed, 'faults');
  let met = 0;
  const server = createServer((request, response) => {
    // Drawn for every request, so that which ones meet the fault is a matter of their order alone.
    const isMeant = random() < options.share;
    const meets = isMeant && options.mayMeet(request);
    if (meets) met++;
    passageOf(request, response, options.origin, agent)
      .then((passage) => (meets ? options.fault : pass)(passage, random))
      // The harness or the service has gone.
      .catch(() => response.destroy());
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  // Connections at rest are the harness's to close: one that the proxy closed could not be told from a fault.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    met: () => met,
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function passageOf(
  request: IncomingMessage,
  response: ServerResponse,
  origin: string,
  agent: Agent,
): Promise<Passage> {
  const body = await bytesOf(request);
  const { connection: _connection, ...headers } = request.headers;
  return {
    forward: () =>
      new Promise((resolve, reject) => {
        requestTo(
          new URL(request.url ?? '/', origin),
          { agent, method: request.method, headers },
          (answered) => {
            bytesOf(answered).then((bytes) => {
              const { connection: _hop, 'keep-alive': _hint, ...kept } = answered.headers;
              resolve({ status: answered.statusCode ?? 502, headers: kept, body: bytes });
            }, reject);
          },
        )
          .on('error', reject)
          .end(body);
      }),
    answer: (answer) => void response.writeHead(answer.status, answer.headers).end(answer.body),
    truncate(answer, part) {
      response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length + 1 });
      const sent = answer.body.subarray(0, Math.floor(part * (answer.body.length + 1)));
      response.write(sent, () => response.destroy());
    },
    reset: () => void request.socket.resetAndDestroy(),
  };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

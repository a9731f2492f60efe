import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Call, listShades } from '../../src/target/calls.ts';
import { type Connections, openPool, type PoolSettings, TargetClient } from '../../src/target/client.ts';
import type { Exchange } from '../../src/target/exchange.ts';
import { type ProfileInput, profileSchema } from '../../src/target/profile.ts';

/** Has a server listen on a free port of loopback until the test is over. Returns the base URL. */
export async function listening(server: Server, address = '127.0.0.1'): Promise<URL> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  server.listen(0, address);
  await once(server, 'listening');
  const bound = server.address();
  return new URL(`http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}/v1`);
}

interface ClientOptions extends PoolSettings {
  readonly profile?: ProfileInput;
  readonly open?: typeof openPool;
}

/** A client of a target until the test is over. Its clock is the machine's. */
export function clientOf(
  url: URL,
  { open = openPool, profile = {}, ...settings }: ClientOptions = {},
): TargetClient {
  return clientOver(url, open(url, profileSchema.parse(profile), settings));
}

export function clientOver(url: URL, connections: Connections): TargetClient {
  const nowNs = (): number => Math.round(performance.now() * 1e6);
  const client = new TargetClient(url, connections, nowNs, undefined);
  onTestFinished(() => client.destroy());
  return client;
}

/** Sends a request, and waits for what becomes of it. */
export function exchanged(
  client: TargetClient,
  call: Call = listShades('c'),
  authorization: string | undefined = 'Bearer k',
): Promise<Exchange<undefined>> {
  return new Promise((done) => client.send(call, authorization, undefined, { done }));
}

import { Redis } from 'ioredis';
import type { Started } from './fixture.ts';
import { freePort, startProgram, temporaryFolder } from './programs.ts';

/** A separate Redis on a free loopback port, which stores nothing; resolves to a client of it. */
export async function startRedis(started: Started): Promise<Redis> {
  const port = await freePort();
  const folder = temporaryFolder(started);
  const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  await startProgram(started, 'redis-server', ['--port', String(port), ...options], port);
  const client = new Redis(port, '127.0.0.1');
  started.add(() => client.disconnect());
  return client;
}

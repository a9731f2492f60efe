import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { buildService, startService } from '../../src/service/server.ts';
import { testPopulation } from './service-under-test.ts';

const everywhere = { host: '127.0.0.1', port: 0 };

/** A service whose every request waits at the door until `open` is called; `arrived` tells of the first. */
function heldService() {
  const arrived = Promise.withResolvers<void>();
  const door = Promise.withResolvers<void>();
  const app = buildService(
    { databaseFile: ':memory:', ...testPopulation },
    {
      server: (server) => {
        server.addHook('onRequest', async () => {
          arrived.resolve();
          await door.promise;
        });
      },
    },
  );
  onTestFinished(() => app.close());
  return { app, arrived: arrived.promise, open: door.resolve };
}

test('draining answers what is in flight on a kept-alive connection, then closes that and the database', async () => {
  const { app, arrived, open } = heldService();
  const { baseUrl, drain } = await startService(app, everywhere);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const status = new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer key-alice' };
    get(`${baseUrl}/shades?catalog_id=none`, { agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', reject);
  });
  await arrived;
  const drained = drain();
  await vi.waitFor(() => expect(app.server.listening).toBe(false), { timeout: 60_000 });
  open();
  expect(await status).toBe(404);
  await drained;
  await expect(fetch(baseUrl)).rejects.toThrow();
});

test('draining cuts off, after its grace, a request that is never sent to its end', async () => {
  const app = buildService({ databaseFile: ':memory:', ...testPopulation });
  const { baseUrl, drain } = await startService(app, everywhere);
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  const cutOff = once(socket, 'close');
  const head = 'POST /v1/shades HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key-alice\r\n';
  const received = once(app.server, 'request');
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
  await received;
  await drain(1);
  await cutOff;
  expect(socket.destroyed).toBe(true);
});

test('draining twice is draining once', async () => {
  const { app } = heldService();
  const service = await startService(app, everywhere);
  expect(service.drain()).toBe(service.drain());
  await service.drain();
});

test('a port in use is an error, after which the database is closed', async () => {
  const first = await startService(heldService().app, everywhere);
  const { app } = heldService();
  const port = Number(new URL(first.baseUrl).port);
  await expect(startService(app, { host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
});

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withServer } from './local-server.ts';

/** What every session is answered with: nginx makes no ids. */
const id = `ts_${'0'.repeat(20)}`;
const grant = `{"session_id":"${id}","token":"tok_${id}","expires_at":"2099-01-01T00:00:00.000Z","shade_count":24}`;

export const servers = ['node:http', 'nginx'] as const;
export type Server = (typeof servers)[number];

/** Those of the servers that are installed. */
export function serversHere(): readonly Server[] {
  return spawnSync('nginx', ['-v'], { stdio: 'ignore' }).error === undefined ? servers : ['node:http'];
}

/** Runs the cheapest server that is installed for as long as `use` takes, which is told which. */
export function withFastServer<T>(use: (baseUrl: URL, server: Server) => Promise<T>): Promise<T> {
  const server = serversHere().at(-1) ?? 'node:http';
  return serving[server]((baseUrl) => use(baseUrl, server));
}

/** How each is run for as long as something takes. */
export const serving: Readonly<Record<Server, <T>(use: (baseUrl: URL) => Promise<T>) => Promise<T>>> = {
  'node:http': (use) => withServer(use),
  nginx: withNginx,
};

/** nginx with fixed answers takes a third of the CPU that a generator takes. It is one process, which `use` is told. */
export async function withNginx<T>(use: (baseUrl: URL, nginx: ChildProcess) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tryon-nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off;
master_process off;
pid ${join(folder, 'nginx.pid')};
error_log stderr emerg;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000000;
  default_type application/json;
  ${temporary.join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    location = /answered { stub_status; }
    location = /v1/sessions { return 200 '${grant}'; }
    location ~ /interactions$ { return 202 '{"accepted":1}'; }
    location / { return 200 '{"session_id":"${id}","interactions":[]}'; }
  }
}
`,
  );
  const nginx = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    while (!(await accepts(port))) {
      if (nginx.exitCode !== null) throw new Error(`nginx ended with ${nginx.exitCode}`);
      await sleep(20);
    }
    return await use(new URL(`http://127.0.0.1:${port}/v1`), nginx);
  } finally {
    nginx.kill('SIGTERM');
    if (nginx.exitCode === null) await once(nginx, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fixture, startInSteps, startReference } from './fixture.ts';
import { freePort, startProgram, temporaryFolder } from './programs.ts';

/** `limit_req`: a leaky bucket reckoned in milli-requests. */
export interface LimitReq {
  readonly perSecond: number;
  /** What passes at once beyond the first request; 0 where nothing is configured. */
  readonly burst: number;
  /** Without it, what exceeds the rate waits in turn. */
  readonly nodelay: boolean;
  /** 503 where nothing is configured. */
  readonly status?: 429;
  /** A second zone, which a request has to pass as well. */
  readonly beside?: { readonly perSecond: number; readonly burst: number };
  /** `limit_conn`: requests in work at once. */
  readonly atOnce?: number;
}

/** nginx in front of the reference service, limiting by the `Authorization` header. */
export function startNginx({
  perSecond,
  burst,
  nodelay,
  status,
  beside,
  atOnce,
}: LimitReq): Promise<Fixture> {
  return startInSteps(async (started) => {
    const { port: servicePort, keys } = await startReference(started);
    const folder = temporaryFolder(started);
    const port = await freePort();
    const file = join(folder, 'nginx.conf');
    const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    writeFileSync(
      file,
      `daemon off;
master_process off;
pid ${join(folder, 'nginx.pid')};
error_log stderr emerg;
events { worker_connections 1024; }
http {
  access_log off;
  ${bodies.join('\n  ')}
  limit_req_zone $http_authorization zone=keys:1m rate=${Math.round(perSecond * 60)}r/m;
  ${beside === undefined ? '' : `limit_req_zone $http_authorization zone=beside:1m rate=${Math.round(beside.perSecond * 60)}r/m;`}
  ${atOnce === undefined ? '' : 'limit_conn_zone $http_authorization zone=conns:1m;'}
  upstream service { server 127.0.0.1:${servicePort}; keepalive 32; }
  server {
    listen 127.0.0.1:${port};
    location / {
      limit_req zone=keys${burst > 0 ? ` burst=${burst}${nodelay ? ' nodelay' : ''}` : ''};
      ${beside === undefined ? '' : `limit_req zone=beside burst=${beside.burst} nodelay;`}
      ${atOnce === undefined ? '' : `limit_conn conns ${atOnce}; limit_conn_status 429;`}
      ${status === undefined ? '' : `limit_req_status ${status};`}
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`,
    );
    await startProgram(started, 'nginx', ['-p', folder, '-e', 'stderr', '-c', file], port);
    return { baseUrl: `http://127.0.0.1:${port}/v1`, keys, stop: started.stop };
  });
}

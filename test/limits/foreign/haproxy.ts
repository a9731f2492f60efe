import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fixture, startInSteps, startReference } from './fixture.ts';
import { freePort, startProgram, temporaryFolder } from './programs.ts';

/** A stick-table's `http_req_rate`: this window's count, and the last one's in part. */
export interface StickTable {
  readonly limit: number;
  readonly windowMs: number;
  /** Tracking ahead of the denial counts refused requests too. */
  readonly rejectsCount: boolean;
  /** A second table, which a request has to pass as well. */
  readonly beside?: { readonly limit: number; readonly windowMs: number };
}

/** HAProxy in front of the reference service, limiting by the `Authorization` header. */
export function startHaproxy({ limit, windowMs, rejectsCount, beside }: StickTable): Promise<Fixture> {
  return startInSteps(async (started) => {
    const { port: servicePort, keys } = await startReference(started);
    const port = await freePort();
    const file = join(temporaryFolder(started), 'haproxy.cfg');
    const track = 'http-request track-sc0 hdr(authorization)';
    const deny = 'http-request deny deny_status 429';
    const rules = rejectsCount
      ? [track, `${deny} if { sc_http_req_rate(0) gt ${limit} }`]
      : [`${deny} if { hdr(authorization),table_http_req_rate ge ${limit} }`, track];
    const besideTable =
      beside === undefined
        ? ''
        : `backend beside\n  stick-table type string len 64 size 1k expire 1h store http_req_rate(${beside.windowMs}ms)`;
    if (beside !== undefined) {
      rules.unshift(`${deny} if { hdr(authorization),table_http_req_rate(beside) ge ${beside.limit} }`);
      rules.push('http-request track-sc1 hdr(authorization) table beside');
    }
    writeFileSync(
      file,
      `global
  nbthread 1
  maxconn 1000
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend keys
  bind 127.0.0.1:${port}
  stick-table type string len 64 size 1k expire 1h store http_req_rate(${windowMs}ms)
  ${rules.join('\n  ')}
  default_backend service
${besideTable}
backend service
  server reference 127.0.0.1:${servicePort}
`,
    );
    await startProgram(started, 'haproxy', ['-db', '-f', file], port);
    return { baseUrl: `http://127.0.0.1:${port}/v1`, keys, stop: started.stop };
  });
}

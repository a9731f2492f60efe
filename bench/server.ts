/**
 * A bare HTTP server for benchmarks, in a separate process. It answers every request at once in the shapes of the
 * interface, remembers when each list of shades was requested and how many answers were 2xx, and stalls on command.
 * Its port is the first line it writes; it ends with its standard input. `server.ts awake` polls instead of sleeping.
 */
import { createServer } from 'node:http';

const arrivals: number[] = [];
let sessions = 0;
let answered = 0;
let stalledMs = 0;

/** The answer to a POST on this path: a session for `/sessions`, else the result of events. */
function posted(path: string, authorization: string | undefined): { status: number; body: string } {
  if (path === '/v1/sessions') {
    const id = `ts_${(++sessions).toString(36).padStart(20, '0')}`;
    const body = {
      session_id: id,
      token: `tok_${id}`,
      expires_at: '2099-01-01T00:00:00.000Z',
      shade_count: 24,
    };
    return { status: 200, body: JSON.stringify(body) };
  }
  const [, , , id = ''] = path.split('/');
  const known = authorization === `Bearer tok_${decodeURIComponent(id)}`;
  return known ? { status: 202, body: '{"accepted":1}' } : { status: 401, body: '{}' };
}

const server = createServer((request, response) => {
  const url = request.url ?? '';
  if (url === '/v1/arrivals') {
    response.end(JSON.stringify(arrivals.splice(0)));
    return;
  }
  if (url === '/answered') {
    response.end(String(++answered));
    return;
  }
  if (url === '/stalled') {
    response.end(String(stalledMs));
    return;
  }
  if (url.startsWith('/stall/')) {
    // All of it stands still, as in a garbage collection or a page fault: what arrives meanwhile waits in the kernel.
    response.end(() => {
      const startMs = performance.now();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(url.slice(7)));
      stalledMs = performance.now() - startMs;
    });
    return;
  }
  response.setHeader('content-type', 'application/json');
  if (request.method === 'POST') {
    request.resume();
    const { status, body } = posted(url, request.headers.authorization);
    response.statusCode = status;
    response.end(body);
  } else if (url.startsWith('/v1/sessions/')) {
    response.end(JSON.stringify({ session_id: decodeURIComponent(url.slice(13)), interactions: [] }));
  } else {
    // The wall clock is the one clock that two processes share; its resolution here is microseconds.
    arrivals.push(performance.timeOrigin + performance.now());
    response.end('[]');
  }
  if (response.statusCode < 300) answered++;
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`);
});
process.stdin.on('end', () => process.exit()).resume();

function stayAwake(): void {
  setImmediate(stayAwake);
}
if (process.argv[2] === 'awake') stayAwake();

/** A bare HTTP server for benchmarks: answers every request at once with an empty list, and remembers when each came. */
import { createServer } from 'node:http';

const arrivals: number[] = [];
const server = createServer((request, response) => {
  if (request.url === '/v1/arrivals') {
    response.end(JSON.stringify(arrivals.splice(0)));
    return;
  }
  // The wall clock is the one clock that two processes share; its resolution here is microseconds.
  arrivals.push(performance.timeOrigin + performance.now());
  response.setHeader('content-type', 'application/json');
  response.end('[]');
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`);
});
process.stdin.on('end', () => process.exit()).resume();

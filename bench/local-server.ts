import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Runs the bare server of `server.ts` in a separate process during `use`. `awake`: it polls and takes all of a core,
 * so that the arrival time of a request does not depend on how fast that core wakes up.
 */
export async function withServer<T>(use: (baseUrl: URL) => Promise<T>, awake = false): Promise<T> {
  const script = fileURLToPath(new URL('./server.ts', import.meta.url));
  const server = spawn(process.execPath, [script, ...(awake ? ['awake'] : [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(server.stdout, 'data');
    return await use(new URL(`http://127.0.0.1:${String(line).trim()}/v1`));
  } finally {
    server.stdin.end();
  }
}

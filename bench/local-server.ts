import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Runs the bare server of `server.ts` in a process of its own for as long as `use` takes. `awake`: it never waits for anything and
 * takes all of a core, so that when it sees a request does not depend on how long that core takes to wake up.
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

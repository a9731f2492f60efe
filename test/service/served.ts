import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('./serve-process.ts', import.meta.url));

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tryon-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A `tryon serve` process of the test's own. */
export interface Served {
  readonly process: ChildProcess;
  /** The first line that it printed. */
  readonly line: string;
  readonly baseUrl: string;
  readonly keys: Readonly<Record<string, string>>;
  request(method: 'GET' | 'POST', path: string, bearer: string, body?: unknown): Promise<Response>;
  /** Sends a signal and waits for the end; answers the exit code, `null` if the signal killed it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts `tryon serve --json` and waits until it is ready. The process ends with the test in any case. */
export async function serve(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Served> {
  // A process that is killed cannot remove its temporary database.
  const temporary = temporaryFolder();
  const child = spawn(process.execPath, [program, 'serve', '--json', ...parameters], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      TMPDIR: temporary,
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
      ...environment,
    },
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, 'line'), ended.then(() => ['{}'])]).then(([first]) =>
    String(first),
  );
  const { base_url: baseUrl, keys } = JSON.parse(line) as { base_url: string; keys: Record<string, string> };
  return {
    process: child,
    line,
    baseUrl,
    keys,
    request: (method, path, bearer, body) =>
      fetch(`${baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      }),
    async end(signal) {
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}

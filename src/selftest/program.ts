import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { launcher } from '../program-files.ts';

/** The last characters of a program's output that are kept. */
const keptOutput = 200_000;

/** How a program ended. */
interface Ended {
  /** Null when a signal ended it, or it could not be started. */
  readonly code: number | null;
  readonly stdout: string;
  readonly output: string;
}

/** Runs `tryon …` in separate processes, as a user would. */
export class Programs {
  readonly #running = new Set<ChildProcess>();

  /** Runs it to its end; kills it after `withinMs`. `environment` is added to that of this process. */
  run(
    args: readonly string[],
    withinMs: number,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const child = spawn(process.execPath, [fileURLToPath(launcher), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    this.#running.add(child);
    const kept = { stdout: '', output: '' };
    const keep = (name: keyof typeof kept, text: string): void => {
      kept[name] = (kept[name] + text).slice(-keptOutput);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      keep('stdout', text);
      keep('output', text);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => keep('output', text));
    const killer = setTimeout(() => child.kill('SIGKILL'), withinMs);
    return new Promise((resolve) => {
      const over = (code: number | null): void => {
        clearTimeout(killer);
        this.#running.delete(child);
        resolve({ code, ...kept });
      };
      child.once('error', ({ message }) => {
        keep('output', `\n${message}`);
        over(null);
      });
      child.once('close', over);
    });
  }

  /** Tells every one that runs to end; each drains, judges and stops its service. */
  interrupt(): void {
    for (const child of this.#running) child.kill('SIGINT');
  }
}

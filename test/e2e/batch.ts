/**
 * Runs several command lines one after the other in one process, each as the launcher would: starting a process takes
 * most of a second. Reads an array of argument lists from standard input, writes an array of results to the file that
 * is its only argument.
 */
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { main } from '../../src/cli.ts';

const commandLines = JSON.parse(await text(process.stdin)) as string[][];
const results: { code: number; stdout: string; stderr: string }[] = [];
for (const argv of commandLines) {
  const out = { stdout: '', stderr: '' };
  const writers = (['stdout', 'stderr'] as const).map((name) => {
    const stream = process[name];
    const { write } = stream;
    stream.write = (chunk: unknown, ...rest: readonly unknown[]): boolean => {
      out[name] += String(chunk);
      const written = rest.at(-1);
      if (typeof written === 'function') written();
      return true;
    };
    return (): void => {
      stream.write = write;
    };
  });
  process.exitCode = undefined;
  await main(argv);
  for (const restore of writers) restore();
  results.push({ code: Number(process.exitCode ?? 0), ...out });
}
process.exitCode = 0;
writeFileSync(process.argv[2] ?? '', JSON.stringify(results));

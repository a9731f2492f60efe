/** `node bench/observed.ts [requests] [pairs]`: what metrics and `traceparent` headers cost, by turns with runs without them. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { withFastServer } from './fast-server.ts';
import { spreadOf, spreadText } from './figures.ts';

const [requests = 500_000, pairs = 12] = process.argv.slice(2).map(Number);
const generator = join(import.meta.dirname, 'generators', 'ours.ts');
const usageSchema = z.object({ cpuUs: z.number(), requests: z.number() });
const folder = await mkdtemp(join(tmpdir(), 'tryon-bench-'));

async function cpuUsPerRequest(baseUrl: URL, shown: readonly string[]): Promise<number> {
  const history = join(folder, 'history');
  const args = [
    '--conditions',
    'tryon-source',
    generator,
    baseUrl.href,
    'pressure',
    String(requests),
    history,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, ...shown]);
  await rm(history, { recursive: true });
  const usage = usageSchema.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  return usage.cpuUs / usage.requests;
}

await withFastServer(async (baseUrl, server) => {
  const observed = ['metrics', 'traces'];
  // The first fill caches on disk.
  for (const shown of [[], observed]) await cpuUsPerRequest(baseUrl, shown);
  const measured: { readonly off: number; readonly on: number }[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    // Each is the first of a pair as often as the other.
    const before = pair % 2 === 0 ? await cpuUsPerRequest(baseUrl, []) : undefined;
    const on = await cpuUsPerRequest(baseUrl, observed);
    measured.push({ off: before ?? (await cpuUsPerRequest(baseUrl, [])), on });
  }
  const of = (value: (each: (typeof measured)[number]) => number, digits: number): string =>
    spreadText(spreadOf(measured.map(value), digits));
  console.log(
    `${server}, ${requests} requests: ${of(({ off }) => off, 1)} µs of CPU a request, observed ${of(({ on }) => on, 1)} µs, ` +
      `${of(({ off, on }) => on / off, 3)} ×`,
  );
});
await rm(folder, { recursive: true });

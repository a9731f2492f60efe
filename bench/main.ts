/** `npm run bench`: figures about this program on this machine. Prints them, and writes `bench/results.json`. */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { measurePacing, type Pacing } from './pacing.ts';

const seconds = 20;

process.stdout.write(`Pacing: the error of each arrival, over ${seconds} s at each rate\n`);
const pacing: Pacing[] = [];
for (const rate of ['1000/min', '100/s', '500/s', '2000/s']) {
  const measured = await measurePacing(rate, seconds);
  pacing.push(measured);
  const { arrivalMs, cpuShare, requests, sendLagMs } = measured;
  const shown = ({ p50, p99, max }: typeof sendLagMs): string =>
    `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`;
  process.stdout.write(
    `${rate.padEnd(9)} ${String(requests).padStart(6)} requests  sent: ${shown(sendLagMs)}; arrived: ${shown(arrivalMs)}; ` +
      `${Math.round(cpuShare * 100)} % of a core\n`,
  );
}

const results = {
  node: process.versions.node,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  pacing,
};
await writeFile(new URL('./results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`);

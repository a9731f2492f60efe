import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { times } from '../effort.ts';
import { temporaryFolder } from '../history/temporary-folder.ts';
import { isThere } from './reasons.ts';
import { noSkew, skewed } from './skew.ts';

const program = fileURLToPath(new URL('./fixtures/clock-of-shard.ts', import.meta.url));
const told = z.object({
  zeroEpochMs: z.number(),
  zeroHrtimeNs: z.string(),
  errorNs: z.number(),
  ownMs: z.number(),
});

/** From ±5 ms to ±3 min, each once ahead and once behind, evenly on a logarithmic scale. */
function skewsMs(count: number): readonly number[] {
  const pairs = count / 2;
  const [least, most] = [5, 180_000];
  return Array.from({ length: pairs }, (_, n) => {
    const ms = Math.round(least * (most / least) ** (pairs === 1 ? 1 : n / (pairs - 1)));
    return [ms, -ms];
  }).flat();
}

/** The instant of the machine's own clock at an instant of the monotonic one, epoch milliseconds. */
function trueEpochMs(hrtimeNs: bigint): number {
  // It shows whole milliseconds, and so is read as it ticks.
  const before = Date.now();
  let tick = before;
  while (tick === before) tick = Date.now();
  return tick - Number(process.hrtime.bigint() - hrtimeNs) / 1e6;
}

describe.runIf(isThere('wrong clocks', noSkew))('the clock of a shard whose machine is wrong', () => {
  it(`is that of the store, within the interval that it states (${times(4, 100)} skews from 5 ms to 3 min)`, async () => {
    const outside: string[] = [];
    for (const skewMs of skewsMs(times(4, 100))) {
      const { stdout } = await promisify(execFile)(process.execPath, [program, await temporaryFolder()], {
        env: { ...process.env, ...skewed(skewMs) },
      });
      const { errorNs, ownMs, zeroEpochMs, zeroHrtimeNs } = told.parse(JSON.parse(stdout));
      const wrongMs = zeroEpochMs - trueEpochMs(BigInt(zeroHrtimeNs));
      // That the skew was planted at all: the program's own clock is that wrong.
      expect(Math.abs(ownMs - Date.now() - skewMs)).toBeLessThan(Math.max(5_000, Math.abs(skewMs) / 2));
      if (Math.abs(wrongMs) * 1e6 > errorNs) outside.push(`${skewMs} ms: ${wrongMs} ms, said ${errorNs} ns`);
    }
    expect(outside).toEqual([]);
  });
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startS3 } from '../drive/gather/s3-double.ts';
import { isLong, times } from '../effort.ts';
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

/** What lies outside the interval that a shard states, whose clock is wrong by so much. */
async function outsideOf(skewMs: number, gather: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, gather], {
    env: { ...process.env, ...env, ...skewed(skewMs) },
  });
  const { errorNs, ownMs, zeroEpochMs, zeroHrtimeNs } = told.parse(JSON.parse(stdout));
  const wrongMs = zeroEpochMs - trueEpochMs(BigInt(zeroHrtimeNs));
  // That the skew was planted at all: the program's own clock is that wrong.
  expect(Math.abs(ownMs - Date.now() - skewMs)).toBeLessThan(Math.max(5_000, Math.abs(skewMs) / 2));
  return Math.abs(wrongMs) * 1e6 > errorNs ? [`${skewMs} ms: ${wrongMs} ms, said ${errorNs} ns`] : [];
}

describe.runIf(isThere('wrong clocks', noSkew))('the clock of a shard whose machine is wrong', () => {
  it(`is that of the folder, within the interval that it states (${times(4, 100)} skews from 5 ms to 3 min)`, async () => {
    const outside: string[] = [];
    for (const skewMs of skewsMs(times(4, 100)))
      outside.push(...(await outsideOf(skewMs, await temporaryFolder())));
    expect(outside).toEqual([]);
  });

  it.runIf(isLong)('is that of the bucket, likewise (20 skews)', async () => {
    const s3 = await startS3();
    onTestFinished(s3.close);
    // Each waits for whole seconds to begin.
    const outside = await Promise.all(
      skewsMs(20).map((skewMs, n) => outsideOf(skewMs, `s3://runs/${n}`, s3.env)),
    );
    expect(outside.flat()).toEqual([]);
  });
});

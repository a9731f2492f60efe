import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CheckJson } from '../../src/checks/verdicts.ts';
import { isLong } from '../effort.ts';
import { kneePerSecond } from '../limits/capacity/md-c.ts';
import { type FixedService, serveFixed } from './fixed-service.ts';
import {
  type Ended,
  patiently,
  profileArguments,
  readVerdicts,
  scenario,
  temporaryFolder,
  tryon,
} from './program.ts';

const queue = { serviceMs: 20, workers: 4 };
const [percentile, boundMs] = [90, 60];
/** Either end of the interval is wrong once in twenty times; it is hardly ever so by more than two neighbours of 9 %. */
const tolerance = 1.25;

interface Run {
  readonly out: string;
  readonly ended: Ended;
  readonly check: (id: string) => CheckJson;
}

async function findKnee({ baseUrl }: FixedService): Promise<Run> {
  const out = join(temporaryFolder(), 'run');
  const told = profileArguments({ ...patiently, channel: 'none' });
  const target = ['--target', baseUrl, '--key', 'load=LOAD', ...told];
  const ended = await tryon(['run', scenario('knee'), '--seed', '1', '--out', out, ...target], {
    env: { LOAD: 'local-load' },
  });
  return {
    out,
    ended,
    check: (id) => {
      const found = readVerdicts(out).checks.find((check) => check.id === id);
      if (found === undefined) throw new Error(`no check ${id} in ${out}`);
      return found;
    },
  };
}

/** Both ends of a knee that was found; a machine that is busy with something else may leave it open, and says so. */
function kneeIn({ data: { reasons }, observed, verdict }: CheckJson, unit: string) {
  if (verdict === 'inconclusive') {
    const open: readonly string[] = [
      'generator-bound',
      'knee-generator-late',
      'knee-few-repeats',
      'knee-contradiction',
      'knee-first-broke',
      'knee-without-repeats',
    ];
    expect(reasons.filter(({ code }) => open.includes(code))).not.toEqual([]);
    return undefined;
  }
  const shown = z.record(z.string(), z.unknown()).parse(observed);
  return z.object({ min: z.number(), max: z.number() }).parse(shown[`knee, ${unit}`]);
}

describe.concurrent('tryon run with a study of capacity', () => {
  it.runIf(isLong)('finds the knee of a target of known capacity where M/D/c has it', async () => {
    const service = await serveFixed(queue.workers, queue.serviceMs);
    const { check, ended, out } = await findKnee(service);
    const rate = kneeIn(check('capacity.rate'), 'requests per second');
    if (rate !== undefined) {
      // What the target itself answered late, its machine being busy, takes as much from the bound.
      const slackMs = Math.max(queue.serviceMs, boundMs - service.latenessMs(percentile) - 2);
      expect(rate.min).toBeLessThan(kneePerSecond(queue, percentile, boundMs) * tolerance);
      expect(rate.max).toBeGreaterThan(kneePerSecond(queue, percentile, slackMs) / tolerance);
    }
    const connections = kneeIn(check('capacity.concurrency'), 'connections');
    // N connections wait for each other: N / workers times the service time, each.
    if (connections !== undefined)
      expect(connections.min).toBeLessThanOrEqual((boundMs / queue.serviceMs) * queue.workers);
    expect(ended.code).not.toBe(4);
    const verified = await tryon(['verify', out]);
    expect(verified.code).toBe(ended.code);
  });

  it('says that a limit is in the way where one is, and stops there', async () => {
    const service = await serveFixed(queue.workers, queue.serviceMs, 60);
    const { check, ended } = await findKnee(service);
    expect(check('capacity.rate')).toMatchObject({
      verdict: 'inconclusive',
      data: { reasons: [{ code: 'knee-limited' }, { code: 'step-limited' }] },
    });
    expect(check('capacity.concurrency').data.reasons).toMatchObject([{ code: 'knee-untried' }]);
    expect(ended.code).toBe(3);
  });
});

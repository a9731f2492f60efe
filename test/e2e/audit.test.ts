import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHistory } from '../../src/history/history.ts';
import { runInfoSchema } from '../../src/history/run.ts';
import type { ProfileInput } from '../../src/target/profile.ts';
import { isLong } from '../effort.ts';
import {
  atMost,
  type Ended,
  leaks,
  overBudget,
  patiently,
  profileArguments,
  readVerdicts,
  scenario,
  serve,
  temporaryFolder,
  troubles,
  tryon,
} from './program.ts';

const gate = atMost(2);
const profile: ProfileInput = { ...patiently, analytics: { freshness: '300ms' } };

async function run(
  args: readonly string[],
  env = {},
): Promise<{ readonly out: string; readonly ended: Ended }> {
  const out = join(temporaryFolder(), 'run');
  const rest = ['--out', out, ...profileArguments(profile)];
  return { out, ended: await gate(() => tryon(['run', ...args, ...rest], { env })) };
}

async function endpointsOf(dir: string): Promise<string[]> {
  const history = await openHistory(dir);
  try {
    const rows = await history.rows(
      z.object({ endpoint: z.string() }),
      'SELECT DISTINCT endpoint FROM requests ORDER BY 1',
    );
    return rows.map(({ endpoint }) => endpoint);
  } finally {
    history.close();
  }
}

describe.concurrent('tryon run analytics-audit', () => {
  it.runIf(isLong)('finds no contradiction in the embedded service, with three sessions', async () => {
    const { out, ended } = await run(['analytics-audit']);
    // One session shows nothing of how averages are weighted; two before it do.
    expect(troubles(readVerdicts(out))).toEqual([]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/Sessions created +3\b/);
    expect(await overBudget(out)).toEqual([]);
  });

  it.runIf(isLong)('only reads where it is to open no session, and sees what others have done', async () => {
    const { baseUrl, keys } = await serve(['--key', 'load=load']);
    const env = { LOAD: keys.load ?? '' };
    const there = ['--target', baseUrl, '--key', 'load=LOAD'];
    const shopped = await run([scenario('glance'), ...there], env);
    expect(shopped.ended.code).not.toBe(4);
    const { out, ended } = await run([scenario('read-only-audit'), ...there], env);
    expect(ended.stdout).toMatch(/key load .* 0 new sessions, 0 imports/);
    expect(await endpointsOf(out)).toEqual(['analytics']);
    const info = runInfoSchema.parse(JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')));
    expect(info).toMatchObject({ catalogs: [], products: [], studies: [{ kind: 'audit' }] });
    expect(troubles(readVerdicts(out))).toEqual([
      expect.stringMatching(/^analytics\.audit-products: inconclusive \(No known product has sessions/),
      expect.stringMatching(/^analytics\.audit-averages: inconclusive/),
    ]);
    expect(leaks(out, ended, Object.values(keys))).toEqual([]);
  });
});

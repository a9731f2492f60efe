import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { againOf, replay } from '../../src/commands/again/replay-run.ts';
import { reproduce } from '../../src/commands/again/reproduce-cause.ts';
import type { ReplayArguments } from '../../src/commands/options.ts';
import { scenarioDigest } from '../../src/commands/run/plan-run.ts';
import type { RunInfo } from '../../src/history/run.ts';
import { programVersion } from '../../src/program-files.ts';
import { loadScenario } from '../../src/scenario/files.ts';
import { sampleRun, writeRun } from '../history/sample.ts';

let folder = '';
let smoke: NonNullable<RunInfo['asked']>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tryon-again-'));
  smoke = { scenario: 'smoke', scenario_sha256: scenarioDigest(await loadScenario('smoke')) };
  await written('complete', { asked: smoke });
  await written('cut-off', { ended: undefined });
  await written('interrupted', { asked: smoke, ended: { at_epoch_ms: 1, how: 'interrupted' } });
  await written('gone', { asked: { ...smoke, scenario: './gone.ts' } });
  await written('changed', { asked: { ...smoke, scenario_sha256: '0' } });
  await written('newer', {});
  await writeFile(join(folder, 'newer', 'run.json'), '{"schema_version":7}');
  await mkdir(join(folder, 'empty'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function written(name: string, run: Partial<RunInfo>): Promise<void> {
  const dir = join(folder, name);
  await mkdir(dir);
  const profile = { keys: { load: { env: 'TRYON_AGAIN_KEY' } } };
  await writeRun({ run, profile, requests: [{ endpoint: 'list-shades' }] }, dir);
  const verdicts = { schema_version: 2, run: { generator_bound: false }, checks: [] };
  await writeFile(join(dir, 'verdicts.json'), JSON.stringify(verdicts));
}

function options(name: string): ReplayArguments {
  return { dir: join(folder, name), yes: false, force: false, strict: false, margin: 5 };
}

type Refused = readonly [what: string, folder: string, message: string];
const refused: readonly Refused[] = [
  ['a folder that is no run', 'empty', 'empty: not the folder of a run (no run.json in it)'],
  ['a folder that does not exist', 'none', 'none: not the folder of a run (no run.json in it)'],
  ['a run that was cut off', 'cut-off', 'cut-off: the run has no end: it is still running or was cut off'],
  ['a run of another version', 'newer', 'run.json: expected schema version 1, got 7'],
  [
    'a scenario that is gone',
    'gone',
    'gone: its scenario is needed (--scenario FILE names it): scenario "./gone.ts"',
  ],
  [
    'a scenario that was changed',
    'changed',
    'changed: smoke is not the scenario of the run, or was changed since',
  ],
];

describe('tryon replay refuses before the first request', () => {
  it.each<Refused>([
    ...refused,
    [
      'a run that was interrupted',
      'interrupted',
      'interrupted could not be compared with it (--force sends it): end of the run',
    ],
    [
      'a run whose key is not there',
      'complete',
      'key for role load: env TRYON_AGAIN_KEY is not set or empty',
    ],
  ])('%s', async (_, name, message) => {
    await expect(replay(options(name))).rejects.toThrow(message);
  });
});

describe('tryon reproduce refuses before the first request', () => {
  it.each<Refused>([
    ...refused.slice(0, 4),
    ['an unknown cause', 'complete', 'complete: no cause nothing; the run has records-incomplete'],
  ])('%s', async (_, name, message) => {
    await expect(reproduce({ ...options(name), cause: 'nothing' })).rejects.toThrow(message);
  });
});

describe('a run that is sent again', () => {
  const run = (more: Partial<RunInfo>): RunInfo => ({ ...sampleRun, asked: smoke, seed: 5, ...more });
  const target = { kind: 'embedded', base_url: 'http://127.0.0.1:1/v1' } as const;
  const planted = { defects: ['A1'], variants: [] };
  const profile = {
    name: 'old',
    rate_limit: { requests: 60, windowMs: 2_000 },
    quota: { sessions: 15, fresh: true, twin: 'other-account' },
  };

  it('has the seed, the caps, the threads and what was planted', async () => {
    const asked = { ...smoke, max_requests: 7, budget: '1m' };
    const { args } = await againOf(run({ asked, workers: 2, target, planted }), options('complete'));
    expect(args).toMatchObject({ seed: 5, 'max-requests': 7, budget: '1m', workers: '2', defect: ['A1'] });
  });

  it('has the profile of the run; at another target only its promises', async () => {
    const same = await againOf(run({ profile }), options('complete'));
    expect(same.args.earlier?.fields).toMatchObject({ ...profile, rate_limit: '60/2s' });
    const other = await againOf(run({ profile, target, planted }), {
      ...options('complete'),
      target: 'http://127.0.0.1:2/v1',
    });
    expect(other.args.earlier?.fields).toMatchObject({ rate_limit: '60/2s', quota: { sessions: 15 } });
    expect(other.args.earlier?.fields).not.toHaveProperty('name');
    expect(other.args.defect).toBeUndefined();
  });

  it('has the profile of the command line in place of it', async () => {
    const { args } = await againOf(run({ profile }), { ...options('complete'), profile: 'new.json' });
    expect(args).toMatchObject({ profile: 'new.json', earlier: undefined });
  });

  it('says what an older version did not write, and which version it was', async () => {
    const { asked: _, ...older } = run({
      scenario: { name: 'smoke', title: '' },
      versions: { tryon: '0.0.1' },
    });
    const { notes } = await againOf(older, options('complete'));
    expect(notes).toHaveLength(2);
    expect(notes[0]).toContain('0.0.1');
    const { notes: none } = await againOf(
      run({ versions: { tryon: programVersion() } }),
      options('complete'),
    );
    expect(none).toEqual([]);
  });
});

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHistory } from '../../src/history/history.ts';
import type { ProfileInput } from '../../src/target/profile.ts';
import { isLong, rowsOf, times } from '../effort.ts';
import {
  brief,
  patient,
  patiently,
  profileArguments,
  scaledLaunch,
  scenario,
  serve,
  temporaryFolder,
  tryonEach,
} from './program.ts';

const roles = ['load', 'quota', 'bystander'] as const;

/** A service, with what names it and its keys on a command line. */
interface Served {
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string>>;
  readonly places: NonNullable<ProfileInput['keys']>;
  readonly args: readonly string[];
}

async function served(name: string, options: readonly string[]): Promise<Served> {
  const plans = ['--plan', 'load=unlimited', '--plan', 'quota=15', '--plan', 'bystander=unlimited'];
  const { baseUrl, keys } = await serve([
    ...roles.flatMap((role) => ['--key', `${role}=${role}`]),
    ...plans,
    ...options,
  ]);
  const variable = (role: string): string => `${name}_${role.toUpperCase()}`;
  return {
    baseUrl,
    env: Object.fromEntries(roles.map((role) => [variable(role), keys[role] ?? ''])),
    places: Object.fromEntries(roles.map((role) => [role, { env: variable(role) }])),
    args: ['--target', baseUrl, ...roles.flatMap((role) => ['--key', `${role}=${variable(role)}`])],
  };
}

async function requestsIn(dir: string): Promise<number> {
  const history = await openHistory(dir);
  try {
    const counted = z.object({ n: z.coerce.number() });
    return (await history.rows(counted, 'SELECT count(*) AS n FROM requests'))[0]?.n ?? 0;
  } finally {
    history.close();
  }
}

interface Row {
  readonly defect: string;
  readonly cause: string;
  readonly scenario: string;
  readonly limit: readonly string[];
  readonly profile: ProfileInput;
  /** The most of the run that is sent again. */
  readonly mostShare: number;
  /** Exit codes where the defect is not planted. */
  readonly gone: readonly number[];
}

const glance = { scenario: scenario('glance'), limit: [], profile: patiently };
const launch = { scenario: scaledLaunch, limit: ['--rate-limit', '60/2s'], profile: patient };
// On a busy machine, answers may leave too many limits possible.
const rows: readonly Row[] = [
  {
    ...{ defect: 'N12', cause: 'shade-count-wrong' },
    ...{ ...glance, scenario: brief('glance'), mostShare: 0.3, gone: [0, 3] },
  },
  { defect: 'A1', cause: 'key-not-checked', ...glance, mostShare: 0.1, gone: [0] },
  { defect: 'R18', cause: 'rejection-status-wrong', ...launch, mostShare: 0.8, gone: [0, 3] },
  { defect: 'Y10', cause: 'integer-division', ...launch, mostShare: 0.2, gone: [0] },
];

describe.concurrent('a run that is sent again', () => {
  it.each(rowsOf(rows, ({ defect }) => defect === 'N12'))(
    'still fails where $cause is planted, and no longer fails where it is not',
    async ({ cause, defect, gone: codes, limit, mostShare, profile, scenario: file }) => {
      const folder = temporaryFolder();
      const [faulty, sound] = await Promise.all([
        served('FAULTY', [...limit, '--defect', defect]),
        served('SOUND', limit),
      ]);
      const [run, still, gone, again] = ['run', 'still', 'gone', 'again'].map((name) =>
        join(folder, name),
      ) as [string, string, string, string];
      const description = join(folder, 'openapi.json');
      const response = await fetch(new URL('/openapi.json', sound.baseUrl));
      writeFileSync(description, await response.text());
      const seeded = ['--seed', '7', '--openapi', description];
      const results = await tryonEach(
        [
          ['run', file, ...seeded, ...profileArguments(profile), ...faulty.args, '--out', run],
          ['reproduce', run],
          ['reproduce', run, cause, '--out', still],
          ['reproduce', run, cause, ...sound.args, '--out', gone],
          ['replay', run, ...sound.args, '--force', '--out', again],
        ],
        { ...faulty.env, ...sound.env },
      );
      expect(results.slice(0, 3).map(({ code }) => code)).toEqual([1, 0, 1]);
      expect(codes).toContain(results[3]?.code);
      const [, list, yes, no, compared] = results.map(({ stdout }) => stdout);
      expect(list).toContain(`${cause}: `);
      expect(yes).toMatch(new RegExp(`^Still fails.* ${cause}`, 'm'));
      expect(no).toMatch(new RegExp(`^(No longer fails|Cannot tell): ${cause}$`, 'm'));
      expect(compared).toContain(`\n${again} (1 run) against ${run} (1 run)\n`);
      expect(compared).toContain('Note: The run had other keys for load, quota, bystander.');
      expect(compared).toMatch(/^ *- Improvement: /m);
      // What is sent again is held against the same description.
      for (const dir of [still, gone, again])
        expect(existsSync(join(dir, 'history', 'openapi.json'))).toBe(true);
      const whole = await requestsIn(run);
      expect(await requestsIn(still)).toBeLessThanOrEqual(mostShare * whole);
      for (const text of [list, yes, no, compared])
        for (const line of (text ?? '').split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    },
  );

  it.runIf(isLong)('alternates with runs of another profile, and compares both sides', async () => {
    const folder = temporaryFolder();
    const service = await served('ONE', []);
    const file = join(folder, 'b.json');
    writeFileSync(file, JSON.stringify({ ...patiently, base_url: service.baseUrl, keys: service.places }));
    const out = join(folder, 'both');
    const repeat = times(1, 2);
    const args = ['run', scenario('tiny'), '--repeat', String(repeat), '--against', file, '--out', out];
    const url = new URL('/openapi.json', service.baseUrl).href;
    const seen = ['--openapi', url, '--metrics-port', '0'];
    const [result] = await tryonEach(
      [[...args, ...seen, ...profileArguments(patiently), ...service.args]],
      service.env,
    );
    expect(result?.code).toBe(0);
    expect(result?.stdout).toMatch(/^Takes +about \d+ seconds in all$/m);
    expect(result?.stdout).toMatch(/^Sends +up to \d+ requests, \d+ new sessions in all$/m);
    expect(result?.stdout.match(/http:\/\/127\.0\.0\.1:\d+\/metrics/g)).toHaveLength(2 * repeat);
    for (const side of ['a', 'b']) {
      expect(existsSync(join(out, side, String(repeat), 'report.html'))).toBe(true);
      expect(existsSync(join(out, side, String(repeat), 'history', 'openapi.json'))).toBe(true);
      expect(existsSync(join(out, side, String(repeat + 1)))).toBe(false);
    }
    expect(existsSync(join(out, 'incomplete'))).toBe(false);
  });
});

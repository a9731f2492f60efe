import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ProfileInput } from '../../src/target/profile.ts';
import { isLong, rowsOf } from '../effort.ts';
import { type ForeignChoices, type ForeignService, startForeignService } from './foreign-service.ts';
import {
  atEnd,
  atMost,
  leaks,
  type Program,
  patiently,
  profileArguments,
  readVerdicts,
  scenario,
  start,
  temporaryFolder,
  tryon,
} from './program.ts';

const gate = atMost(3);
const plenty = { requests: 100_000, windowMs: 60_000 };
const artefacts = ['run.json', 'verdicts.json', 'report.html', 'junit.xml', 'summary.md'];

async function foreign(choices: ForeignChoices = {}): Promise<ForeignService> {
  const service = await startForeignService({ limit: plenty, ...choices });
  atEnd(() => service.close());
  return service;
}

/** Arguments and variables of a run against a foreign service. */
function against(
  service: ForeignService,
  freshness = '1s',
  told: ProfileInput = {},
): { readonly args: string[]; readonly env: Record<string, string> } {
  const keys = ['--key', 'load=LOAD', '--key', 'quota=QUOTA', '--key', 'bystander=BYSTANDER'];
  const { bystander, load, quota } = service.keys;
  const profile = profileArguments({ ...patiently, ...told, analytics: { freshness } });
  return {
    args: ['--target', service.baseUrl, ...profile, ...keys],
    env: { LOAD: load, QUOTA: quota, BYSTANDER: bystander },
  };
}

/** Whether the history, or a worker's segment of it, holds requests of the load by now. */
function underLoad(out: string, segment = ''): boolean {
  const file = join(out, 'history', `requests${segment}.csv`);
  return existsSync(file) && readFileSync(file, 'utf8').includes(',load,shoppers,');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function childrenOf({ process: { pid } }: Program): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

async function gone(pids: readonly number[]): Promise<boolean> {
  for (let tries = 0; tries < 500 && pids.some(isAlive); tries++) await sleep(20);
  return !pids.some(isAlive);
}

function endedAs(out: string): string | undefined {
  return (JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')) as { ended?: { how: string } }).ended?.how;
}

function booksThatDoNotBalance(out: string): string[] {
  const books = readVerdicts(out).checks.filter(({ id }) => id.startsWith('books.'));
  return books
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ explanation, id }) => `${id}: ${explanation}`);
}

describe.concurrent('a run that is told to stop', () => {
  // SIGTERM takes the same way, and comes in set-up below.
  const ways = [
    ['SIGINT', 1],
    ['SIGTERM', 1],
    ['SIGINT', 2],
  ] as const;
  it.each(rowsOf(ways, (_, place) => place === 0))(
    'by %s with %i workers drains, judges, reports, exits 130 and takes its service along',
    (signal, workers) =>
      gate(async () => {
        const out = join(temporaryFolder(), 'run');
        const program = start(['run', scenario('long'), '--workers', String(workers), '--out', out]);
        await program.until(() =>
          workers === 1 ? underLoad(out) : underLoad(out, '.1') && underLoad(out, '.2'),
        );
        const services = childrenOf(program);
        expect(services).toHaveLength(1);
        program.process.kill(signal);
        const ended = await program.ended;
        expect(ended.code, ended.stdout + ended.stderr).toBe(130);
        expect(artefacts.filter((name) => !existsSync(join(out, name)))).toEqual([]);
        expect(endedAs(out)).toBe('interrupted');
        expect(booksThatDoNotBalance(out)).toEqual([]);
        expect(readVerdicts(out).checks.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
        expect(await gone(services)).toBe(true);
        const verified = await tryon(['verify', out]);
        expect(verified.code, verified.stdout).toBe(3);
      }),
  );

  it.runIf(isLong)('by SIGTERM in set-up, before there is any load, balances its books all the same', () =>
    gate(async () => {
      const service = await foreign({ delayMs: 50 });
      const { args, env } = against(service);
      const out = join(temporaryFolder(), 'run');
      const program = start(['run', scenario('long'), '--out', out, ...args], { env });
      await program.until(() => (service.asked.get('POST /shades') ?? 0) > 1);
      program.process.kill('SIGTERM');
      const ended = await program.ended;
      expect(ended.code, ended.stdout + ended.stderr).toBe(130);
      expect(booksThatDoNotBalance(out)).toEqual([]);
      expect(service.asked.get('POST /sessions') ?? 0).toBeLessThan(5);
      expect(artefacts.filter((name) => !existsSync(join(out, name)))).toEqual([]);
    }),
  );

  it('twice stops at once, though answers are still awaited, and leaves a history to judge', () =>
    gate(async () => {
      // From the 200th request on, in the load, nothing is answered any more; that alone is no fault here.
      const service = await foreign({ sabotage: (_request, _response, count) => count > 200 });
      const { args, env } = against(service, '1s', { lost_bound: 1, timeouts: { headers: '1h' } });
      const out = join(temporaryFolder(), 'run');
      const program = start(['run', scenario('long'), '--out', out, ...args], { env });
      await program.until(() => underLoad(out) && [...service.asked.values()].reduce((a, b) => a + b) > 230);
      program.process.kill('SIGINT');
      await program.until(() => program.output().includes('Press Ctrl-C again'));
      // A terminal, npm and the launcher may each signal one and the same key press; that is over now.
      await sleep(500);
      program.process.kill('SIGINT');
      // Unanswered requests would time out after an hour.
      const ended = await program.ended;
      expect(ended.code).toBe(130);
      const verified = await tryon(['verify', out]);
      expect(verified.code, verified.stdout).toBe(3);
    }));
});

/** A file system of 160 KiB, if this machine lets one have it. */
function tinyFileSystem(): string | undefined {
  const folder = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160k', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    console.warn('No tmpfs can be mounted here: a full disk is not tested.');
    return undefined;
  }
  atEnd(() => execFileSync('umount', [folder]));
  return folder;
}
const tiny = tinyFileSystem();

describe('a disk that is full', () => {
  it.skipIf(tiny === undefined)('ends the run, which says so, and keeps what was remembered', async () => {
    const out = join(tiny ?? '', 'run');
    const ended = await tryon(['run', scenario('long'), '--out', out]);
    expect(ended.stderr).toMatch(/history in .*run could not be written: .*ENOSPC.*tryon report /);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    expect(ended.code).toBe(74);
    const copy = join(temporaryFolder(), 'run');
    cpSync(out, copy, { recursive: true });
    const verified = await tryon(['verify', copy]);
    expect(verified.code, verified.stdout + verified.stderr).toBe(3);
    expect(verified.stdout).toMatch(/Requests [\d,]+ of [\d,]+ sent|Requests [1-9][\d,]* sent/);
  });
});

/** Requests and sessions that a foreign service has seen. */
function spent({ asked, shops }: ForeignService): { readonly requests: number; readonly sessions: number } {
  return {
    requests: [...asked.values()].reduce((sum, count) => sum + count, 0),
    sessions: Object.values(shops).reduce((sum, { sessions }) => sum + sessions.size, 0),
  };
}

describe.concurrent('a cap', () => {
  /** What the service may and has to see of a run: a cap leaves out no more than settling may need. */
  interface Within {
    readonly requests?: readonly [least: number, most: number];
    readonly sessions?: readonly [least: number, most: number];
  }
  const caps: readonly [string, readonly string[], Within][] = [
    // Room for 50 requests is kept for settling, which sends at least half of them.
    ['on requests holds to the request', ['--max-requests', '150'], { requests: [125, 150] }],
    ['on requests holds though set-up alone wants more', ['--max-requests', '12'], { requests: [12, 12] }],
    // Room for one more session on the quota key is kept as well.
    ['on sessions holds to the session', ['--max-sessions', '9'], { sessions: [8, 9] }],
    [
      'on minutes ends a load of a minute after two seconds',
      ['--max-minutes', '0.033'],
      { requests: [1, 600] },
    ],
  ];
  // Requests and sessions are counted alike.
  it.each(rowsOf(caps, ([sentence]) => sentence.includes('though') || sentence.includes('minutes')))(
    '%s',
    (_sentence, cap, within) =>
      gate(async () => {
        const service = await foreign();
        const { args, env } = against(service);
        const out = join(temporaryFolder(), 'run');
        const ended = await tryon(['run', scenario('long'), '--out', out, ...args, ...cap], { env });
        const seen = spent(service);
        for (const what of ['requests', 'sessions'] as const) {
          const [least, most] = within[what] ?? [0, Number.POSITIVE_INFINITY];
          expect(seen[what], what).toBeGreaterThanOrEqual(least);
          expect(seen[what], what).toBeLessThanOrEqual(most);
        }
        expect(ended.stdout).toMatch(/Capped {3}at/);
        expect(endedAs(out)).toBe('cap');
        expect(ended.code, ended.stdout + ended.stderr).toBe(3);
        expect(booksThatDoNotBalance(out)).toEqual([]);
        expect(artefacts.filter((name) => !existsSync(join(out, name)))).toEqual([]);
        expect(leaks(out, ended, service.secrets())).toEqual([]);
      }),
  );
});

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLong, rowsOf } from '../effort.ts';
import {
  atEnd,
  atMost,
  type Ended,
  filesBelow,
  launcher,
  readVerdicts,
  scenario,
  temporaryFolder,
  tryonEach,
} from './program.ts';

const gate = atMost(3);

/** A Node.js of the machine's own that is too old to run the program. */
const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  if (!existsSync(path)) return false;
  const [major = 0] = execFileSync(path, ['-p', 'process.versions.node']).toString().split('.').map(Number);
  return major >= 18 && major < 22;
});
if (oldNode === undefined) console.warn('No old Node.js here: what the launcher does on one is not tested.');

/** Runs a launcher with the old Node.js, and passes the child to the test. */
async function withOldNode(
  file: string,
  args: readonly string[],
  meanwhile: (pid: number, output: () => string) => Promise<void> = async () => undefined,
): Promise<Pick<Ended, 'code' | 'stdout' | 'stderr'>> {
  // A separate process group, as a shell gives to a foreground command.
  const child = spawn(oldNode ?? '', [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      out[name] += chunk.toString();
    });
  const closed = once(child, 'close');
  const pid = child.pid ?? 0;
  atEnd(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL');
  });
  await meanwhile(pid, () => out.stdout + out.stderr);
  const [code] = await closed;
  return { code, ...out };
}

describe('tryon', () => {
  it('serve ends with the shell that npx puts between, which passes no signal on', async () => {
    const folder = temporaryFolder();
    const shell = spawn('/bin/sh', ['-c', '"$0" "$1" serve --json; true', process.execPath, launcher], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, TMPDIR: folder, npm_command: 'exec' },
      detached: true,
    });
    atEnd(() => {
      try {
        process.kill(-(shell.pid ?? 0), 'SIGKILL');
      } catch {
        // As it should be: that group is empty.
      }
    });
    // Both hold the pipe: it closes when the last of them has ended.
    const closed = once(shell, 'close');
    const [line] = await once(shell.stdout, 'data');
    expect(String(line)).toContain('base_url');
    shell.kill('SIGTERM');
    await closed;
    expect(shell.signalCode).toBe('SIGTERM');
    expect(filesBelow(folder).filter(({ name }) => name.endsWith('.db'))).toEqual([]);
  });
});

describe.skipIf(oldNode === undefined).concurrent('on a Node.js that is too old', () => {
  it('the launcher of a package says so in a sentence, and exits 2', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    copyFileSync(launcher, join(folder, 'src', 'launcher.js'));
    const { code, stderr, stdout } = await withOldNode(join(folder, 'src', 'launcher.js'), ['scenarios']);
    expect(stderr).toMatch(/^tryon needs Node\.js 22\.18 or newer; this is v(18|20|21)\.\S+\.\n$/);
    expect([code, stdout]).toEqual([2, '']);
  });

  it('the launcher of a clone goes on with the Node.js that the clone brings', async () => {
    const { code, stdout } = await withOldNode(launcher, ['--help']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('tryon <command>')]);
  });

  it('the exit code of the program is that of the launcher', async () => {
    expect((await withOldNode(launcher, ['run', 'lunch'])).code).toBe(2);
  });

  // SIGHUP is passed on as SIGTERM is; SIGKILL cannot be.
  it.each(rowsOf(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const, (signal) => signal !== 'SIGHUP'))(
    '%s of the launcher ends the program',
    async (signal) => {
      const ended = await withOldNode(launcher, ['serve', '--json'], async (pid, output) => {
        for (let tries = 0; tries < 1_500 && !output().includes('base_url'); tries++)
          await new Promise((r) => setTimeout(r, 20));
        expect(output()).toContain('base_url');
        process.kill(pid, signal);
      });
      // That its output was closed says that the program has ended, too.
      expect(ended.stdout).toContain('base_url');
    },
  );

  it.runIf(isLong)(
    'one Ctrl-C, which reaches the launcher and the program, is one: the run drains and judges',
    async () => {
      const out = join(temporaryFolder(), 'run');
      const requests = join(out, 'history', 'requests.csv');
      const { code, stdout } = await gate(() =>
        withOldNode(launcher, ['run', scenario('long'), '--out', out], async (pid, output) => {
          const begun = (): boolean =>
            existsSync(requests) && readFileSync(requests, 'utf8').includes(',load,shoppers,');
          for (let tries = 0; tries < 1_500 && !begun(); tries++) await new Promise((r) => setTimeout(r, 20));
          expect(begun(), output()).toBe(true);
          process.kill(-pid, 'SIGINT');
        }),
      );
      expect(code, stdout).toBe(130);
      expect(readVerdicts(out).run.ended).toBe('interrupted');
      expect(existsSync(join(out, 'report.html'))).toBe(true);
    },
  );
});

it('scenarios lists every scenario, and leaves no listener behind: many in one process give no warning', async () => {
  // A twelfth listener would be warned of.
  const lines = [['scenarios'], ...Array.from({ length: 11 }, () => ['serve', '--list-defects'])];
  const results = await tryonEach(lines, {});
  expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    lines.map(() => ({ code: 0, stderr: '' })),
  );
  const names = results[0]?.stdout
    .trim()
    .split('\n')
    .map((line) => /^(\S+)\s+\S.{10,}$/.exec(line)?.[1]);
  for (const name of ['launch', 'smoke', 'rate-limit', 'quota', 'analytics', 'spike', 'soak', 'capacity'])
    expect(names).toContain(name);
});

it('--help names every command and the exit codes, and loads nothing that only a run needs', () => {
  const hook = `import module from 'node:module';
    module.registerHooks({ load: (url, context, next) => { if (/node_modules.zod|drive.(?!gather.shards)|checks/.test(url)) throw new Error(url); return next(url, context); } });`;
  const loaded = `data:text/javascript,${encodeURIComponent(hook)}`;
  const help = execFileSync(process.execPath, ['--import', loaded, launcher, '--help'], { encoding: 'utf8' });
  const parts = ['run', 'serve', 'scenarios', 'catalog', 'verify', 'report', 'Exit codes'];
  for (const part of ['tryon <command> [options]', ...parts]) expect(help).toContain(part);
});

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeRun } from '../history/sample.ts';
import { atEnd, type Ended, temporaryFolder, tryon } from './program.ts';

/** A folder with the history of a run that is over. */
async function finishedRun(): Promise<string> {
  const folder = temporaryFolder();
  const requests = Array.from({ length: 30 }, (_, n) => ({
    endpoint: 'list-shades' as const,
    planned: n,
    intendedNs: n * 1e8,
  }));
  const run = { planned_requests: requests.length };
  await writeRun({ requests, run }, folder);
  return folder;
}

/**
 * A file system of 160 KiB with the run in it, if this machine allows one: enough for the history, not for the
 * report.
 */
async function smallFileSystem(): Promise<{ readonly run: string; readonly mount: string } | undefined> {
  const mount = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160k', 'tmpfs', mount], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  atEnd(() => execFileSync('umount', [mount]));
  const run = join(mount, 'run');
  cpSync(await finishedRun(), run, { recursive: true });
  return { run, mount };
}
const small = await smallFileSystem();

function expectOneLine({ code, stderr, stdout }: Ended, run: string, why: RegExp): void {
  const lines = stderr.trim().split('\n');
  expect(lines.filter((line) => !line.startsWith('Judging '))).toHaveLength(1);
  expect(stderr).toMatch(why);
  expect(stderr).toContain(
    `The history of the run is safe. Solve the problem; then tryon report ${run} writes`,
  );
  expect(code, stdout + stderr).toBe(74);
  // What was judged is told all the same, and no page is named that is not there.
  expect(stdout).toMatch(/passed/);
  expect(stdout).not.toMatch(/^Report /m);
}

describe('a report that cannot be written', () => {
  it('for a folder in its place costs one line, which says what is safe', async () => {
    const run = await finishedRun();
    mkdirSync(join(run, 'report.html', 'inside'), { recursive: true });
    expectOneLine(
      await tryon(['report', run]),
      run,
      /report\.html could not be written: .*\((EISDIR|ENOTEMPTY)\)/,
    );
    expect(readdirSync(run).filter((name) => name.endsWith('.part'))).toEqual([]);
    rmSync(join(run, 'report.html'), { recursive: true });
    const again = await tryon(['report', run]);
    expect(again.code, again.stderr).not.toBe(74);
    expect(readdirSync(run)).toContain('report.html');
  });

  it.skipIf(small === undefined)(
    'for a full disk leaves verdicts whole, and is written once there is room',
    async () => {
      const { mount, run } = small ?? { run: '', mount: '' };
      expectOneLine(
        await tryon(['report', run]),
        run,
        /report\.html could not be written: no space left.*\(ENOSPC\)/,
      );
      expect(JSON.parse(readFileSync(join(run, 'verdicts.json'), 'utf8'))).toHaveProperty('verdict');
      execFileSync('mount', ['-o', 'remount,size=4m', mount]);
      expect((await tryon(['report', run])).code).not.toBe(74);
      expect(readdirSync(run)).toContain('report.html');
    },
  );

  it.skipIf(small === undefined)('for a read-only disk is no internal error', async () => {
    const { mount, run } = small ?? { run: '', mount: '' };
    execFileSync('mount', ['-o', 'remount,ro', mount]);
    const ended = await tryon(['report', run]);
    execFileSync('mount', ['-o', 'remount,rw', mount]);
    expectOneLine(ended, run, /verdicts\.json could not be written: read-only file system \(EROFS\)/);
  });
});

describe('a run', () => {
  it('that can begin no history is a usage error, and sends nothing', async () => {
    const out = join(temporaryFolder(), 'run');
    mkdirSync(out);
    writeFileSync(join(out, 'history'), 'a file in the place of a folder');
    const ended = await tryon(['run', 'smoke', '--out', out]);
    expect(ended.code, ended.stderr).toBe(2);
    expect(ended.stderr).toMatch(new RegExp(`${basename(out)}.*(EEXIST|exists)`));
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });
});

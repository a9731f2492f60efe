import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isLong } from '../effort.ts';
import { atEnd, readVerdicts } from './program.ts';

const root = join(import.meta.dirname, '..', '..');
const name = `localhost/tryon-test-${process.pid}`;
const missing = ['podman', 'mmdebstrap'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
if (isLong && missing.length > 0)
  console.warn(`The image is not tested: ${missing.join(' and ')} is missing.`);

function podman(...args: readonly string[]): string {
  return execFileSync('podman', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** `podman run`. Some machines have two kinds of cgroups, which crun refuses, or forbid raising limits of a process. */
function run(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const hidden = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec podman run --rm --network none';
  const limits = '--ulimit nofile=$(ulimit -n):$(ulimit -n) --ulimit nproc=1000:1000';
  const shell = ['sh', '-c', `${hidden} ${limits} "$@"`, 'sh', ...args];
  return process.getuid?.() === 0
    ? spawnSync('unshare', ['--mount', ...shell], { encoding: 'utf8' })
    : spawnSync('podman', ['run', '--rm', '--network', 'none', ...args], { encoding: 'utf8' });
}

it.skipIf(!isLong || missing.length > 0)(
  'the image has at most 250 MB, and runs smoke without rights and without a network',
  () => {
    atEnd(() => spawnSync('podman', ['rmi', '--force', name, `${name}-base`]));
    atEnd(() => spawnSync('podman', ['volume', 'rm', '--force', `tryon-test-${process.pid}`]));
    execFileSync(join(root, '.ci/image'), [name], { stdio: ['ignore', 'pipe', 'pipe'] });
    expect(Number(podman('image', 'inspect', '--format', '{{.Size}}', name))).toBeLessThanOrEqual(250e6);

    const volume = podman('volume', 'create', `tryon-test-${process.pid}`);
    const ended = run(
      '--volume',
      `${volume}:/home/tryon/reports`,
      name,
      'run',
      'smoke',
      '--out',
      'reports/run',
    );
    // A busy machine may be late: the run then blames itself, and no verdict is a failure.
    expect([0, 3], ended.stdout + ended.stderr).toContain(ended.status);
    const reports = join(podman('volume', 'inspect', '--format', '{{.Mountpoint}}', volume), 'run');
    expect(readVerdicts(reports).run).toMatchObject({ scenario: 'smoke', ended: 'completed' });
    expect(existsSync(join(reports, 'report.html'))).toBe(true);
    expect(readdirSync(join(reports, 'history'))).toContain('manifest.json');

    const status = run(
      '--entrypoint',
      'sh',
      name,
      '-c',
      'while read -r line; do echo "$line"; done </proc/1/status',
    );
    expect(status.stdout).toMatch(/^Uid:\s+1000\s+1000/m);
    expect(status.stdout).toMatch(/^CapEff:\s+0+$/m);
  },
);

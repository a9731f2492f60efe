import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isLong } from '../effort.ts';
import { patiently, profileArguments, scenario, temporaryFolder } from './program.ts';

const root = join(import.meta.dirname, '../..');
const action = join(root, '.github/action');
const run = promisify(execFile);

/** The step of action.yml that runs tryon. */
const [, step = ''] = /run: (node .*)$/m.exec(readFileSync(join(action, 'action.yml'), 'utf8')) ?? [];

interface Job {
  readonly code: number;
  readonly log: string;
  readonly summary: string;
  readonly artifacts: readonly string[];
}

/** Does what a runner of GitHub does with that step. */
async function job(words: string): Promise<Job> {
  const temporary = temporaryFolder();
  const summary = join(temporary, 'summary.md');
  const env = {
    ...process.env,
    PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: action,
    GITHUB_STEP_SUMMARY: summary,
    RUNNER_TEMP: temporary,
    TRYON_ARGUMENTS: words,
  };
  const ended = await run('bash', ['-e', '-o', 'pipefail', '-c', step], { env, cwd: temporary }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  const kept = ['report.html', 'verdicts.json', 'junit.xml', 'summary.md'];
  return {
    code: ended.code,
    log: ended.stdout,
    summary: readFileSync(summary, 'utf8'),
    artifacts: kept.filter((name) => existsSync(join(temporary, 'tryon-run', name))),
  };
}

describe.concurrent('a job on GitHub', () => {
  it.runIf(isLong)('is green for an honest service', async () => {
    const { artifacts, code, log, summary } = await job(
      [scenario('glance'), ...profileArguments(patiently)].join(' '),
    );
    expect(code, log).toBe(0);
    expect(log).not.toContain('::error');
    expect(summary).toMatch(/^## ✓ Pass/);
    expect(artifacts).toHaveLength(4);
  });

  it('is red for a planted defect, with its cause as the annotation and in the summary', async () => {
    const { artifacts, code, log, summary } = await job(`${scenario('glance')} --defect N12`);
    expect(code, log).toBe(1);
    expect(log).toMatch(/^::error title=Probable cause/m);
    expect(summary).toMatch(/^## ✗ Fail/);
    expect(summary).toContain('Probable cause');
    expect(summary.split('\n').length).toBeLessThanOrEqual(61);
    expect(artifacts).toHaveLength(4);
  });
});

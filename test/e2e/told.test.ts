import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Told, toldByDocs, toldByHelp } from '../commands/command-lines.ts';
import { isLong, rowsOf } from '../effort.ts';
import {
  brief,
  patiently,
  profileArguments,
  scenario,
  serve,
  start,
  temporaryFolder,
  tryon,
  tryonEach,
} from './program.ts';

const root = join(import.meta.dirname, '../..');

const folder = temporaryFolder();
let service = { baseUrl: '', keys: {} as Awaited<ReturnType<typeof serve>>['keys'] };

/** The keys of the service under the names of variables that help and docs have. */
function keyVariables(): Readonly<Record<string, string>> {
  const { load = '', quota = '', bystander = '' } = service.keys;
  return {
    ...{ K: load, LOAD: load, KEY: load, STAGING_KEY: load },
    ...{ QUOTA: quota, STAGING_SMALL_KEY: quota },
    ...{ BYSTANDER: bystander, STAGING_OTHER_KEY: bystander },
  };
}

/** What is not run here, and why. */
const apart: readonly (readonly [RegExp, string])[] = [
  [/^init( staging.json)?$/, 'asks on a terminal: test/commands/first-questions.test.ts'],
  [/^serve (?!--list)/, 'is ended below'],
  [/^completion$/, 'test/e2e/completion.test.ts'],
  [/^fleet /, 'needs a Redis: test/e2e/fleet.test.ts'],
  [/^(run|merge) .*s3:/, 'needs a store: test/drive/gather/s3-store.test.ts'],
  [/^run .* --shard [12]\/2 /, 'is run below, both at once'],
  [/ --shard auto /, 'an array engine gives the number: test/drive/gather/shards.test.ts'],
  [/^selftest( --first-seed .*)?$/, 'takes minutes to hours; its last results are in docs/selftest.md'],
  [/^selftest .*--seeds/, 'takes minutes'],
];
/** Commands that make or judge runs, or play all scenarios, which other tests do, too (one-plan, again, commands). */
const slow = /^(run|replay|reproduce|merge|selftest|scenarios|simulate .*--days|verify|report) /;
const whole = [
  ...new Map([...toldByHelp(), ...toldByDocs()].map((each) => [each.line, each])).values(),
].filter(({ words }) => {
  const line = words.join(' ');
  return !apart.some(([kind]) => kind.test(line)) && (isLong || !slow.test(`${line} `));
});
/** In `npm test` one line of each command: that every line has options that there are, test/commands/command-lines.test.ts says. */
const told = rowsOf(
  whole,
  ({ words }, at) => whole.findIndex(({ words: [name] }) => name === words[0]) === at,
);

/** The places that help and docs name, as they are called here. */
const placesHere = (): Readonly<Record<string, string>> => ({
  '/mnt/run1': 'shards',
  './before-friday.ts': scenario('glance'),
  './visit.ts': './visit-1.ts',
  'https://staging.example.com/v1': service.baseUrl,
  'http://127.0.0.1:8080/v1': service.baseUrl,
  'https://staging.example.com/openapi.json': new URL('/openapi.json', service.baseUrl).href,
  'staging.example.com': new URL(service.baseUrl).hostname,
  // The run of this test has another cause.
  'end-date-exclusive': 'shade-count-wrong',
});
/** The same with a scenario of two seconds, and the service of this test. */
function quick({ words }: Told): readonly string[] {
  const here = placesHere();
  return words.map((word, at) =>
    at === 1 && words[0] === 'run' ? scenario('glance') : (here[word] ?? word),
  );
}

/** A job on GitHub, and what its runner is left with. */
interface Job {
  readonly code: number;
  readonly log: string;
  readonly summary: string;
  readonly out: string;
}

/** Does what a runner of GitHub does with the step of action.yml that runs tryon. */
async function jobOf(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Job> {
  const action = join(root, '.github/action');
  const [, step = ''] = /run: (node .*)$/m.exec(readFileSync(join(action, 'action.yml'), 'utf8')) ?? [];
  const temporary = temporaryFolder();
  const summary = join(temporary, 'summary.md');
  const ended = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', step], {
    cwd: temporary,
    env: {
      ...process.env,
      ...env,
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION_PATH: action,
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: temporary,
      TRYON_ARGUMENTS: words.join(' '),
    },
  }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  const out = join(temporary, 'tryon-run');
  return { code: ended.code, log: ended.stdout, summary: readFileSync(summary, 'utf8'), out };
}

const artifacts = ['report.html', 'verdicts.json', 'junit.xml', 'summary.md'];
const missingOf = ({ out }: Job): string[] => artifacts.filter((name) => !existsSync(join(out, name)));

/** The job whose run the examples look at. */
let job: Job;
let results: Awaited<ReturnType<typeof tryonEach>> = [];

const glance = [brief('glance'), '--seed', '7', '--profile', join(folder, 'staging.json')];

/** A browser that opens a session, and tries a shade. */
const recording = {
  log: {
    entries: [
      {
        startedDateTime: '2026-05-01T12:00:00.000Z',
        request: { method: 'POST', url: 'https://staging.example.com/v1/sessions', postData: { text: '{}' } },
        response: { status: 200, content: { text: '{"session_id":"s"}' } },
      },
      {
        startedDateTime: '2026-05-01T12:00:02.000Z',
        request: {
          ...{ method: 'POST', url: 'https://staging.example.com/v1/sessions/s/events' },
          postData: { text: '{"type":"shade_selected","sku":"A"}' },
        },
        response: { status: 202 },
      },
    ],
  },
};

/** The profiles, adapters, recordings and runs that help and docs name. */
async function prepare(): Promise<void> {
  const file = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const staging = {
    ...patiently,
    adapter: 'adapter.ts',
    base_url: service.baseUrl,
    keys: { load: { env: 'LOAD' } },
  };
  for (const name of ['staging', 'profile', 'new', 'old']) file(`${name}.json`, JSON.stringify(staging));
  file(
    'adapter.ts',
    "import { defineAdapter } from 'tryon';\nexport default defineAdapter({ status: ({ status }) => status });\n",
  );
  file('visit.har', JSON.stringify(recording));
  job = await jobOf(glance, keyVariables());
  const made = await tryonEach(
    [
      ['openapi', '--out', 'openapi.json'],
      ['import', 'har', 'visit.har', '--out', 'visit-1.ts'],
    ],
    keyVariables(),
    folder,
  );
  expect(
    made.map(({ code }) => code),
    made[0]?.stderr,
  ).toEqual([0, 0]);
  for (const name of [
    'last',
    'a',
    'b',
    'before',
    'after',
    'launch-1',
    'analytics-1',
    'nightly/1',
    'nightly/2',
  ])
    cpSync(job.out, join(folder, 'reports', name), { recursive: true });
  cpSync(join(root, 'reports'), join(folder, 'reports'), { recursive: true });
}

async function runShards(): Promise<void> {
  const both = ['1/2', '2/2'].map((shard) =>
    tryon(['run', ...glance, '--shard', shard, '--gather', 'shards'], { cwd: folder, env: keyVariables() }),
  );
  for (const { code, stderr } of await Promise.all(both)) expect(code, stderr).toBe(0);
}

beforeAll(async () => {
  // Not before: where tests are collected and not run, nothing would end it.
  service = await serve(['--defect', 'N12']);
  await prepare();
  if (isLong) await runShards();
  results = await tryonEach(told.map(quick), keyVariables(), folder);
});

describe('an example of help or docs', () => {
  it.each(told.map(({ line }, at) => [line, at] as const))('%s does its work', (_, at) => {
    const { code, stderr, stdout } = results[at] ?? { code: undefined, stderr: '', stdout: '' };
    // A run may find what is wrong, or that the machine is busy; it does not stumble.
    expect([0, 1, 3], stdout + stderr).toContain(code);
    expect(stdout).not.toBe('');
  });

  it('tryon serve … serves until it is ended', async () => {
    const program = start(['serve', '--port', '0', '--defect', 'R2,Q3']);
    await program.until(() => program.output().includes('Ctrl-C stops it.'));
    program.process.kill('SIGTERM');
    expect((await program.ended).code).toBe(0);
  });
});

describe('a job on GitHub', () => {
  it('is red for a planted defect, with its cause as the annotation and in the summary', () => {
    const { code, log, summary } = job;
    expect(code, log).toBe(1);
    expect(log).toMatch(/^::error title=Probable cause/m);
    expect(summary).toMatch(/^## ✗ Fail/);
    expect(summary).toContain('Probable cause');
    expect(summary).toContain('<details><summary>✗ Fail: ');
    expect(missingOf(job)).toEqual([]);
  });

  it.runIf(isLong)('is green for an honest service', async () => {
    const green = await jobOf([scenario('glance'), ...profileArguments(patiently)]);
    expect(green.code, green.log).toBe(0);
    expect(green.log).not.toContain('::error');
    expect(green.summary).toMatch(/^## ✓ Pass/);
    expect(missingOf(green)).toEqual([]);
  });
});

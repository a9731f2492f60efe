import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startForeignService } from './foreign-service.ts';
import { atEnd, atMost, profileArguments, scenario, temporaryFolder, tryon, tryonEach } from './program.ts';

const gate = atMost(3);
const folder = temporaryFolder();
const glance = scenario('glance');
const key = 'fk_this-is-the-key-and-nobody-may-see-it';
/** A key that could be the name of a variable, as far as its characters go. */
const keyLikeName = 'fk_AbC123def456GhI789jkl';

/** Writes a file for a test, and returns its path. */
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const service = await startForeignService();
atEnd(() => service.close());

/** A port without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
const closed = await closedPort();

/** A server without any page. */
const nothing = createHttpServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
await once(nothing, 'listening');
atEnd(() => nothing.close());
const pages = `http://127.0.0.1:${(nothing.address() as AddressInfo).port}`;

const target = ['--target', service.baseUrl, '--key', 'load=LOAD'];
const withProfile = (name: string, profile: string): string[] => [
  ...['run', glance, '--profile', file(name, profile)],
  ...target,
];
/** The folder of a run, apart from the others. */
function withRun(name: string, runJson: string): string {
  const dir = join(temporaryFolder(), name);
  mkdirSync(dir);
  writeFileSync(join(dir, 'run.json'), runJson);
  return dir;
}
const described = (place: string): string[] => ['run', glance, ...target, '--openapi', place];
const withScenario = (name: string, text: string): string[] => ['run', file(name, text)];
const define = "import { defineScenario, steady } from 'tryon';\nexport default defineScenario(";

const tenADay = ['--sessions-per-day', '10'];
const fleet = ['fleet', 'run', glance, '--shards'];

/** Usage errors: what is typed, and what the message has to say. */
const typos: readonly [sentence: string, args: readonly string[], says: readonly (string | RegExp)[]][] = [
  ['no command', [], ['expected a command', 'tryon run smoke']],
  ['an unknown command', ['selftset'], ['selftset', 'did you mean tryon selftest?']],
  ['a scenario in place of a command', ['launch'], ['tryon run launch']],
  ['a simulation of no scenario', ['simulate'], ['simulate: expected a scenario']],
  ['a simulation of what is no scenario', ['simulate', 'no-such'], ['no such scenario', 'launch']],
  ['days of no sessions', ['simulate', 'smoke', '--days', '3'], ['--days', '--sessions-per-day']],
  ['no sessions a day', ['simulate', 'smoke', '--sessions-per-day', '0'], ['--sessions-per-day', 'from 1']],
  ['half a day', ['simulate', 'smoke', ...tenADay, '--days', '1.5'], ['--days', 'whole number']],
  ['too many days', ['simulate', 'smoke', ...tenADay, '--days', '100000'], ['--days', '3660']],
  [
    'a limiter to play that there is not',
    ['simulate', 'smoke', '--limiter', 'x'],
    ['limiter', 'sliding-log'],
  ],
  ['a defect that there is not', ['selftest', '--defect', 'Z9'], ['there is no "Z9"', '--list-defects']],
  ['no jobs', ['selftest', '--jobs', '0'], ['--jobs: expected a whole number from 1, got 0']],
  ['a folder for a selftest that is there', ['selftest', '--out', folder], [/--out: .* exists already/]],
  ['a fleet of one shard', [...fleet, '1', '--gather', join(folder, 'all')], ['from 2 to 1000, got 1']],
  ['a fleet that gathers somewhere', [...fleet, '2', '--gather', 'here'], [/--gather: .* folder from \/ on/]],
  [
    'a password that a fleet would pass on',
    [...fleet, '2', '--gather', folder, '--target', `http://me:${key}@127.0.0.1:9/v1`],
    ['--target: a URL with a password cannot be used here'],
  ],
  ['a Redis that is none', ['fleet', 'worker', '--redis', 'http://127.0.0.1'], ['--redis: expected a URL']],
  ['no folder to verify', ['verify'], ['verify: expected the folder of a run']],
  ['no folder to report on', ['report'], ['report: expected the folder of a run']],
  ['nothing to compare', ['compare'], ['compare: expected folders of runs']],
  ['a comparison of no runs', ['compare', folder, folder], ['no run.json in it']],
  ['a trend of no runs', ['compare', folder], ['no run.json in it']],
  ['no folder to replay', ['replay'], ['replay: expected the folder of a run']],
  ['a margin of nothing', ['compare', folder, folder, '--margin', '0'], ['--margin', 'above 0', 'got 0']],
  ['one scenario too many', ['run', glance, 'smoke'], ['"smoke"', 'run --help']],
  ['an unknown option', ['run', glance, '--tarjet', 'x'], ['--tarjet', 'did you mean --target?']],
  ['an option without its value', ['run', glance, '--target'], ['--target: expected a value']],
  ['an option that is given twice', ['run', glance, '--seed', '1', '--seed', '2'], ['--seed', 'twice: 1, 2']],
  ['a limiter that there is not', ['serve', '--limiter', 'foo'], ['--limiter', '"sliding-log"', '"foo"']],
  ['a rate limit that is none', ['run', glance, '--rate-limit', 'foo'], ['--rate-limit', '1000/1m', '"foo"']],
  ['a quota of nothing', ['run', glance, '--quota', '0'], ['--quota', 'from 1']],
  ['half a session', ['run', glance, '--max-sessions', '0.5'], ['--max-sessions', 'from 1, got 0.5']],
  ['a negative seed', ['run', glance, '--seed=-1'], ['--seed']],
  ['a seed that is not exact', ['run', glance, '--seed', '9007199254740992'], ['--seed', '9007199254740992']],
  ['a defect of a foreign service', ['run', glance, ...target, '--defect', 'R2'], [/--defect .*embedded/]],
  ['a seed that is no number', ['run', glance, '--seed', 'x'], ['--seed', 'whole number from 0', '"x"']],
  ['products that are no number', ['catalog', '--products', 'few'], ['--products', '"few"']],
  ['jobs that are no number', ['selftest', '--jobs', 'all'], ['--jobs', '"all"']],
  ['a port that is no number', ['serve', '--port', 'http'], ['--port', '65535', '"http"']],
  ['a cap of no requests', ['run', glance, '--max-requests', '0'], ['--max-requests', 'from 1']],
  ['a cap of less than no time', ['run', glance, '--max-minutes=-1'], ['--max-minutes']],
  ['a target that is no URL', ['run', glance, '--target', 'nonsense'], ['target', 'https://host/v1']],
  [
    'a target with credentials in it',
    ['run', glance, '--target', `http://me:${key}@127.0.0.1:1/v1`],
    ['credentials'],
  ],
  [
    'a host that is not loopback, and not allowed',
    ['run', glance, '--target', 'http://192.0.2.1/v1', '--key', 'load=LOAD', '--yes'],
    ['192.0.2.1', '--allow-host'],
  ],
  [
    'an allowed host, without a terminal for the question',
    ['run', glance, '--target', 'http://192.0.2.1/v1', '--key', 'load=LOAD', '--allow-host', '192.0.2.1'],
    ['192.0.2.1', '--yes'],
  ],
  ['a target without a key', ['run', glance, '--target', service.baseUrl], ['role load', '--key load=']],
  [
    'a key for the embedded service',
    ['run', glance, '--key', 'load=LOAD'],
    ['--key', 'embedded', '--target'],
  ],
  [
    'a key from a variable that is not set',
    ['run', glance, '--target', service.baseUrl, '--key', 'load=NOT_SET'],
    ['role load', 'NOT_SET', 'not set'],
  ],
  [
    'the key itself in place of its variable',
    ['run', glance, '--target', service.baseUrl, '--key', `load=${key}`],
    ['--key load', 'environment variable', 'not the key itself'],
  ],
  [
    'the key itself, which looks like a variable',
    ['run', glance, '--target', service.baseUrl, '--key', `load=${keyLikeName}`],
    ['role load', 'not the key itself'],
  ],
  ['a profile that is not there', ['run', glance, '--profile', join(folder, 'none.json')], ['none.json']],
  ['a profile that is not JSON', withProfile('broken.json', '{"name": '), ['broken.json', 'not JSON']],
  [
    'a profile with a field of another type',
    withProfile('type.json', '{"quota": {"sessions": "many"}}'),
    ['type.json', 'quota.sessions', 'expected number'],
  ],
  [
    'a profile with a field that there is not',
    withProfile('field.json', '{"analytics": {"freshnes": "3s"}}'),
    ['field.json', 'analytics', 'freshnes'],
  ],
  [
    'a profile whose key file is not there',
    [
      'run',
      glance,
      '--profile',
      file('key.json', `{"base_url":"${service.baseUrl}","keys":{"load":{"file":"/nowhere/key"}}}`),
    ],
    ['role load', '/nowhere/key'],
  ],
  [
    'a profile whose CA file is not there',
    withProfile('ca.json', '{"tls": {"ca_file": "/nowhere/ca.pem"}}'),
    ['tls.ca_file', '/nowhere/ca.pem'],
  ],
  [
    'a profile whose CA file is no certificate',
    withProfile('pem.json', JSON.stringify({ tls: { ca_file: file('not.pem', 'no PEM') } })),
    ['tls.ca_file', 'not.pem', 'PEM'],
  ],
  [
    'a map with a name that there is not',
    withProfile('map.json', '{"map": {"create_session": {"body": {"p": "{produkt_id}"}}}}'),
    ['map.json', 'map.create_session.body', '{produkt_id}', '{product_id}, {catalog_id}, {locale}'],
  ],
  [
    'a map without a target',
    ['run', glance, '--profile', file('untargeted.json', '{"map": {"analytics": {"path": "/a"}}}')],
    ['map', '--target'],
  ],
  [
    'an adapter that is not there',
    withProfile('no-adapter.json', '{"adapter": "none.ts"}'),
    ['adapter', 'none.ts'],
  ],
  [
    'an adapter that is none',
    withProfile('other.json', JSON.stringify({ adapter: file('other.ts', 'export default {}') })),
    ['other.ts', 'export default defineAdapter'],
  ],
  ['an adapter check of nothing', ['adapter', 'check'], ['--profile', 'docs/adapt.md']],
  ['a scenario that is not there', ['run', join(folder, 'none.ts')], ['none.ts', 'no such file']],
  ['a scenario name that there is not', ['run', 'lunch'], ['"lunch"', 'did you mean launch?', 'smoke']],
  [
    'a scenario that imports what is not there',
    withScenario('imports.ts', "import './gone.ts';"),
    ['imports.ts', 'gone.ts'],
  ],
  [
    'a scenario with a field of another type',
    withScenario(
      'wrong.ts',
      `${define}{ name: 'wrong', title: 't', load: [steady('1/s', '1s')], checks: ['contract'], catalog: { products: 'few' } });`,
    ),
    ['wrong.ts', 'catalog.products', 'expected number'],
  ],
  [
    'a scenario with a rate that is none',
    withScenario(
      'rate.ts',
      `${define}{ name: 'rate', title: 't', load: [steady('fast', '1s')], checks: ['contract'] });`,
    ),
    ['rate.ts', '"fast"', '900/min'],
  ],
  [
    'a run of another version to verify',
    ['verify', withRun('newer', '{"schema_version":7}')],
    ['newer', 'expected schema version 1, got 7'],
  ],
  [
    'a run to report on that is not JSON',
    ['report', withRun('torn', '{"schema_version":')],
    ['torn', 'expected a JSON object'],
  ],
  ['a description that is not there', described(join(folder, 'none.json')), ['--openapi', 'none.json']],
  [
    'a description with another file in it',
    described(file('ref.json', '{"openapi":"3.1.0","paths":{"/a":{"$ref":"b.json"}}}')),
    ['ref.json', 'paths."/a"', 'within the document', '"b.json"'],
  ],
  [
    'a description in a profile that is not beside it',
    withProfile('openapi.json', '{"openapi": "shop.json"}'),
    ['--openapi', join(folder, 'shop.json')],
  ],
  [
    'a URL without a description',
    described(`${pages}/openapi.json?k=1`),
    ['/openapi.json: expected 200', '404'],
  ],
  ['a URL with credentials', described(`http://me:${key}@127.0.0.1:1/a.json`), ['--openapi', 'credentials']],
  ['a URL of another host', described('http://192.0.2.1/a.json'), ['192.0.2.1', '--allow-host']],
  ['a file that is there', ['openapi', '--out', file('there.json', '')], ['--out', 'there.json', 'EEXIST']],
  ['the folder of no run to verify', ['verify', folder], [folder, 'run.json']],
  ['the folder of no run to report on', ['report', join(folder, 'none')], ['none', 'run.json']],
];

describe('exit 2 and a message, with nothing sent and nothing written, for', () => {
  const outs = typos.map((_, index) => join(folder, `run-${index}`));
  const commandLines = typos.map(([, args], index) =>
    args[0] === 'run' ? [...args, '--out', outs[index] ?? ''] : args,
  );
  let results: Awaited<ReturnType<typeof tryonEach>> = [];
  beforeAll(async () => {
    results = await tryonEach(commandLines, { LOAD: key, EMPTY: '' });
  });

  it.each(typos.map(([sentence, , says], index) => ({ sentence, says, index })))(
    '$sentence',
    ({ says, index }) => {
      const { code, stderr = '', stdout } = results[index] ?? {};
      for (const words of says) expect(stderr).toMatch(words);
      expect(code, stderr).toBe(2);
      expect(stderr).not.toMatch(/internal error|^\s+at |Options:/m);
      expect(`${stdout}${stderr}`).not.toContain(key);
      expect(`${stdout}${stderr}`).not.toContain(keyLikeName);
      expect(existsSync(outs[index] ?? '')).toBe(false);
    },
  );

  it('any of these: the target was never asked', () => {
    expect([...service.asked]).toEqual([]);
  });

  it('one of them on a real command line, too', async () => {
    const ended = await tryon(['run', glance, '--rate-limit', 'foo']);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toMatch(/^tryon: --rate-limit: expected .*\n$/);
  });
});

it('a folder that cannot be the run’s is an error: one that exists, empty or full, and one that cannot be made', async () => {
  const [empty, full] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(full, 'mine.txt'), 'mine');
  const unmade = join(file('a-file', ''), 'run');
  const ended = await tryonEach(
    [empty, full, unmade].map((out) => ['run', glance, '--out', out]),
    {},
  );
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(
    [`${empty} exists already`, `${full} exists already`, unmade].map((says) => [
      2,
      expect.stringContaining(says),
    ]),
  );
  expect([empty, full].filter((out) => existsSync(join(out, 'run.json')))).toEqual([]);
});

/** A process that listens, is stopped, and has its queue of connections filled: the next one hangs. */
async function hangingPort(): Promise<number> {
  const program =
    "const s=require('net').createServer().listen({port:0,host:'127.0.0.1',backlog:1},()=>process.stdout.write(String(s.address().port)))";
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  atEnd(() => child.kill('SIGKILL'));
  const [chunk] = await once(child.stdout, 'data');
  const port = Number(String(chunk));
  child.kill('SIGSTOP');
  for (let n = 0; n < 8; n++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    atEnd(() => socket.destroy());
  }
  return port;
}

/** A port where connections are taken and nothing is ever said. */
async function silentPort(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    atEnd(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  atEnd(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

it('a target or a Redis that cannot be reached exits with 4, naming host and cause', async () => {
  const hasty = profileArguments({ timeouts: { connect: '1s', headers: '1s' } });
  const rows: readonly (readonly [what: string, args: readonly string[], says: RegExp])[] = [
    [
      'nobody listens',
      [`http://127.0.0.1:${closed}/v1`],
      new RegExp(`127\\.0\\.0\\.1:${closed}.*ECONNREFUSED`),
    ],
    [
      'its connections hang',
      [`http://127.0.0.1:${await hangingPort()}/v1`],
      /127\.0\.0\.1:.*cannot connect: no connection within \d+ ms/,
    ],
    [
      'its name does not resolve',
      ['http://x.invalid/v1', '--allow-host', 'x.invalid', '--yes'],
      /the name x\.invalid was not resolved: .*(ENOTFOUND|EAI_AGAIN)/,
    ],
    [
      'it takes connections and never answers',
      [`http://127.0.0.1:${await silentPort()}/v1`],
      /127\.0\.0\.1:\d+ was not ready within 1 s: .*timeout/i,
    ],
  ];
  const [redis, ...ended] = await tryonEach(
    [
      ['fleet', 'worker', '--redis', `redis://:${key}@127.0.0.1:9`],
      ...rows.map(([, args]) => [
        ...['run', glance, '--target', ...args, '--key', 'load=LOAD'],
        ...['--out', join(temporaryFolder(), 'run'), '--wait-ready', '1s', ...hasty],
      ]),
    ],
    { LOAD: key },
  );
  expect(redis).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/^tryon: --redis: 127\.0\.0\.1:9 cannot be used: .*\n$/),
  });
  expect(rows.map(([what], at) => [what, ended[at]?.code, ended[at]?.stderr])).toEqual(
    rows.map(([what, , says]) => [what, 4, expect.stringMatching(says)]),
  );
});

describe.concurrent('a key that the target does not accept', () => {
  const wrongKey = 'fk_wrong-key-that-nobody-issued';
  it.each([
    ['load', { LOAD: wrongKey, QUOTA: '' }],
    ['quota', { LOAD: '', QUOTA: wrongKey }],
  ] as const)('for role %s: says 401, the role and the place', async (role, wrong) => {
    const other = await startForeignService();
    atEnd(() => other.close());
    const env = { LOAD: wrong.LOAD || other.keys.load, QUOTA: wrong.QUOTA || other.keys.quota };
    const keys = ['--key', 'load=LOAD', '--key', 'quota=QUOTA'];
    const out = join(temporaryFolder(), 'run');
    const ended = await gate(() =>
      tryon(['run', scenario('long'), '--target', other.baseUrl, ...keys, '--out', out], { env }),
    );
    expect(ended.stderr).toMatch(
      new RegExp(`401.*127\\.0\\.0\\.1:\\d+.*role ${role} \\(env ${role.toUpperCase()}\\)`),
    );
    expect(ended.code).toBe(2);
    expect(ended.stdout + ended.stderr).not.toContain(wrongKey);
    expect(other.asked.get('POST /sessions')).toBeUndefined();
  });
});

import { assertInstalled } from '../program-files.ts';
import * as fleetOptions from './fleet/k8s-jobs.ts';
import { command, commandOf, type KnownCommand } from './option.ts';
import * as options from './options.ts';
import { writeNew } from './shell.ts';

const run = command({
  command: 'run [scenario]',
  describe: 'Run a scenario against a target, or against the embedded reference service',
  options: options.runOptions,
  examples: {
    'run smoke': 'the embedded service',
    'run launch --profile staging.json': 'your deployment',
    'run smoke --defect N12': 'a service that is wrong',
  },
  run: async (args) => {
    if (args.repeat === undefined && args.against === undefined)
      return (await import('./run/run-scenario.ts')).runScenario(args);
    return (await import('./again/repeat-runs.ts')).repeatRuns(args);
  },
});

const init = command({
  command: 'init [file]',
  describe: 'Write a profile for your service: five questions, and a few reads of the service',
  about:
    '. A question is not asked if its option is given. Without a terminal tryon asks nothing: give --target and --key load=ENV_VAR.',
  options: options.initOptions,
  examples: { init: 'asks', 'init --target http://127.0.0.1:8080/v1 --key load=K': 'asks less' },
  run: async (args) => (await import('./first-steps/first-profile.ts')).writeFirstProfile(args),
});

const doctor = command({
  command: 'doctor [scenario]',
  describe: 'Say what is missing for a scenario, or for each: keys, promises, Node.js, disk space',
  about: '. It reads analytics of the target once for each key, and changes nothing there.',
  options: options.doctorOptions,
  examples: {
    doctor: 'what each scenario would lack',
    'doctor launch --profile staging.json': 'what a launch would lack',
  },
  run: async (args) => (await import('./first-steps/examine.ts')).examine(args),
});

const profile = command({
  command: 'profile',
  describe: 'Show the profile of a run: each value, and where it comes from',
  options: options.profileOptions,
  examples: {
    'profile --profile staging.json': 'what a run with this file would use',
    'profile --rate-limit 600/1m': 'the defaults, and one promise',
  },
  run: async (args) => (await import('./first-steps/show-profile.ts')).showProfile(args),
});

const adapter = commandOf(
  {
    command: 'adapter',
    describe: 'Check how requests and answers are adapted to a service: adapter check',
    expects: 'what to do, such as: tryon adapter check --profile staging.json',
  },
  [
    command({
      command: 'check [file]',
      parent: 'adapter',
      describe: 'Check an adapter, or the map of a profile, without a network',
      about: ': show each request, and read the examples of the adapter',
      options: options.adapterOptions,
      examples: {
        'adapter check adapter.ts': 'reads the examples in the file',
        'adapter check --profile staging.json': 'shows what goes out',
      },
      run: async (args) => (await import('./first-steps/check-adapter.ts')).checkAdapter(args),
    }),
  ],
);

const serve = command({
  command: 'serve',
  describe: 'Run the reference service in the foreground',
  options: options.serveOptions,
  examples: {
    'serve --port 8080': 'until Ctrl-C',
    'serve --list-defects': 'what can be planted',
    'serve --defect R2,Q3': 'a wrong limit, and a quota with a race',
  },
  run: async (args) => (await import('./serve/serve.ts')).serve(args),
});

const scenarios = command({
  command: 'scenarios',
  describe: 'List the scenarios that tryon includes',
  options: {},
  examples: { scenarios: 'what there is', 'run smoke': 'run one of them' },
  run: async () => (await import('./run/list-scenarios.ts')).listScenarios(),
});

const catalog = command({
  command: 'catalog',
  describe: 'Show a generated catalog: product lines, shades and colours',
  options: options.catalogOptions,
  examples: { catalog: '12 product lines', 'catalog --products 3 --json': 'as JSON' },
  run: async (args) => (await import('./first-steps/show-catalog.ts')).showCatalog(args),
});

const importing = commandOf(
  {
    command: 'import',
    describe: 'Write a scenario from a recording: import har',
    expects: 'what to read, such as: tryon import har visit.har',
  },
  [
    command({
      command: 'har <file>',
      parent: 'import',
      describe: 'Write a scenario whose shoppers behave as those of a browser that was recorded (HAR)',
      about:
        ': times, shades, cart intent and locales of its sessions. No key, token or id gets into the file.',
      expects: 'a recording of a browser, such as: tryon import har visit.har',
      options: options.harOptions,
      examples: {
        'import har visit.har': 'writes visit.ts',
        'import har visit.har --out friday.ts': 'another file',
      },
      run: async (args) => (await import('./first-steps/import-har.ts')).importHar(args),
    }),
  ],
);

const openapi = command({
  command: 'openapi',
  describe: 'Print the interface as an OpenAPI 3.1 description (JSON)',
  epilogue: 'What the interface document does not show is marked x-tryon-unknown.',
  options: options.openApiOptions,
  examples: { openapi: 'print it', 'openapi --out interface.json': 'write it to a file' },
  run: async ({ out }) => {
    const { interfaceDescription } = await import('../target/openapi/interface.ts');
    const json = `${JSON.stringify(interfaceDescription(), null, 2)}\n`;
    if (out === undefined) process.stdout.write(json);
    else {
      writeNew(`--out: ${out}`, out, json);
      process.stdout.write(`Wrote ${out}\n`);
    }
  },
});

const simulate = command({
  command: 'simulate <scenario>',
  describe: 'Say what a run would cost, and play its load against models, without a network',
  about: '. It takes the options of run.',
  expects: 'a scenario, such as: tryon simulate analytics (tryon scenarios lists them)',
  options: options.simulateOptions,
  examples: {
    'simulate launch': 'what a run would send',
    'simulate analytics --sessions-per-day 50000': 'a day of shoppers',
  },
  run: async (args) => (await import('./run/simulate-scenario.ts')).simulateScenario(args),
});

const merge = command({
  command: 'merge <place>',
  describe: 'Make one run of the shards gathered in a folder or bucket, and judge it',
  expects: 'the folder that all shards were given by --gather, such as: tryon merge shards',
  options: options.mergeOptions,
  examples: { 'merge shards': 'the folder of --gather', 'merge s3://bucket/a': 'what is in a bucket' },
  run: async (args) => (await import('./run/conclude.ts')).mergeAndJudge(args.place, args),
});

async function fleetProgram(): Promise<typeof import('./fleet/fleet.ts')> {
  assertInstalled('tryon fleet', /^(bullmq|ioredis)$/);
  return import('./fleet/fleet.ts');
}

const fleet = commandOf(
  {
    command: 'fleet',
    describe: 'Send a plan from several machines that wait at a Redis: fleet worker, fleet run',
  },
  [
    command({
      command: 'worker',
      parent: 'fleet',
      describe: 'Send shards as they come, one at a time, with the keys of this machine, until Ctrl-C',
      options: fleetOptions.workerOptions,
      examples: {
        'fleet worker': 'for a Redis on this machine',
        'fleet worker --env-file keys.env': 'with the keys of a file',
      },
      run: async (args) => (await fleetProgram()).runWorker(args),
    }),
    command({
      command: 'run [scenario]',
      parent: 'fleet',
      describe: 'Run a scenario on the workers: each sends a shard, and this program judges all',
      options: fleetOptions.fleetRunOptions,
      examples: {
        'fleet run launch --shards 4 --gather /mnt/a': 'with --target, --key',
        'fleet run --shards 2 --gather s3://bucket/a': 'they meet in a bucket',
      },
      run: async (args) => (await fleetProgram()).runFleet(args),
    }),
  ],
);

const k8s = command({
  command: 'k8s [scenario]',
  describe: 'Print manifests for Kubernetes: a Job whose pods send the shards, and a Job that judges them',
  options: fleetOptions.k8sOptions,
  takesOthers: true,
  examples: {
    'k8s --shards 4 --image IMAGE --gather s3://bucket/a': 'bucket',
    'k8s --shards 4 --image IMAGE --gather /gathered/a --claim C': 'volume',
  },
  run: async (args) => (await import('./fleet/k8s-jobs.ts')).printManifests(args),
});

const verify = command({
  command: 'verify <dir>',
  describe: 'Compute the verdicts of a run again, from its folder alone',
  expects: 'the folder of a run, such as: tryon verify reports/sample-short',
  options: options.verifyOptions,
  examples: { 'verify reports/last': 'again', 'verify reports/last --verbose': 'more on each check' },
  run: async (args) => {
    const { exitFor, reconsider } = await import('./run/conclude.ts');
    return exitFor(await reconsider(args.dir, args));
  },
});

const report = command({
  command: 'report <dir>',
  describe: 'Write the verdicts and reports of a run again, from its folder alone',
  expects: 'the folder of a run, such as: tryon report reports/launch-2026-05-01T12-00-00Z',
  options: options.reportOptions,
  examples: { 'report reports/last': 'again', 'report reports/last --verbose': 'more on each check' },
  run: async (args) => {
    const { conclude, exitFor } = await import('./run/conclude.ts');
    return exitFor(await conclude(args.dir, args));
  },
});

const compare = command({
  command: 'compare <base> [others..]',
  describe: 'Compare runs: verdicts, limiter, quota, response time and capacity',
  expects: 'folders of runs, such as: tryon compare reports/before reports/after',
  options: options.compareOptions,
  examples: {
    'compare reports/a reports/b': 'or folders of runs',
    'compare reports/a reports/b --html diff.html': 'one page',
    'compare reports': 'where a figure changed',
  },
  run: async (args) => (await import('./again/compare-runs.ts')).compareRuns(args),
});

const replay = command({
  command: 'replay <dir>',
  describe: 'Send the plan of a run again, and compare both runs',
  expects: 'the folder of a run, such as: tryon replay reports/before',
  options: options.replayOptions,
  examples: { 'replay reports/a': 'the same target', 'replay reports/a --profile new.json': 'another' },
  run: async (args) => (await import('./again/replay-run.ts')).replay(args),
});

const reproduce = command({
  command: 'reproduce <dir> [cause]',
  describe: 'Send the part of a run again that shows a cause, and say whether it still fails',
  expects: 'the folder of a run, such as: tryon reproduce reports/before',
  options: options.reproduceOptions,
  examples: {
    'reproduce reports/last': 'list the causes of the run',
    'reproduce reports/last shade-count-wrong': 'send what shows this one',
  },
  run: async (args) => (await import('./again/reproduce-cause.ts')).reproduce(args),
});

const selftest = command({
  command: 'selftest',
  describe: 'Plant each defect in the reference service, and count detected defects and false alarms',
  options: options.selftestOptions,
  examples: {
    'selftest --defect R18,Q3': 'these two, in under a minute',
    'selftest --foreign --variant slow': 'is there a false alarm?',
  },
  run: async (args) => (await import('./selftest/selftest.ts')).runSelftest(args),
});

/** The commands, in the order of `--help`. Each loads what it does when it is called, so that `--help` stays fast. */
export const commands: readonly KnownCommand[] = [
  ...[run, init, doctor, profile, adapter, serve, scenarios, catalog, importing, openapi, simulate],
  ...[merge, fleet, k8s, verify, report, compare, replay, reproduce, selftest],
];

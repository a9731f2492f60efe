import type { ServiceModel } from '../simulate/service.ts';
import type { Layer } from '../target/profile-layers.ts';
import { type ArgumentsOf, flag, numberOption, pick, positional, text, texts, wholeFrom } from './option.ts';

/*
 * Every option of every command, a row each, and the arguments that they give. An option that sets a field of the profile names it
 * (`field`): `run/open-target.ts` makes the layer of the command line of these rows. Nothing here loads what a command does.
 */

const scenario = 'Name of a scenario (tryon scenarios lists them), or path of a .ts file';
const dir = positional('Folder of a run', { demandOption: true });
const sessionQuota = wholeFrom(1, undefined, 'of sessions ');

/** Algorithms that `serve` and `simulate` know. */
export const limiterNames = [
  'fixed-window',
  'sliding-log',
  'sliding-counter',
  'token-bucket',
] as const satisfies readonly ServiceModel['limiter'][];

/** The options that say which target, with which keys, and what it promises. */
export const profileOptions = {
  target: text('Base URL, with /v1. Default: the embedded service', { field: 'base_url' }),
  profile: text('Target profile, a JSON file'),
  key: texts('ROLE=ENV_VAR: environment variable with the key for load, quota, twin or bystander', {
    field: 'keys',
  }),
  'env-file': text('File with environment variables (NAME=value). Variables of the shell take precedence'),
  address: text('The one address of the target to use, where its name has several. Default: all in turn', {
    field: 'address',
  }),
  'allow-host': texts('Host that tryon may load, other than loopback', { field: 'allow_hosts' }),
  'rate-limit': text('Promised rate limit, such as 1000/1m', { field: 'rate_limit' }),
  quota: numberOption('quota', sessionQuota, 'Session quota of the account of the quota key', {
    field: 'quota.sessions',
  }),
  openapi: text(
    'FILE or URL: the target’s OpenAPI description (JSON). After the run, every answer is compared with it',
    { field: 'openapi' },
  ),
  assurance: text(
    'SHARE@PROBABILITY, such as 1/1000@99%: read back enough sessions to find that share of faulty ones',
    { field: 'assurance' },
  ),
} as const;

/** The options of what a run shows of itself to other programs while it goes on. */
const observeOptions = {
  otlp: text(
    'Send metrics to an OpenTelemetry collector while running, every 5 s: its URL for OTLP over HTTP, such as http://127.0.0.1:4318. The variables OTEL_EXPORTER_OTLP_… do the same',
  ),
  'metrics-port': text(
    'Show metrics to Prometheus while running: a port of 127.0.0.1, or HOST:PORT. 0 takes a free port',
  ),
  traceparent: {
    type: 'boolean',
    describe:
      'Send a traceparent header with each request, so that each is a trace in your backend. On with metrics to a collector; --no-traceparent turns it off',
  },
} as const;
export type ObserveArguments = ArgumentsOf<typeof observeOptions>;

export const runOptions = {
  scenario: positional(scenario, { default: 'launch' }),
  ...pick(profileOptions, 'target', 'profile', 'key', 'env-file', 'address', 'allow-host'),
  seed: numberOption('seed', wholeFrom(0), 'Seed of the plan: the same seed gives the same plan'),
  out: text('New folder for the run; it must not exist'),
  budget: text(
    'Time for the whole run, such as 10m. Parts and studies that do not fit are left out or shortened; the explorer gets what the rest leaves',
  ),
  scale: numberOption(
    'scale',
    { words: 'a number above 0, at most 1', has: (number) => number > 0 && number <= 1 },
    'A smaller run, such as 0.2: a fifth of the durations, shoppers and calls; rates, windows and quotas stay. What it cannot tell is said',
  ),
  repeat: numberOption('repeat', wholeFrom(1), 'Runs of each side, in the order A B B A; needs --against'),
  against: text('Target profile of side B, which is compared with the target of this command'),
  workers: text('Threads that share the planned load: a number, or auto (all cores but one, at most 8)'),
  shard: text('Send one part of the plan, such as 2/4; auto or auto/4 where an array engine says which'),
  gather: text(
    'Folder, or s3://BUCKET/PREFIX, where all shards meet and leave their histories, for tryon merge',
  ),
  'wait-ready': text('Time, such as 30s, for the target to become ready. Default: 5s'),
  'write-profile': text(
    'FILE to write: a profile with the results of the run. The next run can check the target against it',
  ),
  ...pick(profileOptions, 'rate-limit', 'quota', 'openapi', 'assurance'),
  defect: texts(
    'ID[,ID…]: defects to plant in the embedded service (tryon serve --list-defects lists them; tryon selftest --defect runs what detects them)',
  ),
  variant: texts('NAME[,NAME…]: harmless variants of the embedded service (the same command lists them)'),
  ...observeOptions,
  verbose: flag('Print all that is known of each check that no cause explains'),
  yes: flag('Do not ask for confirmation before loading a host other than loopback'),
  'max-requests': numberOption('max-requests', wholeFrom(1), 'End the load after this number of requests'),
  'max-sessions': numberOption(
    'max-sessions',
    wholeFrom(1),
    'End the load after this number of new sessions',
  ),
  'max-minutes': numberOption(
    'max-minutes',
    { words: 'a number of minutes above 0', has: (number) => number > 0 },
    'End the load after this number of minutes (default: the run ends after 4 times what it announces, and 2 minutes)',
  ),
} as const;
export type RunArguments = ArgumentsOf<typeof runOptions> & Pick<TargetArguments, 'earlier'>;

/** What the command line says about the target. */
export type TargetArguments = ArgumentsOf<
  typeof profileOptions & Pick<typeof runOptions, 'defect' | 'variant'>
> & {
  /** The profile of a run that is sent again, in place of a file. */
  readonly earlier?: Layer | undefined;
};

export const initOptions = {
  file: positional('File to write; it must not exist', { default: 'tryon.json' }),
  target: text('Base URL of your service, with its version'),
  ...pick(profileOptions, 'key', 'env-file', 'rate-limit', 'quota'),
} as const;
export type InitArguments = ArgumentsOf<typeof initOptions>;

export const doctorOptions = {
  scenario: positional('Name of a scenario, or path of a .ts file. Default: all that tryon includes'),
  ...pick(profileOptions, 'target', 'profile', 'key', 'env-file', 'address', 'allow-host'),
  ...pick(profileOptions, 'rate-limit', 'quota', 'assurance'),
} as const;
export type DoctorArguments = ArgumentsOf<typeof doctorOptions>;

export const adapterOptions = {
  file: positional('File with an adapter; not needed with --profile'),
  profile: text('Target profile that names the adapter, or has a map'),
} as const;
export type AdapterArguments = ArgumentsOf<typeof adapterOptions>;

export const serveOptions = {
  port: numberOption('port', wholeFrom(0, 65_535), 'Port; 0 selects a free port', { default: 0 }),
  host: text('Address to listen on', { default: '127.0.0.1' }),
  db: text('Database file, which is kept. Default: a temporary file'),
  'rate-limit': text('Requests per window, for each key', { default: '1000/1m' }),
  limiter: { choices: limiterNames, default: 'sliding-log', describe: 'Algorithm of the rate limit' },
  plan: texts(
    'NAME=QUOTA: a pricing plan and its session quota, or "unlimited". Predefined: load, quota, bystander',
  ),
  key: texts('LABEL=PLAN[@ACCOUNT]: a key and its pricing plan. Default: a separate account for each key'),
  defect: texts('ID[,ID…]: defects to plant, to test whether they are detected'),
  variant: texts('NAME[,NAME…]: harmless differences in what the interface leaves open'),
  'list-defects': flag('List defects and variants, and exit'),
  json: flag('Print base_url and keys (or the list) as one line of JSON'),
  'power-safe': flag('Keep data in a power failure: one fsync for each write'),
  'session-lifetime': text('Time during which a session accepts events', { default: '30m' }),
  'exit-with-parent': { type: 'boolean', default: false, hidden: true },
  /** The starter may set the wall clock of the service by lines on standard input. */
  'clock-by-stdin': { type: 'boolean', default: false, hidden: true },
} as const;
export type ServeArguments = ArgumentsOf<typeof serveOptions>;

export const catalogOptions = {
  products: numberOption('products', wholeFrom(1, 1_000), 'Number of product lines', { default: 12 }),
  seed: numberOption('seed', wholeFrom(0), 'Seed: the same seed gives the same catalog, byte for byte', {
    default: 1,
  }),
  finish: texts('Finish values to choose from. The interface shows only matte', { default: ['matte'] }),
  json: flag('Print the catalog as JSON'),
} as const;
export type CatalogArguments = ArgumentsOf<typeof catalogOptions>;

export const harOptions = {
  file: positional('Recording, as the network panel of a browser saves it', { demandOption: true }),
  out: text('New file for the scenario; by default the name of the recording, with .ts'),
} as const;
export type HarArguments = ArgumentsOf<typeof harOptions>;

export const openApiOptions = { out: text('New file for the description; it must not exist') } as const;

/** Those of a run that decide what it sends. */
export const planOptions = pick(
  runOptions,
  ...([
    'scenario',
    'profile',
    'target',
    'seed',
    'budget',
    'scale',
    'workers',
    'rate-limit',
    'quota',
  ] as const),
  ...(['assurance', 'max-requests', 'max-sessions', 'max-minutes'] as const),
);

export const simulateOptions = {
  ...runOptions,
  scenario: positional(scenario, { demandOption: true }),
  seed: { ...runOptions.seed, default: 1 },
  'sessions-per-day': numberOption(
    'sessions-per-day',
    wholeFrom(1),
    'Number of shoppers a day, who arrive by the day curve. Replaces the load of the scenario',
  ),
  days: numberOption('days', wholeFrom(1, 3_660), 'With --sessions-per-day: number of days. Default: 1'),
  limiter: {
    choices: limiterNames,
    requiresArg: true,
    describe: 'Kind of limiter. Default: that of the profile, otherwise sliding-log',
  },
  quota: numberOption(
    'quota',
    sessionQuota,
    'Session quota of an account: that of the load key with --sessions-per-day, otherwise of the quota key',
  ),
  json: flag('Print everything as JSON'),
} as const;
export type SimulateArguments = ArgumentsOf<typeof simulateOptions>;

export const verifyOptions = { dir, ...pick(runOptions, 'write-profile', 'verbose') } as const;
export const reportOptions = { dir, ...pick(runOptions, 'verbose') } as const;

export const mergeOptions = {
  place: positional('Folder, or s3://BUCKET/PREFIX, given to --gather', { demandOption: true }),
  ...pick(runOptions, 'env-file', 'write-profile', 'verbose'),
} as const;

const compareWays = {
  margin: numberOption(
    'margin',
    { words: 'a percentage above 0, at most 100', has: (number) => number > 0 && number <= 100 },
    'The answer is “same” if the change is shown to be smaller than this percentage',
    { default: 5 },
  ),
  force: flag('Show runs that cannot be compared, too; the exit code is still 2'),
  strict: flag('Exit with 3 where a difference in response time cannot be excluded'),
  html: text('FILE to write: one page'),
  markdown: text('FILE to write, for a pull request'),
} as const;
export const compareOptions = {
  base: positional('Folder of a run, or a folder with repetitions of it', { demandOption: true }),
  others: positional(
    'The same; each is compared with the base. Without any: the trend of the runs in the folder',
    { array: true, default: [] },
  ),
  ...compareWays,
  baseline: flag(
    'For a pipeline: a base that is missing, or that a run cannot be compared with, is said, and exits with 0; a percentile that is worse by half within these runs is a regression',
  ),
} as const;
export type CompareArguments = ArgumentsOf<typeof compareOptions>;

/** Where an earlier run is sent again. */
const againOptions = {
  dir,
  target: text('Base URL, with /v1. Default: the target of the run'),
  profile: text('Target profile, a JSON file. Default: the profile of the run'),
  ...pick(profileOptions, 'key', 'env-file', 'address', 'allow-host'),
  scenario: text('Name or path of the scenario. Default: as the run was started'),
  ...pick(runOptions, 'out', 'yes'),
} as const;
export type AgainArguments = ArgumentsOf<typeof againOptions>;
export const replayOptions = { ...againOptions, ...compareWays } as const;
export type ReplayArguments = ArgumentsOf<typeof replayOptions>;
export const reproduceOptions = {
  ...againOptions,
  cause: positional('Cause, such as shade-count-wrong. Without it: the causes of the run'),
} as const;
export type ReproduceArguments = ArgumentsOf<typeof reproduceOptions>;

export const selftestOptions = {
  defect: texts('ID[,ID…]: run only these defects'),
  variant: texts('NAME[,NAME…]: run only these harmless variants; "honest" is the service without changes'),
  jobs: numberOption('jobs', wholeFrom(1), 'Number of parallel runs. Default: twice the number of CPUs'),
  seeds: numberOption('seeds', wholeFrom(1), 'Number of seeds for each harmless variant', { default: 1 }),
  'first-seed': numberOption('first-seed', wholeFrom(0), 'The first seed', { default: 1 }),
  foreign: flag(
    'Start each service apart and give its URL to the run, as with a deployment: the run then knows nothing of its past',
  ),
  out: text('New folder for the results; it must not exist'),
} as const;
export type SelftestArguments = ArgumentsOf<typeof selftestOptions>;

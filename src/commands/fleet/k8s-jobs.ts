import type { V1Container, V1Job, V1PodSpec } from '@kubernetes/client-node';
import { mostShards } from '../../drive/gather/shards.ts';
import { usageError } from '../../exit.ts';
import { type ArgumentsOf, numberOption, pick, positional, text, texts, wholeFrom } from '../option.ts';
import { profileOptions, runOptions } from '../options.ts';

/** Where pods have the volume of `--claim`. */
const mountPath = '/gathered';

/** `tryon k8s [SCENARIO]`: it prints, and sends nothing. */
export async function printManifests(args: K8sArguments): Promise<void> {
  process.stdout.write(await manifests(args));
}

/** The two Jobs as YAML: shards, and judge. Throws usage errors. */
export async function manifests(args: K8sArguments): Promise<string> {
  const { '--': more = [], claim, gather, minutes, name, scenario, shards } = args;
  if (!gather.startsWith('s3://') && (claim === undefined || !gather.startsWith(`${mountPath}/`)))
    throw usageError(`--gather: expected s3://…, or with --claim a folder in ${mountPath}; got ${gather}`);
  const activeDeadlineSeconds = minutes * 60;
  const send = ['run', scenario, '--shard', `auto/${shards}`, '--gather', gather, '--yes', ...more];
  const jobs: readonly V1Job[] = [
    job(`${name}-shards`, {
      activeDeadlineSeconds,
      completionMode: 'Indexed',
      completions: shards,
      parallelism: shards,
      // A shard is sent once or not at all.
      backoffLimitPerIndex: 0,
      // Otherwise two pods of one shard could run at once.
      podReplacementPolicy: 'Failed',
      template: { spec: podOf(args, send) },
    }),
    job(`${name}-judge`, {
      activeDeadlineSeconds,
      backoffLimit: 0,
      // Until the shards have ended.
      suspend: true,
      template: { spec: podOf(args, ['merge', gather]) },
    }),
  ];
  const { stringify } = await import('yaml');
  return jobs.map((each) => stringify(each)).join('---\n');
}

function job(name: string, spec: NonNullable<V1Job['spec']>): V1Job {
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, labels: { app: 'tryon' } }, spec };
}

function podOf({ claim, image, secret = [] }: K8sArguments, args: readonly string[]): V1PodSpec {
  const container: V1Container = {
    name: 'tryon',
    image,
    args: [...args],
    ...(secret.length === 0 ? {} : { envFrom: secret.map((name) => ({ secretRef: { name } })) }),
    ...(claim === undefined ? {} : { volumeMounts: [{ name: 'gathered', mountPath }] }),
  };
  const pod: V1PodSpec = { restartPolicy: 'Never', containers: [container] };
  if (claim === undefined) return pod;
  return {
    ...pod,
    // The user of the image may write there.
    securityContext: { fsGroup: 1_000 },
    volumes: [{ name: 'gathered', persistentVolumeClaim: { claimName: claim } }],
  };
}

/* The options of commands for several machines. Nothing here loads what such a command does. */

export const workerOptions = {
  redis: text('URL of Redis. Default: REDIS_URL of the environment, or redis://127.0.0.1:6379'),
  ...pick(profileOptions, 'env-file', 'allow-host'),
} as const;
export type WorkerArguments = ArgumentsOf<typeof workerOptions>;

/** What a worker gets of the options of a run. Keys, and the hosts that may get them, are the worker's own. */
export const shardOptions = {
  ...pick(
    runOptions,
    'target',
    'key',
    'rate-limit',
    'quota',
    'openapi',
    'assurance',
    'seed',
    'budget',
    'scale',
  ),
  ...pick(runOptions, 'max-requests', 'max-sessions', 'max-minutes'),
  profile: text('Target profile, a JSON file that each worker has under this path'),
  gather: { ...runOptions.gather, demandOption: true },
} as const;
export const fleetRunOptions = {
  scenario: positional('Name of a scenario, or path of a .ts file that each worker has', {
    default: 'launch',
  }),
  ...pick(workerOptions, 'redis', 'env-file'),
  shards: numberOption('shards', wholeFrom(2, mostShards), 'Parts of the plan, each for one worker', {
    demandOption: true,
  }),
  ...shardOptions,
  ...pick(runOptions, 'write-profile', 'verbose'),
} as const;
export type FleetRunArguments = ArgumentsOf<typeof fleetRunOptions>;

export const k8sOptions = {
  scenario: positional('Name of a scenario', { default: 'launch' }),
  shards: numberOption('shards', wholeFrom(2, mostShards), 'Parts of the plan, each for one pod', {
    demandOption: true,
  }),
  image: text('Image whose entry point is tryon', { demandOption: true }),
  gather: text('s3://BUCKET/PREFIX where the pods meet, or a folder on the volume of --claim', {
    demandOption: true,
  }),
  name: text('Name of the Jobs', { default: 'tryon' }),
  secret: texts('Secret whose entries become environment variables: keys of the target, credentials of S3'),
  claim: text('PersistentVolumeClaim (ReadWriteMany), mounted at /gathered'),
  minutes: numberOption('minutes', wholeFrom(1), 'A Job that takes longer is ended', { default: 60 }),
} as const;
export type K8sArguments = ArgumentsOf<typeof k8sOptions> & {
  /** What follows `--`: options of `tryon run`. */
  readonly '--'?: readonly string[];
};

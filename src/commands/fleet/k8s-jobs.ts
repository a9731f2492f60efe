import type { V1Container, V1Job, V1PodSpec } from '@kubernetes/client-node';
import { usageError } from '../../exit.ts';
import type { K8sArguments } from './fleet-options.ts';

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

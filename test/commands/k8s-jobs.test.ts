import { spawnSync } from 'node:child_process';
import type { V1Job } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type K8sArguments, manifests } from '../../src/commands/fleet/k8s-jobs.ts';

const args: K8sArguments = {
  ...{ scenario: 'launch', shards: 4, image: 'registry/tryon:1', name: 'tryon', minutes: 30 },
  ...{ gather: 's3://runs/run1', secret: ['keys', 'store'] },
  '--': ['--target', 'https://staging.example.com/v1', '--key', 'load=KEY'],
};
const onVolume: K8sArguments = { ...args, gather: '/gathered/run1', claim: 'shared' };

function jobs(text: string): V1Job[] {
  return parseAllDocuments(text).map((each) => each.toJS() as V1Job);
}

/** Each field with its path: `spec.completions: 4`. */
function fields(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${path}: ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([name, inner]) => fields(inner, `${path}/${name}`));
}

/** Whether kubectl is there, and knows fields as young as those used: Debian's is of 2021. */
const version = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' }).stdout;
const [, minor = '0'] = /v1\.(\d+)/.exec(version ?? '') ?? [];
const isYoung = Number(minor) >= 29;
if (!isYoung)
  console.warn('SKIPPED: manifests are not read by kubectl, which is not there or older than 1.29');

describe('the Jobs for Kubernetes', () => {
  it('send each shard once, all at the same time, and end', async () => {
    const [shards] = jobs(await manifests(args));
    expect(shards?.spec).toMatchObject({
      ...{ completionMode: 'Indexed', completions: 4, parallelism: 4, activeDeadlineSeconds: 1_800 },
      ...{ backoffLimitPerIndex: 0, podReplacementPolicy: 'Failed' },
      template: { spec: { restartPolicy: 'Never' } },
    });
    expect(shards?.spec?.template.spec?.containers[0]?.args?.join(' ')).toBe(
      'run launch --shard auto/4 --gather s3://runs/run1 --yes --target https://staging.example.com/v1 --key load=KEY',
    );
  });

  it('judge once the shards have ended, when they are told to', async () => {
    const [, judge] = jobs(await manifests(args));
    expect(judge?.spec).toMatchObject({ suspend: true, backoffLimit: 0 });
    expect(judge?.spec?.template.spec?.containers[0]?.args).toEqual(['merge', 's3://runs/run1']);
  });

  it.each([
    [
      'take keys from Secrets',
      args,
      { envFrom: [{ secretRef: { name: 'keys' } }, { secretRef: { name: 'store' } }] },
    ],
    ['meet on a volume', onVolume, { volumeMounts: [{ name: 'gathered', mountPath: '/gathered' }] }],
  ])('%s', async (_, given, container) => {
    for (const job of jobs(await manifests(given)))
      expect(job.spec?.template.spec?.containers[0]).toMatchObject(container);
  });

  it.each([
    ['a folder without a volume', { gather: '/gathered/run1' }],
    ['a folder that is not on the volume', { gather: '/mnt/run1', claim: 'shared' }],
  ])('are not printed for %s', async (_, more) => {
    await expect(manifests({ ...args, ...more })).rejects.toThrow(/--gather: expected s3:.* got \//);
  });

  it.runIf(isYoung).each([
    ['with a bucket', args],
    ['with a volume', onVolume],
  ])('have no field that Kubernetes does not know (%s)', async (_, given) => {
    const text = await manifests(given);
    // Reads the manifests as types of Kubernetes, which drops what these do not have.
    const { status, stderr, stdout } = spawnSync(
      'kubectl',
      ['set', 'image', '--local', '-f', '-', 'tryon=registry/tryon:1', '-o', 'yaml'],
      // The image is as before, so that kubectl prints nothing unless another is set first.
      { input: text.replaceAll('registry/tryon:1', 'registry/tryon:0'), encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    expect(status).toBe(0);
    for (const [n, job] of jobs(stdout).entries())
      expect(fields(job)).toEqual(expect.arrayContaining(fields(jobs(text)[n])));
    expect(jobs(stdout)).toHaveLength(2);
  });
});

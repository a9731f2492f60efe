import { describe, expect, it } from 'vitest';
import { parseShard, type ShardName } from '../../../src/drive/gather/shards.ts';

type Environment = Readonly<Record<string, string>>;

describe('which shard a program is', () => {
  it.each<[string, string, Environment, ShardName]>([
    ['is told by a number', '2/4', {}, { index: 2, of: 4 }],
    [
      'is told by Kubernetes, which counts from 0 and does not say how many there are',
      'auto/4',
      { JOB_COMPLETION_INDEX: '3' },
      { index: 4, of: 4 },
    ],
    [
      'is told by AWS Batch, which counts from 0',
      'auto',
      { AWS_BATCH_JOB_ARRAY_INDEX: '0', AWS_BATCH_JOB_ARRAY_SIZE: '8' },
      { index: 1, of: 8 },
    ],
    [
      'is told by Slurm, with the array from 0',
      'auto',
      { SLURM_ARRAY_TASK_ID: '1', SLURM_ARRAY_TASK_COUNT: '2' },
      { index: 2, of: 2 },
    ],
    [
      'is told by Cloud Run',
      'auto',
      { CLOUD_RUN_TASK_INDEX: '2', CLOUD_RUN_TASK_COUNT: '3' },
      { index: 3, of: 3 },
    ],
    [
      'is told by GitLab, which counts from 1',
      'auto/3',
      { CI_NODE_INDEX: '3', CI_NODE_TOTAL: '3' },
      { index: 3, of: 3 },
    ],
  ])('%s', (_, text, env, shard) => {
    expect(parseShard(text, env)).toEqual(shard);
  });

  it.each<[string, string, Environment, RegExp]>([
    ['no numbers', 'second', {}, /--shard: expected i\/N such as 2\/4, auto\/N or auto, got second/],
    ['a number alone', '2', {}, /expected i\/N/],
    ['one beyond the last', '5/4', {}, /--shard 5\/4: expected a shard from 1 to 4, got 5/],
    ['the zeroth', '0/4', {}, /expected a shard from 1 to 4, got 0/],
    ['one shard alone', '1/1', {}, /expected 2 to 1000 shards, got 1/],
    ['no engine', 'auto', {}, /none of JOB_COMPLETION_INDEX, .* is in the environment/],
    [
      'an engine that does not say how many there are',
      'auto',
      { JOB_COMPLETION_INDEX: '0' },
      /Kubernetes Indexed Job does not say how many shards there are; use auto\/N/,
    ],
    [
      'another number of shards than the engine has',
      'auto/4',
      { CI_NODE_INDEX: '1', CI_NODE_TOTAL: '3' },
      /--shard auto\/4: CI_NODE_TOTAL says that there are 3/,
    ],
    [
      'an index that is no number',
      'auto/4',
      { JOB_COMPLETION_INDEX: 'x' },
      /JOB_COMPLETION_INDEX: expected a whole/,
    ],
    [
      'an array of an engine that counts from 1 where 0 is the first',
      'auto',
      { SLURM_ARRAY_TASK_ID: '2', SLURM_ARRAY_TASK_COUNT: '2' },
      /--shard auto \(Slurm\): expected a shard from 1 to 2, got 3/,
    ],
  ])('is not taken from %s', (_, text, env, says) => {
    expect(() => parseShard(text, env)).toThrow(says);
  });
});

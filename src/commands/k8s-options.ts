import { mostShards } from '../gather/shard-name.ts';
import { type ArgumentsOf, numberOption, text, texts, wholeFrom } from './options.ts';

export const k8sOptions = {
  shards: numberOption('shards', wholeFrom(2, mostShards), 'Parts of the plan, each for one pod', {
    demandOption: true,
  } as const),
  image: text('Image whose entry point is tryon', { demandOption: true } as const),
  gather: text('s3://BUCKET/PREFIX where the pods meet, or a folder on the volume of --claim', {
    demandOption: true,
  } as const),
  name: text('Name of the Jobs', { default: 'tryon' } as const),
  secret: texts('Secret whose entries become environment variables: keys of the target, credentials of S3'),
  claim: text('PersistentVolumeClaim (ReadWriteMany), mounted at /gathered'),
  minutes: numberOption('minutes', wholeFrom(1), 'A Job that takes longer is ended', {
    default: 60,
  } as const),
} as const;

export type K8sArguments = ArgumentsOf<typeof k8sOptions> & {
  readonly scenario: string;
  /** What follows `--`: options of `tryon run`. */
  readonly '--'?: readonly string[];
};

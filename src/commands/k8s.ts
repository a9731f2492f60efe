import type { CommandModule } from 'yargs';
import { mostShards } from '../gather/shard-name.ts';
import { type ArgumentsOf, examples, numberOption, text, texts, wholeFrom } from './options.ts';

const options = {
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

export type K8sArguments = ArgumentsOf<typeof options> & {
  readonly scenario: string;
  /** What follows `--`: options of `tryon run`. */
  readonly '--'?: readonly string[];
};

const describe =
  'Print manifests for Kubernetes: a Job whose pods send the shards, and a Job that judges them';

/** `tryon k8s [SCENARIO]`: it prints, and sends nothing. */
export const k8sCommand: CommandModule<object, K8sArguments> = {
  command: 'k8s [scenario]',
  describe,
  builder: (yargs) =>
    yargs
      .usage(`$0 k8s [scenario] [options] -- [options of run]\n\n${describe}`)
      .positional('scenario', { type: 'string', default: 'launch', describe: 'Name of a scenario' })
      .parserConfiguration({ 'populate--': true })
      .options(options)
      .example(
        examples({
          'k8s --shards 4 --image IMAGE --gather s3://bucket/a': 'bucket',
          'k8s --shards 4 --image IMAGE --gather /gathered/a --claim C': 'volume',
        }),
      ),
  handler: async (args) => {
    const { manifests } = await import('./k8s-manifests.ts');
    process.stdout.write(manifests(args));
  },
};

import type { CommandModule } from 'yargs';
import { manifests } from './fleet/k8s-jobs.ts';
import { type K8sArguments, k8sOptions } from './k8s-options.ts';
import { examples } from './options.ts';

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
      .options(k8sOptions)
      .example(
        examples({
          'k8s --shards 4 --image IMAGE --gather s3://bucket/a': 'bucket',
          'k8s --shards 4 --image IMAGE --gather /gathered/a --claim C': 'volume',
        }),
      ),
  handler: async (args) => {
    process.stdout.write(await manifests(args));
  },
};

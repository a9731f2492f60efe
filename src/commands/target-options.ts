import type { Layer } from '../target/profile-layers.ts';
import { type ArgumentsOf, numberOption, text, texts, wholeFrom } from './options.ts';

/** The options that say which target, with which keys. */
export const targetOptions = {
  target: text('Base URL, with /v1. Default: the embedded service'),
  profile: text('Target profile, a JSON file'),
  key: texts('ROLE=ENV_VAR: environment variable with the key for load, quota, twin or bystander'),
  'env-file': text('File with environment variables (NAME=value); those that are set take precedence'),
  address: text('The one address of the target to use, where its name has several. Default: all in turn'),
  'allow-host': texts('Host that tryon may load, other than loopback'),
} as const;

/** The options that say what the target promises. */
export const promiseOptions = {
  'rate-limit': text('Promised rate limit, such as 1000/1m'),
  quota: numberOption(
    'quota',
    wholeFrom(1, undefined, 'of sessions '),
    'Session quota of the account of the quota key',
  ),
} as const;

/** The option that names a description of the target. */
export const descriptionOptions = {
  openapi: text(
    'FILE or URL: the target’s OpenAPI description (JSON). After the run, every answer is held against it',
  ),
} as const;

/** The option that sizes samples. */
export const sampleOptions = {
  assurance: text(
    'SHARE@PROBABILITY, such as 1/1000@99%: read back enough sessions to find that share of faulty ones',
  ),
} as const;

/** The options that alter the embedded service. */
export const alterationOptions = {
  defect: texts(
    'ID[,ID…]: defects to plant in the embedded service (tryon serve --list-defects lists them; tryon selftest --defect runs what detects them)',
  ),
  variant: texts('NAME[,NAME…]: harmless variants of the embedded service (the same command lists them)'),
} as const;

/** What the command line says about the target. */
export type TargetArguments = ArgumentsOf<
  typeof targetOptions &
    typeof promiseOptions &
    typeof descriptionOptions &
    typeof sampleOptions &
    typeof alterationOptions
> & {
  /** The profile of a run that is sent again, in place of a file. */
  readonly earlier?: Layer | undefined;
};

import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemWords, usageError, writeError } from '../exit.ts';
import { S3Bucket } from './s3-bucket.ts';
import { type GatherStore, notesFolder } from './store.ts';

/** An object without content, for what is to be known of the store itself. */
const probe = `${notesFolder}/.probe`;

/**
 * A store in a bucket. Its clock is the `Date` of its answers. Throws a usage error if the bucket is not there, does not
 * accept the credentials, or replaces what is there: two shards could then not tell which of them was first.
 */
export async function openS3Store(place: string, env: NodeJS.ProcessEnv): Promise<GatherStore> {
  const bucket = new S3Bucket(place, env);
  await bucket.put(probe, { text: '' });
  if (await bucket.put(probe, { text: '' }))
    throw usageError(`${place}: the store ignores If-None-Match, so one shard could replace another's notes`);
  const keyOf = (name: string): string => `${notesFolder}/${name}`;
  return {
    place: bucket.place,
    pollMs: 250,
    resolutionMs: 1_000,
    tickLateMs: 50,
    async create(name, text) {
      // An attempt may have succeeded although its answer was lost.
      return (await bucket.put(keyOf(name), { text })) || (await bucket.read(keyOf(name))) === text;
    },
    read: (name) => bucket.read(keyOf(name)),
    async names() {
      return (await bucket.names(keyOf('')))
        .map((key) => basename(key))
        .filter((name) => !name.startsWith('.'));
    },
    time: () => bucket.time(probe),
    async handIn(runDir) {
      const name = basename(runDir);
      const history = (await readdir(join(runDir, 'history'))).filter((file) => !file.endsWith('.parquet'));
      try {
        // A shard without `run.json` has not handed in everything.
        for (const file of [...history.map((each) => `history/${each}`), 'run.json'])
          await bucket.put(`${name}/${file}`, { file: join(runDir, file) });
      } catch (error) {
        throw writeError(
          `${runDir} could not be copied to ${bucket.place}: ${systemWords(error)}. ` +
            `It is whole: copy it to ${bucket.place}/${name}, run.json last`,
          error,
        );
      }
    },
  };
}

/** Copies the runs of shards from a bucket into a folder, except those that are there. */
export async function fetchRuns(place: string, dir: string, env: NodeJS.ProcessEnv): Promise<void> {
  const bucket = new S3Bucket(place, env);
  const names = await bucket.names('shard-');
  for (const name of names.filter((each) => /^[^/]+\/run\.json$/.test(each)).map(dirname)) {
    if (existsSync(join(dir, name))) continue;
    const part = join(dir, `.${name}`);
    await rm(part, { recursive: true, force: true });
    await mkdir(join(part, 'history'), { recursive: true });
    for (const key of names.filter((each) => each.startsWith(`${name}/`)))
      await bucket.download(key, join(dir, `.${key}`));
    await rename(part, join(dir, name));
  }
}

/** Copies files of a folder to a bucket, over those of their names. */
export async function putFiles(
  place: string,
  { dir, names }: { readonly dir: string; readonly names: readonly string[] },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const bucket = new S3Bucket(place, env);
  for (const name of names) await bucket.put(name, { file: join(dir, name) }, false);
}

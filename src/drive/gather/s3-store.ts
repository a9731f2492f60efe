import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { type Dispatcher, request } from 'undici';
import { systemWords, TryonError, targetError, usageError, writeError } from '../../exit.ts';
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

/** How often a request is sent in all, if the store does not answer or is busy. */
const attempts = 3;
/** How long to wait before it is sent again, times the number of attempts so far. */
const pauseMs = 300;
/** How long the store may take to begin its answer. */
const patienceMs = 10_000;

/** What is stored under a name: a text, or a file's bytes. */
type StoredContent = { readonly text: string } | { readonly file: string };

type S3Answer = Dispatcher.ResponseData;

interface Sending {
  /** A status that is an answer, too. */
  readonly accepted?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Made anew for each attempt. */
  readonly body?: () => string | Readable;
}

/** A part of a bucket: the objects whose keys begin with a prefix. */
export class S3Bucket {
  /** As in `--gather`. */
  readonly place: string;
  /** What a signature needs, credentials included. */
  readonly #signing: Pick<ConstructorParameters<typeof AwsV4Signer>[0], 'accessKeyId' | 'secretAccessKey'>;
  readonly #url: string;
  readonly #prefix: string;

  /** Throws a usage error for what is no such place, or without credentials. */
  constructor(place: string, env: NodeJS.ProcessEnv) {
    const [, bucket, prefix] = /^s3:\/\/([a-z0-9][a-z0-9.-]+)\/([\w./-]*\w)\/?$/.exec(place) ?? [];
    if (bucket === undefined || prefix === undefined)
      throw usageError(`${place}: expected s3://BUCKET/PREFIX (letters, digits, and ._-/ in PREFIX)`);
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
    if (!accessKeyId || !secretAccessKey)
      throw usageError(`${place}: needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment`);
    const sessionToken = env.AWS_SESSION_TOKEN ? { sessionToken: env.AWS_SESSION_TOKEN } : {};
    const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1';
    const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
    const url = URL.parse(endpoint || `https://s3.${region}.amazonaws.com`);
    if (url === null) throw usageError(`AWS_ENDPOINT_URL: expected a URL, got ${endpoint}`);
    this.place = `s3://${bucket}/${prefix}`;
    this.#signing = { accessKeyId, secretAccessKey, ...sessionToken, ...{ service: 's3', region } };
    this.#url = `${url.href.replace(/\/$/, '')}/${bucket}`;
    this.#prefix = prefix;
  }

  /** Stores a content under a name; false if that name is taken, and is to be new. */
  async put(name: string, content: StoredContent, isNew = true): Promise<boolean> {
    const length = 'text' in content ? Buffer.byteLength(content.text) : (await stat(content.file)).size;
    const { body, statusCode } = await this.#send('PUT', this.#key(name), {
      accepted: 412,
      headers: { 'content-length': String(length), ...(isNew ? { 'if-none-match': '*' } : {}) },
      body: () => ('text' in content ? content.text : createReadStream(content.file)),
    });
    await body.dump();
    return statusCode !== 412;
  }

  /** Undefined where there is none of that name. */
  async read(name: string): Promise<string | undefined> {
    const { body, statusCode } = await this.#send('GET', this.#key(name), { accepted: 404 });
    const text = await body.text();
    return statusCode === 404 ? undefined : text;
  }

  async download(name: string, file: string): Promise<void> {
    const { body } = await this.#send('GET', this.#key(name));
    await pipeline(body, createWriteStream(file, { flags: 'wx' }));
  }

  /** All names that begin with something. */
  async names(beginning: string): Promise<readonly string[]> {
    const names: string[] = [];
    let token: string | undefined;
    do {
      const query = new URLSearchParams({ 'list-type': '2', prefix: `${this.#prefix}/${beginning}` });
      if (token !== undefined) query.set('continuation-token', token);
      const { body } = await this.#send('GET', `?${query}`);
      const text = await body.text();
      for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g))
        names.push(key.slice(this.#prefix.length + 1));
      token = /<NextContinuationToken>([^<]+)</.exec(text)?.[1]?.replaceAll('&amp;', '&');
    } while (token !== undefined);
    return names;
  }

  /** What the store's clock shows while it answers, epoch milliseconds: whole seconds. */
  async time(name: string): Promise<number> {
    const { body, headers } = await this.#send('HEAD', this.#key(name));
    await body.dump();
    const ms = Date.parse(String(headers.date));
    if (Number.isNaN(ms)) throw targetError(`${this.place}: the store answers without its time (Date)`);
    return ms;
  }

  #key(name: string): string {
    return `/${this.#prefix}/${name}`;
  }

  /** Sends a request, again if that may help. Throws for statuses that are neither 2xx nor accepted. */
  async #send(method: 'GET' | 'HEAD' | 'PUT', path: string, sending: Sending = {}): Promise<S3Answer> {
    const { accepted, body, headers = {} } = sending;
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === attempts;
      try {
        const url = `${this.#url}${path}`;
        const signed = await new AwsV4Signer({ ...this.#signing, method, url, headers }).sign();
        const answer = await request(signed.url, {
          method,
          headers: Object.fromEntries(signed.headers),
          headersTimeout: patienceMs,
          body: body?.() ?? null,
        });
        const { statusCode } = answer;
        if (statusCode < 300 || statusCode === accepted) return answer;
        const text = await answer.body.text();
        if (isLast || !isPassing(statusCode)) throw this.#refusal(statusCode, text);
      } catch (error) {
        if (error instanceof TryonError) throw error;
        if (isLast) throw targetError(`${this.place}: no answer: ${systemWords(error)}`, error);
      }
      await sleep(attempt * pauseMs);
    }
  }

  /** In the store's words: `NoSuchBucket: The specified bucket does not exist`. */
  #refusal(statusCode: number, text: string): TryonError {
    const said = ['Code', 'Message'].flatMap((name) => new RegExp(`<${name}>([^<]+)<`).exec(text)?.[1] ?? []);
    const words = said.length === 0 ? `status ${statusCode}` : said.join(': ').replaceAll(/\s+/g, ' ');
    return (isPassing(statusCode) ? targetError : usageError)(`${this.place}: ${words}`);
  }
}

/** Whether a request may succeed later. 409: another request of that name was under way. */
function isPassing(statusCode: number): boolean {
  return statusCode >= 500 || statusCode === 429 || statusCode === 409;
}

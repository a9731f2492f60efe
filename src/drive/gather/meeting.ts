import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { counted, verb } from '../../amounts.ts';
import { systemWords, TryonError, targetError, usageError } from '../../exit.ts';
import { type RunInfo, runInfoSchema } from '../../history/run.ts';
import { parsedJson } from '../../target/json.ts';
import { roles } from '../../vocabulary/roles.ts';
import { differenceInRun, type ShardName, shardWords } from './shards.ts';
import type { GatherStore } from './store.ts';

const roleShare = z.strictObject({
  first: z.string().optional(),
  seen: z.number(),
  drawn: z.array(z.string()),
  ambiguous: z.array(z.string()),
});

/** What shards tell each other, by the kind of note. */
const noteSchemas = {
  /** By the first: its `run.json`, which the others' has to equal but for what is each shard's own. */
  plan: runInfoSchema,
  /** By each but the first: it takes its place among the shards, which only one can. */
  claim: z.strictObject({ by: z.string() }),
  /** By each: it has made its plan, and waits for the start. */
  ready: z.strictObject({}),
  /** By the first: when the load starts, and what set-up has found: the interaction channel, and unusual shades that are taken. */
  start: z.strictObject({
    start_ns: z.number(),
    channel: z.strictObject({ path: z.string(), auth: z.enum(['session-token', 'api-key']) }).optional(),
    corners: z.strictObject({ id: z.string(), skus: z.array(z.string()) }).optional(),
  }),
  /** By whichever ends the load early, first. 0: by `tryon fleet run`. */
  stop: z.strictObject({ by: z.int(), reason: z.enum(['interrupted', 'kill-switch', 'cap', 'error']) }),
  /** By each but the first: what is left to settle. */
  done: z.strictObject({
    /** Sessions granted on the product that freshness is read from. */
    granted: z.number(),
    sessions: z.record(z.enum(roles), roleShare),
    /** Sealed. */
    tokens: z.string(),
  }),
} as const;
type NoteKind = keyof typeof noteSchemas;
export type Note<Kind extends NoteKind> = z.output<(typeof noteSchemas)[Kind]>;

/** The kinds of which each shard writes one. */
const ofEach: readonly NoteKind[] = ['claim', 'ready', 'done'];

function nameOf(kind: NoteKind, shard: number): string {
  return ofEach.includes(kind) ? `${kind}-${shard}.json` : `${kind}.json`;
}

/** Writes a note, of this shard where each writes one; false if there is one already. */
export function writeNote<Kind extends NoteKind>(
  store: GatherStore,
  kind: Kind,
  shard: number,
  note: Note<Kind>,
): Promise<boolean> {
  return reached(store, () => store.create(nameOf(kind, shard), `${JSON.stringify(note)}\n`));
}

/** Reads a note, of a shard where each writes one. Throws a usage error if something else is in its place. */
export async function readNote<Kind extends NoteKind>(
  store: GatherStore,
  kind: Kind,
  shard: number,
): Promise<Note<Kind> | undefined> {
  const name = nameOf(kind, shard);
  const text = await reached(store, () => store.read(name));
  if (text === undefined) return undefined;
  const parsed = noteSchemas[kind].safeParse(parsedJson(text));
  if (!parsed.success) throw usageError(`${store.place}: note ${name}: ${z.prettifyError(parsed.error)}`);
  return parsed.data as Note<Kind>;
}

/** The shards that have written a note of a kind that each writes. */
async function whoWrote(store: GatherStore, kind: 'ready' | 'done'): Promise<ReadonlySet<number>> {
  const names = await reached(store, () => store.names());
  return new Set(
    names.flatMap((name) => {
      const [, shard] = new RegExp(`^${kind}-(\\d+)\\.json$`).exec(name) ?? [];
      return shard === undefined ? [] : [Number(shard)];
    }),
  );
}

/** Uses a store. Where that fails, throws a target error that names it. */
export async function reached<T>(store: GatherStore, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof TryonError) throw error;
    throw targetError(`--gather: ${store.place}: ${systemWords(error)}`, error);
  }
}

const tokensSchema = z.record(z.string(), z.string());

/**
 * Tokens of sessions, encrypted (AES-256-GCM) with a key that every shard can make from the load key, which all have.
 * So the store holds no secret in clear.
 */
export function seal(tokens: ReadonlyMap<string, string>, loadKey: string, tag: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyFrom(loadKey, tag), nonce);
  const text = Buffer.from(JSON.stringify(Object.fromEntries(tokens)));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** What `seal` was given. Throws if the load key is another, or the text was changed. */
export function unseal(sealed: string, loadKey: string, tag: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', keyFrom(loadKey, tag), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
  return new Map(Object.entries(tokensSchema.parse(JSON.parse(text.toString()))));
}

function keyFrom(loadKey: string, tag: string): Buffer {
  return Buffer.from(hkdfSync('sha256', loadKey, tag, 'tryon gather', 32));
}

/** The first leaves the others this long to read the note of the start, beside their next look. */
const leadMs = 1_000;

/** How long a shard waits for the others to begin, and after the end of the load for what they leave. */
interface Patience {
  readonly startMs: number;
  readonly doneMs: number;
}

/** One shard among those of a run: says what it has done, and waits for what the others do. */
export class Meeting {
  readonly shard: ShardName;
  readonly #store: GatherStore;
  readonly #patience: Patience;
  #isGivenUp = false;

  constructor(store: GatherStore, shard: ShardName, patience: Patience) {
    this.#store = store;
    this.shard = shard;
    this.#patience = patience;
  }

  get isFirst(): boolean {
    return this.shard.index === 1;
  }

  /** How often it looks for a note; of many, each less often: all look 1,000 times a second at most. */
  get #pollMs(): number {
    return Math.max(this.#store.pollMs, this.shard.of);
  }

  /** Waits no longer. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  /** The run that the first shard has planned. Throws a target error where it does not say so in time. */
  plan(): Promise<RunInfo> {
    return this.#awaited(
      () => readNote(this.#store, 'plan', 1),
      this.#patience.startMs,
      () => `shard 1 of ${this.shard.of} has left no plan in ${this.#store.place}`,
    );
  }

  /** Tells the others the run, or compares it with theirs. Throws a usage error that names what differs. */
  async agree(run: RunInfo): Promise<void> {
    if (this.isFirst) {
      if (!(await writeNote(this.#store, 'plan', 1, run)))
        throw usageError(
          `--gather: ${this.#store.place} holds another run already; a run needs a new folder`,
        );
      return;
    }
    const difference = differenceInRun(run, await this.plan());
    if (difference !== undefined)
      throw usageError(`${shardWords(this.shard)} is not of the run in ${this.#store.place}: ${difference}`);
    if (!(await writeNote(this.#store, 'claim', this.shard.index, { by: randomUUID() })))
      throw usageError(
        `--shard: ${shardWords(this.shard)} is in ${this.#store.place} already, and is not sent twice`,
      );
  }

  /** Of the first: says when the load starts, once all are ready: as soon as all can know. */
  async begin(start: Omit<Note<'start'>, 'start_ns'>, nowNs: () => number): Promise<number> {
    const { of } = this.shard;
    const missing = async (): Promise<readonly number[]> =>
      this.#without(await whoWrote(this.#store, 'ready'));
    await writeNote(this.#store, 'ready', 1, {});
    let late: readonly number[] = [];
    await this.#awaited(
      async () => {
        late = await missing();
        return late.length === 0 ? true : undefined;
      },
      this.#patience.startMs,
      () =>
        `${late.length === 1 ? 'shard' : 'shards'} ${late.join(', ')} of ${of} ${verb(late.length, 'is', 'are')} not ready`,
    );
    const startNs = nowNs() + (leadMs + this.#pollMs) * 1e6;
    await writeNote(this.#store, 'start', 1, { start_ns: startNs, ...start });
    return startNs;
  }

  /** Of the others: says that it is ready, and waits for the start. */
  async awaitStart(): Promise<Note<'start'>> {
    const { index, of } = this.shard;
    await writeNote(this.#store, 'ready', index, {});
    return this.#awaited(
      () => readNote(this.#store, 'start', 1),
      this.#patience.startMs,
      () => `shard 1 of ${of} has not started the load`,
    );
  }

  /** Tells the others to end the load. */
  async stop(reason: Note<'stop'>['reason']): Promise<void> {
    await writeNote(this.#store, 'stop', this.shard.index, { by: this.shard.index, reason });
  }

  /** Which shard ended the load early, and why; undefined while none has. */
  stopped(): Promise<Note<'stop'> | undefined> {
    return readNote(this.#store, 'stop', this.shard.index);
  }

  async done(note: Note<'done'>): Promise<void> {
    await writeNote(this.#store, 'done', this.shard.index, note);
  }

  /** Of the first: what the others leave, of those that leave it in time. */
  async awaitDone(): Promise<readonly Note<'done'>[]> {
    const endMs = performance.now() + this.#patience.doneMs;
    while (performance.now() < endMs && !this.#isGivenUp) {
      if (this.#without(await whoWrote(this.#store, 'done'), 2).length === 0) break;
      await sleep(this.#pollMs);
    }
    const notes = await Promise.all(
      [...(await whoWrote(this.#store, 'done'))]
        .sort((a, b) => a - b)
        .map((n) => readNote(this.#store, 'done', n)),
    );
    return notes.filter((note) => note !== undefined);
  }

  #without(there: ReadonlySet<number>, from = 1): readonly number[] {
    const { of } = this.shard;
    return Array.from({ length: of - from + 1 }, (_, n) => from + n).filter((n) => !there.has(n));
  }

  /** Waits for something that comes before the load. */
  async #awaited<T>(
    look: () => Promise<T | undefined>,
    patienceMs: number,
    missing: () => string,
  ): Promise<T> {
    const endMs = performance.now() + patienceMs;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      const stop = await this.stopped();
      if (stop !== undefined)
        throw targetError(
          `${stop.by === 0 ? 'tryon fleet' : `shard ${stop.by} of ${this.shard.of}`} ended the run before its load: ${stop.reason}`,
        );
      if (this.#isGivenUp) throw targetError(`interrupted: ${missing()}`);
      if (performance.now() >= endMs)
        throw targetError(`${missing()} after ${counted(Math.round(patienceMs / 1e3), 'second')}`);
      await sleep(this.#pollMs);
    }
  }
}

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { systemWords, TryonError, targetError, usageError } from '../../exit.ts';
import { runInfoSchema } from '../../history/run.ts';
import { parsedJson } from '../../target/json.ts';
import { roles } from '../../vocabulary/roles.ts';
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
export async function whoWrote(store: GatherStore, kind: 'ready' | 'done'): Promise<ReadonlySet<number>> {
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

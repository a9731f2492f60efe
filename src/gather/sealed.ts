import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';

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

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const secretBytes = 24;

/** A new session identifier: 128 random bits. */
export function newSessionId(): string {
  return `ts_${randomBytes(16).toString('base64url')}`;
}

/**
 * A new token for a session: its identifier and 192 random bits. The identifier saves an index over tokens, and lets
 * the channel tell an unknown token from another session's.
 */
export function newSessionToken(sessionId: string): string {
  return `${sessionId}.${randomBytes(secretBytes).toString('base64url')}`;
}

/** The session that a token claims to belong to; of a token of another form, nothing sensible. */
export function sessionIdOf(token: string): string {
  return token.slice(0, token.lastIndexOf('.'));
}

/** What is stored of a token. A plain hash suffices, since a token is too random to be guessed. */
export function tokenHash(token: string): Uint8Array {
  return hash('sha256', token, 'buffer');
}

export function tokenMatches(token: string, storedHash: Uint8Array): boolean {
  return timingSafeEqual(tokenHash(token), storedHash);
}

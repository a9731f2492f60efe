import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { artillery } from './artillery.ts';
import { hey } from './hey.ts';
import { k6 } from './k6.ts';
import type { Peer } from './peer.ts';
import { vegeta } from './vegeta.ts';
import { wrk } from './wrk.ts';

const known: readonly Peer[] = [wrk, hey, vegeta, k6, artillery];

export function isOnPath(command: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The peers that take part. What they use is measured by GNU time: without it there are none. */
export const peers: readonly Peer[] = isOnPath('time') ? known.filter(({ name }) => isOnPath(name)) : [];

/** The missing peers, in one line; undefined if none is missing. */
export function missingText(): string | undefined {
  const missing = known.filter((peer) => !peers.includes(peer)).map(({ name }) => name);
  if (missing.length === 0) return undefined;
  const why = isOnPath('time') ? 'not on the PATH' : 'not on the PATH, or GNU time is not';
  return `Not beside: ${missing.join(', ')} (${why})`;
}

import * as calls from '../../target/calls.ts';
import { sendsStep } from '../../vocabulary/probe-steps.ts';
import type { NearId } from '../../vocabulary/probes.ts';
import { contract } from './ask-contract.ts';
import { flipped, lastChanged } from './near-keys.ts';
import type { SetupOptions } from './setup-options.ts';

/** An id of fewer characters may be one step from that of another session. */
const leastLength = 16;

/** A number behind a sign, or alone: with a digit less, or one more, it may be that of another session. */
const endsInNumber = /(^|[^0-9A-Za-z])[0-9]+$/;

/**
 * Ids that resemble a session's and name none. Where an id has letters of one case alone, such as the digits of a UUID, either
 * case may name it: then the other case is left out.
 */
export function nearSessionIds(id: string): ReadonlyMap<NearId, string> {
  const altered = new Map<NearId, string>();
  if (id.length < leastLength) return altered;
  altered.set('last-changed', lastChanged(id));
  if (!endsInNumber.test(id)) altered.set('cut-by-1', id.slice(0, -1)).set('longer', `${id}0`);
  if (/[a-z]/.test(id) && /[A-Z]/.test(id)) altered.set('case', flipped(id));
  return altered;
}

/** A session that exists, without a valid key; and with the load key by ids that resemble its own. */
export async function probeOwnSession(options: SetupOptions, sessionId: string): Promise<void> {
  const read = calls.readSession(sessionId);
  if (sendsStep('authentication', options.onlyProbes))
    for (const [credential, probe] of [
      ['none', 'no-key:read-session'],
      ['bad', 'bad-key:read-session'],
    ] as const)
      await contract(options, read, { credential, probe });
  if (sendsStep('notFound', options.onlyProbes))
    for (const [kind, id] of nearSessionIds(sessionId))
      await contract(options, calls.readSession(id), { credential: 'load', probe: `near-session:${kind}` });
}

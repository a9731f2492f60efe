import type { Context } from '../alterations.ts';
import type { RequestLimit } from '../limiters.ts';
import type { Authenticator, Caller } from '../parts.ts';
import { type Defect, plant } from './defect.ts';

/** A7: the load that the lookup of keys can carry, as a multiple of the promised request rate. */
const bearableLoad = 1.4;
/** A7: load is what arrived within the last of this many equal parts of the rate limit's window. */
const partsOfWindow = 2;

export const authDefects: readonly Defect[] = [
  // A key is checked only if there is one.
  plant('A1', 1, 'A request without an API key is served', {
    authenticator(honest, { keys }) {
      const tenant = firstTenant(honest, keys);
      return {
        identify: (apiKey, endpoint) => (apiKey === undefined ? tenant : honest.identify(apiKey, endpoint)),
      };
    },
  }),

  // The owner of a key is used without a test whether there is one.
  plant('A2', 1, 'An unknown API key gets 500 instead of 401', {
    authenticator: ({ identify }) => ({
      identify(apiKey, endpoint) {
        const caller = identify(apiKey, endpoint);
        if (apiKey !== undefined && caller === undefined) throw new TypeError('the key has no owner');
        return caller;
      },
    }),
  }),

  // Analytics were added later, outside the guard of the other endpoints.
  plant('A4', 2, 'GET /analytics/sessions needs no API key', {
    authenticator(honest, { keys }) {
      const tenant = firstTenant(honest, keys);
      return {
        identify: (apiKey, endpoint) =>
          honest.identify(apiKey, endpoint) ??
          (endpoint === 'GET /v1/analytics/sessions' ? tenant : undefined),
      };
    },
  }),

  // A session is looked up by its id alone, without its account.
  plant('A5', 3, "A session can be read with another tenant's API key", {
    sessions({ read }, { database }) {
      const findOwner = database.query<{ account: number }>(
        'SELECT account FROM sessions WHERE public_id = ?',
      );
      return {
        read: (caller, sessionId) =>
          read({ ...caller, accountId: findOwner.get(sessionId)?.account ?? caller.accountId }, sessionId),
      };
    },
  }),

  // Under load, looking up a key takes longer than the service waits; then every key passes.
  plant('A7', 4, 'Under load, an unknown API key is accepted', {
    authenticator(honest, { clock, keys, rateLimit }) {
      const tenant = firstTenant(honest, keys);
      const arrive = overload(rateLimit);
      return {
        identify(apiKey, endpoint) {
          const overloaded = arrive(clock.monotonicMs());
          const caller = honest.identify(apiKey, endpoint);
          return caller ?? (overloaded && apiKey !== undefined ? tenant : undefined);
        },
      };
    },
  }),
];

/** The account of an unknown caller: the first tenant, whose data it sees. Its requests are counted separately. */
function firstTenant(honest: Authenticator, keys: Context['keys']): Caller {
  const caller = honest.identify(keys[0]?.secret, '');
  if (caller === undefined) throw new Error('a service without keys has no first tenant');
  return { ...caller, keyLabel: 'somebody' };
}

/** Counts arrivals of all callers, and says whether there were too many of late. */
function overload({ requests, windowMs }: RequestLimit): (nowMs: number) => boolean {
  const arrivalsMs: number[] = [];
  return (nowMs) => {
    arrivalsMs.push(nowMs);
    while (nowMs - (arrivalsMs[0] ?? nowMs) >= windowMs / partsOfWindow) arrivalsMs.shift();
    return arrivalsMs.length > (bearableLoad * requests) / partsOfWindow;
  };
}

import type { ServiceOptions } from '../../options.ts';
import type { Authenticator, Caller } from '../../parts.ts';
import type { Alterations } from '../../server.ts';

/**
 * The account of an unknown caller: the first tenant, whose data it sees. Its requests are counted separately.
 */
export function firstTenant(authenticator: Authenticator, { keys }: Pick<ServiceOptions, 'keys'>): Caller {
  const caller = authenticator.identify(keys[0]?.secret, '');
  if (caller === undefined) throw new Error('a service without keys has no first tenant');
  return { ...caller, keyLabel: 'somebody' };
}

type Identify = Authenticator['identify'];

/**
 * A service that checks keys differently. `looking`: the check, given the honest check and the first tenant.
 */
export function lookingAtKeys(looking: (honest: Identify, tenant: Caller) => Identify): Alterations {
  return {
    parts(parts, _database, options) {
      const { authenticator } = parts;
      const honest: Identify = (apiKey, endpoint) => authenticator.identify(apiKey, endpoint);
      return { ...parts, authenticator: { identify: looking(honest, firstTenant(authenticator, options)) } };
    },
  };
}

import type { ServiceOptions } from '../../options.ts';
import type { Authenticator, Caller } from '../../parts.ts';

/**
 * Whom a service that does not know its caller takes him for: the first tenant that it ever had, whose data he gets to
 * see. His requests are counted by themselves.
 */
export function firstTenant(authenticator: Authenticator, { keys }: Pick<ServiceOptions, 'keys'>): Caller {
  const caller = authenticator.identify(keys[0]?.secret, '');
  if (caller === undefined) throw new Error('a service without keys has no first tenant');
  return { ...caller, keyLabel: 'somebody' };
}

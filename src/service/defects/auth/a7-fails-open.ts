import type { RateLimit } from '../../limiters/limiter.ts';
import type { Defect } from '../defect.ts';
import { firstTenant } from './first-tenant.ts';

/** The load that the look-up of keys can carry, as a multiple of the promised request rate. */
const bearable = 1.4;
/** Load is what arrived within the last of this many equal parts of the rate limit's window. */
const partsOfWindow = 2;

/** Under load, looking up a key takes longer than the service waits; then every request passes. */
export const failsOpen: Defect = {
  id: 'A7',
  grade: 4,
  title: 'Under load, an unknown API key is accepted',
  alterations: {
    parts(parts, _database, options) {
      const { authenticator } = parts;
      const tenant = firstTenant(authenticator, options);
      const arrive = overload(options.rateLimit);
      return {
        ...parts,
        authenticator: {
          identify(apiKey, endpoint) {
            const overloaded = arrive(options.clock.monotonicMs());
            const caller = authenticator.identify(apiKey, endpoint);
            return caller ?? (overloaded && apiKey !== undefined ? tenant : undefined);
          },
        },
      };
    },
  },
};

/** Counts arrivals, of whomever, and tells whether there have been too many of late. */
function overload({ requests, windowMs }: RateLimit): (nowMs: number) => boolean {
  const arrivalsMs: number[] = [];
  return (nowMs) => {
    arrivalsMs.push(nowMs);
    while (nowMs - (arrivalsMs[0] ?? nowMs) >= windowMs / partsOfWindow) arrivalsMs.shift();
    return arrivalsMs.length > (bearable * requests) / partsOfWindow;
  };
}

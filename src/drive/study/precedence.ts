import type { Catalog } from '../../catalog/catalog.ts';
import * as calls from '../../target/calls.ts';
import { studyPhases } from '../../vocabulary/phases.ts';
import { plainSession } from '../ask/sample.ts';
import { aboutItsCall, type Prober } from './sending/prober.ts';
import { exhaust } from './sending/scope.ts';

const volleys = { few: { count: 5, size: 4 }, many: { count: 3, size: 16 } } as const;

/** Requests that the volleys take at most, with two in each to see whether the limit is spent. */
export const requestsOfPrecedence = Object.values(volleys).reduce(
  (sum, { count, size }) => sum + count * (size + 2),
  0,
);

/**
 * Spends the rate limit of the key over quota, then requests sessions, some at once, to see whether 402 or 429 comes
 * first. If both come, it sends many at once: a place that became free excuses one answer, not most.
 */
export async function tryPrecedence({
  prober,
  limit,
  catalog,
}: {
  readonly prober: Prober;
  readonly limit: number;
  readonly catalog: Catalog;
}): Promise<void> {
  const control = aboutItsCall(calls.listShades(catalog.id), {
    credential: 'quota',
    phase: studyPhases.precedence,
    probe: 'scope:control',
  });
  if (!(await exhaust({ prober, limit, control, tries: new Map() }))) return;
  const session = aboutItsCall(plainSession(catalog), {
    credential: 'quota',
    phase: studyPhases.precedence,
    probe: 'precedence:create-session',
  });
  const came = new Set<number | undefined>();
  for (const { count, size } of [volleys.few, volleys.many]) {
    for (let volley = 0; volley < count; volley++) {
      const sessions = Array.from({ length: size }, () => session);
      const replies = await prober.volley([control, ...sessions, control]);
      for (const { exchange } of replies.slice(1, -1)) came.add(exchange.status);
    }
    if (came.size < 2) return;
  }
}

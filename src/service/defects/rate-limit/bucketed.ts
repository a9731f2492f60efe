import type { Approach, ServiceParts } from '../../parts.ts';

/** Has each request spend from the bucket of this name. Honestly, that is the label of its key. */
export function bucketed(parts: ServiceParts, nameOf: (approach: Approach) => string): ServiceParts {
  const { rateLimiter } = parts;
  return {
    ...parts,
    rateLimiter: {
      take: (approach) =>
        rateLimiter.take({ ...approach, caller: { ...approach.caller, keyLabel: nameOf(approach) } }),
    },
  };
}

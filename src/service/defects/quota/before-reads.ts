import type { Caller, ServiceParts } from '../../parts.ts';

/** Does something first whenever a caller reads a catalog, a session or analytics. */
export function beforeReads(parts: ServiceParts, spend: (caller: Caller) => void): ServiceParts {
  const { catalogs, sessions, analytics } = parts;
  return {
    ...parts,
    catalogs: {
      ...catalogs,
      list(caller, catalogId) {
        spend(caller);
        return catalogs.list(caller, catalogId);
      },
    },
    sessions: {
      ...sessions,
      read(caller, sessionId) {
        spend(caller);
        return sessions.read(caller, sessionId);
      },
    },
    analytics: {
      report(caller, period, productId) {
        spend(caller);
        return analytics.report(caller, period, productId);
      },
    },
  };
}

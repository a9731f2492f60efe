import type { Caller, ServiceParts } from '../../parts.ts';

/** Does something first whenever a caller reads a catalog, a session or analytics. */
export function beforeReads(parts: ServiceParts, act: (caller: Caller) => void): ServiceParts {
  const { catalogs, sessions, analytics } = parts;
  return {
    ...parts,
    catalogs: {
      ...catalogs,
      list(caller, catalogId) {
        act(caller);
        return catalogs.list(caller, catalogId);
      },
    },
    sessions: {
      ...sessions,
      read(caller, sessionId) {
        act(caller);
        return sessions.read(caller, sessionId);
      },
    },
    analytics: {
      report(caller, period, productId) {
        act(caller);
        return analytics.report(caller, period, productId);
      },
    },
  };
}

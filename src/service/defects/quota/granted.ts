import type { Caller, ServiceParts } from '../../parts.ts';

/** Has sessions be opened as though the caller's plan allowed another number of them. */
export function granted(parts: ServiceParts, quotaOf: (caller: Caller) => number): ServiceParts {
  const { sessions } = parts;
  return {
    ...parts,
    sessions: {
      ...sessions,
      open: (caller, request) => sessions.open({ ...caller, sessionQuota: quotaOf(caller) }, request),
    },
  };
}

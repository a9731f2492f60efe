import { admitted } from '../found.ts';

/**
 * SQL: an attempt that may or may not have opened a session: no answer came, or one that says only that something
 * went wrong on the way.
 */
export const ambiguous = '(lost IS NOT NULL OR status >= 500)';

/** SQL: an attempt that was or may have been answered with a session. */
export const possible = `(${admitted} OR ${ambiguous})`;

import type { CheckGroup } from '../vocabulary/check-ids.ts';
import { analyticsEntries } from './catalogue/analytics.ts';
import { auditEntries } from './catalogue/audit.ts';
import { contractEntries } from './catalogue/contract.ts';
import type { CheckEntry, Entries } from './catalogue/entry.ts';
import { quotaEntries } from './catalogue/quota.ts';
import { rateLimitEntries } from './catalogue/rate-limit.ts';
import { errorEntry, leftOutEntry, runEntries } from './catalogue/run.ts';
import { sloEntry, speedEntries } from './catalogue/speed.ts';

type Several = 'latency.slo' | '<group>.error' | '<group>.left-out';

/** Every check with what a reader has to know about it: `docs/checks.md` is made of it. */
export const checkCatalogue = {
  ...contractEntries,
  ...rateLimitEntries,
  ...quotaEntries,
  ...analyticsEntries,
  ...auditEntries,
  'latency.slo': sloEntry,
  ...speedEntries,
  ...runEntries,
  '<group>.error': errorEntry,
  '<group>.left-out': leftOutEntry,
} as const satisfies Entries<CheckGroup> & Readonly<Record<Several, CheckEntry>>;

/** The name of an entry: an id, or the part that several ids have in common. */
export type EntryName = keyof typeof checkCatalogue;

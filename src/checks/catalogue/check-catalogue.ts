import { counted, number, seconds } from '../../amounts.ts';
import type { CheckGroup, CheckId } from '../../vocabulary/check-ids.ts';
import { type ParamsOf, worded } from '../reasons/words/wording.ts';
import { analyticsEntries } from './analytics.ts';
import { auditEntries } from './audit.ts';
import { contractEntries } from './contract.ts';
import type { CheckEntry, Entries } from './entry.ts';
import { quotaEntries } from './quota.ts';
import { rateLimitEntries } from './rate-limit.ts';
import { errorEntry, leftOutEntry, runEntries } from './run.ts';
import { sloEntry, speedEntries } from './speed.ts';

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

/** Titles with figures of the run; every other check has the title of its entry in the catalogue. */
export const titlesWithFigures = {
  'rate-limit.admitted': ({ windowMs }: { windowMs: number }) =>
    `Admissions within any ${seconds(windowMs)} stay within what the limit allows`,
  'rate-limit.enforced': ({ requests, windowMs }: { requests: number; windowMs: number }) =>
    `Beyond ${counted(requests, 'request')} in ${seconds(windowMs)}, requests get 429`,
  'latency.large-list': ({ boundMs, isPaged }: { isPaged: boolean; boundMs: number }) =>
    `${isPaged ? 'A page of the list' : 'The list'} of the largest single import takes at most ${number(boundMs)} ms`,
  'latency.slo': (params: {
    endpoint: string | null;
    phase: string | null;
    percentile: string;
    maxMs: number;
  }) =>
    `Response time of ${params.endpoint ?? 'all endpoints'}${params.phase === null ? '' : ` in “${params.phase}”`}: ${params.percentile} at most ${number(params.maxMs)} ms`,
  '<group>.error': ({ group }: { group: string }) => `The ${group} checks can be computed`,
  '<group>.left-out': ({ question }: { question: string }) => question,
} as const satisfies Partial<Record<EntryName, unknown>>;

type TitleName = keyof typeof titlesWithFigures;
export type TitleParams = {
  readonly [Name in TitleName]: ParamsOf<(typeof titlesWithFigures)[Name]>;
}[TitleName];

/** The property that a check judges, without a full stop. */
export function titleOf(id: CheckId, params?: TitleParams): string {
  const name = entryNameOf(id);
  if (params === undefined) return checkCatalogue[name].title;
  // A finding's params are those of its title.
  return worded(titlesWithFigures[name as TitleName], params);
}

function entryNameOf(id: CheckId): EntryName {
  if (id in checkCatalogue) return id as EntryName;
  if (id.startsWith('latency.slo.')) return 'latency.slo';
  return id.endsWith('.error') ? '<group>.error' : '<group>.left-out';
}

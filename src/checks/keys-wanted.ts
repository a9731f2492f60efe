import type { RunInfo } from '../history/run.ts';
import type { Role } from '../target/profile.ts';
import type { CheckGroup, CheckId } from './check-ids.ts';
import type { CheckResult } from './verdict.ts';

/** What was not judged, wholly or in part, because no key was given for a role. */
export interface KeyWanted {
  readonly what: CheckId | CheckGroup;
  readonly role: Role;
  /** Something was judged without the key: this was not all of it. */
  readonly isPart: boolean;
}

interface Need {
  readonly what: CheckId | CheckGroup;
  readonly role: Role;
  /** Whether the run asks for it, so that a key is all that it lacks. */
  readonly isAsked: (run: Run, result: CheckResult | undefined) => boolean;
}

type Run = Pick<RunInfo, 'catalogs' | 'checks' | 'keys' | 'quota_attempts' | 'studies'>;

const studies =
  (wanted: string) =>
  ({ studies: all = [] }: Run): boolean =>
    all.some(({ kind }) => kind === wanted);

const needs: readonly Need[] = [
  { what: 'contract.tenancy', role: 'bystander', isAsked: ({ catalogs }) => catalogs.length > 0 },
  // It is among the results of every run that goes past the limit on purpose, and of no other without this key.
  { what: 'rate-limit.isolation', role: 'bystander', isAsked: (_run, result) => result !== undefined },
  { what: 'rate-limit.scope', role: 'bystander', isAsked: studies('limits') },
  { what: 'quota', role: 'quota', isAsked: ({ quota_attempts }) => quota_attempts > 0 },
  { what: 'quota.sharing', role: 'bystander', isAsked: studies('quota') },
  { what: 'quota.sharing', role: 'twin', isAsked: studies('quota') },
];

/** What a run asked for and could not judge for want of a key. */
export function keysWanted(run: Run, results: readonly CheckResult[]): KeyWanted[] {
  const hasNoQuotaKey = run.keys.quota === undefined;
  return needs.flatMap(({ isAsked, role, what }) => {
    const [group = ''] = what.split('.');
    const result = results.find(({ id }) => id === what);
    if (run.keys[role] !== undefined || !run.checks.some((each) => each === group)) return [];
    if (!isAsked(run, result)) return [];
    // Without the quota key nothing of the quota is judged, and that is said once.
    if (group === 'quota' && role !== 'quota' && hasNoQuotaKey) return [];
    return [{ what, role, isPart: result !== undefined && result.verdict !== 'inconclusive' }];
  });
}

import type { RunInfo } from '../../history/run.ts';
import type { CheckGroup, CheckId } from '../../vocabulary/check-ids.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { CheckFinding } from './verdict.ts';

/** A check or group that was not judged, or only in part, because a role has no key. */
interface KeyWanted {
  readonly what: CheckId | CheckGroup;
  readonly role: Role;
  /** A part was judged without the key. */
  readonly isPart: boolean;
}

interface KeyNeed {
  readonly what: CheckId | CheckGroup;
  readonly role: Role;
  /** Whether the run includes it, so that only the key is missing. */
  readonly isAsked: (run: Run, result: JudgedCheck | undefined) => boolean;
}

type JudgedCheck = Pick<CheckFinding, 'id' | 'verdict'>;
type Run = Pick<RunInfo, 'catalogs' | 'checks' | 'keys' | 'quota_attempts' | 'studies'>;

const studies =
  (wanted: string) =>
  ({ studies: all = [] }: Run): boolean =>
    all.some(({ kind }) => kind === wanted);

const needs: readonly KeyNeed[] = [
  { what: 'contract.tenancy', role: 'bystander', isAsked: ({ catalogs }) => catalogs.length > 0 },
  // Without this key, only runs that exceed the limit on purpose have this result.
  { what: 'rate-limit.isolation', role: 'bystander', isAsked: (_run, result) => result !== undefined },
  { what: 'rate-limit.scope', role: 'bystander', isAsked: studies('limits') },
  { what: 'quota', role: 'quota', isAsked: ({ quota_attempts }) => quota_attempts > 0 },
  { what: 'quota.sharing', role: 'bystander', isAsked: studies('quota') },
  { what: 'quota.sharing', role: 'twin', isAsked: studies('quota') },
];

/** What a run includes and could not judge because a key is missing. */
export function keysWanted(run: Run, results: readonly JudgedCheck[]): KeyWanted[] {
  const hasNoQuotaKey = run.keys.quota === undefined;
  return needs.flatMap(({ isAsked, role, what }) => {
    const [group = ''] = what.split('.');
    const result = results.find(({ id }) => id === what);
    if (run.keys[role] !== undefined || !run.checks.some((each) => each === group)) return [];
    if (!isAsked(run, result)) return [];
    // Without the quota key nothing of the quota is judged: one entry says so.
    if (group === 'quota' && role !== 'quota' && hasNoQuotaKey) return [];
    return [{ what, role, isPart: result !== undefined && result.verdict !== 'inconclusive' }];
  });
}

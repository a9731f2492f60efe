import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { RunInfo } from '../../history/run.ts';
import type { CheckGroup, CheckId } from '../../vocabulary/check-ids.ts';
import type { Role } from '../../vocabulary/roles.ts';
import { reason } from '../reasons/reason.ts';
import { isProbe } from './probes.ts';
import { type CheckFinding, withReasons } from './verdict.ts';

const unansweredRow = z.object({
  endpoint: z.string(),
  is_probe: z.boolean(),
  requests: z.number(),
});
type UnansweredRequests = z.output<typeof unansweredRow>;

/** Requests that went out and got no answer: nothing is concluded from them, whatever a check is about. Not before the target was ready. */
export function unansweredIn(history: History): Promise<readonly UnansweredRequests[]> {
  return history.rows(
    unansweredRow,
    `SELECT endpoint, probe IS NOT NULL AS is_probe, count(*) AS requests FROM requests
     WHERE sent_ns IS NOT NULL AND status IS NULL AND lost IS NOT NULL AND NOT ${isProbe('ready')}
     GROUP BY ALL ORDER BY requests DESC, endpoint`,
  );
}

/** Which of them could bear on a check. Those of a group that is left out here are counted by its checks themselves. */
const about: Partial<Readonly<Record<CheckGroup, (request: UnansweredRequests) => boolean>>> = {
  contract: () => true,
  'rate-limit': () => true,
  quota: ({ endpoint }) => endpoint === 'create-session',
  analytics: ({ endpoint }) => endpoint !== 'list-shades' && endpoint !== 'import-shades',
  latency: ({ is_probe }) => !is_probe,
};

/** A pass names the requests without an answer, which might have turned it. */
export function withUnanswered(
  finding: CheckFinding,
  group: CheckGroup,
  unanswered: readonly UnansweredRequests[],
): CheckFinding {
  const own = finding.verdict === 'pass' ? unanswered.filter((each) => about[group]?.(each)) : [];
  if (own.length === 0) return finding;
  const byEndpoint = Map.groupBy(own, ({ endpoint }) => endpoint);
  return withReasons(
    finding,
    reason('unanswered-left-out', {
      requests: own.reduce((sum, { requests }) => sum + requests, 0),
      endpoints: [...byEndpoint.keys()],
    }),
  );
}

/** What can be said only of all requests of a run: who does not know some of them would blame the target for these. */
const ofAllRequests: readonly CheckGroup[] = ['rate-limit', 'quota', 'analytics', 'capacity'];

/** What a shard has sent that left no history, or a torn one, is unknown. What the others show of single answers still counts. */
export function withLostShards(
  finding: CheckFinding,
  group: CheckGroup,
  { shards = [] }: RunInfo,
): CheckFinding {
  const { verdict } = finding;
  const lost = shards.flatMap(({ state }, n) => (state === 'whole' ? [] : [n + 1]));
  if (lost.length === 0 || verdict === 'inconclusive') return finding;
  // Without the first it is unknown what set-up has imported and made.
  const isJudged = !ofAllRequests.includes(group) && (!lost.includes(1) || group !== 'contract');
  if (isJudged && (verdict === 'fail' || group !== 'contract')) return finding;
  const { causes: _, ...rest } = finding;
  return {
    ...rest,
    verdict: 'inconclusive',
    reasons: [reason('shards-lost', { lost, of: shards.length, verdict }), ...finding.reasons],
  };
}

/**
 * The most by which instants of two different shards may be wrong together, nanoseconds; 0 in a run of one program. An
 * answer to one came before another was sent only if more than this lies between them.
 */
export function apartNs(run: Pick<RunInfo, 'shards'>): number {
  return 2 * clockErrorNs(run);
}

/** The most by which an instant of any shard may be wrong, nanoseconds. */
export function clockErrorNs({ shards = [] }: Pick<RunInfo, 'shards'>): number {
  return Math.max(0, ...shards.map(({ clock_error_ns: errorNs = 0 }) => errorNs));
}

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

import type { RunInfo } from '../../history/run.ts';
import type { CheckGroup } from '../../vocabulary/check-ids.ts';
import { reason } from '../reasons/reason.ts';
import type { CheckFinding } from './verdict.ts';

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

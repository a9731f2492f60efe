import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { CheckGroup } from '../../vocabulary/check-ids.ts';
import { reason } from '../reasons/reason.ts';
import { isProbe } from './probe-names.ts';
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

import { counted, number } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { caused, shown } from '../diagnosis/cause.ts';
import { type ProbeRow, unanswered } from '../probes.ts';
import { type CheckResult, evidence, type Verdict } from '../verdict.ts';
import { keyCauses, wayOf } from './key-causes.ts';

/**
 * A key that was never issued is refused also while more arrives than the promised rate. A 429 says nothing: who comes
 * first, the look at the key or the limiter, is not promised. Nothing where the load never went that far.
 */
export function checkAuthUnderLoad(
  probes: readonly ProbeRow[],
  { run, profile }: Pick<History, 'run' | 'profile'>,
): CheckResult[] {
  const asked = probes.filter((row) => row.probe === 'loaded:bad-key');
  const { requests, windowMs } = profile.rate_limit;
  const perMinute = (requests * 60_000) / windowMs;
  const isLoaded = run.phases.some((phase) => (phase.peak_per_minute ?? 0) > perMinute);
  if (asked.length === 0 && !isLoaded) return [];
  const answered = asked.filter((row) => unanswered(row) === undefined);
  const refused = answered.filter((row) => row.status === 401);
  const broken = answered.filter((row) => row.status !== null && row.status >= 500);
  const wrong = answered.filter((row) => !refused.includes(row) && !broken.includes(row));
  const letIn = wrong.filter((row) => wayOf(row) === 'let-in');
  const verdict: Verdict = wrong.length > 0 ? 'fail' : refused.length === 0 ? 'inconclusive' : 'pass';
  const statuses: Record<string, number> = {};
  for (const { status } of answered) statuses[String(status)] = (statuses[String(status)] ?? 0) + 1;
  return [
    {
      id: 'contract.auth-under-load',
      title: 'An invalid key is not accepted under load',
      verdict,
      expected: 401,
      observed: { asked: asked.length, answered: statuses },
      explanation:
        verdict === 'fail'
          ? `While the service was loaded past its limit, a key that was never issued got ${[...new Set(wrong.map((row) => row.status))].join(', ')} in place of 401: ${number(wrong.length)} of ${counted(answered.length, 'answer')}.`
          : verdict === 'inconclusive'
            ? `Whether an invalid key is let in under load is not known: ${asked.length === 0 ? 'none was tried' : `${counted(asked.length, 'request')} with one, none of which was answered with 401 or with what only a valid key should get`}.`
            : `While the service was loaded past its limit, ${number(refused.length)} of ${counted(asked.length, 'request')} with a key that was never issued got 401, and none was let in.`,
      evidence: [
        ...(wrong.length === 0
          ? []
          : [
              evidence(
                'let in, or not refused with 401',
                wrong.map((row) => row.seq),
              ),
            ]),
        ...(refused.length === 0
          ? []
          : [
              evidence(
                'refused with 401',
                refused.map((row) => row.seq),
              ),
            ]),
      ],
      ...caused([
        ...(letIn.length === 0
          ? []
          : [
              shown(
                'key-not-checked-under-load',
                { accepted: letIn.length },
                letIn.map((row) => row.seq),
              ),
            ]),
        ...keyCauses(wrong.filter((row) => !letIn.includes(row))),
      ]),
    },
  ];
}

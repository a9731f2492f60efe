import type { History } from '../../../history/history.ts';
import { shown } from '../../causes/cause.ts';
import { is2xx, type ProbeRow, unanswered } from '../../core/probes.ts';
import { type CheckFinding, counted, evidence } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';

/**
 * An unknown key is rejected also while more arrives than the promised rate. A 429 says nothing: whether the key or the
 * limit is checked first is not promised. No finding where the load never exceeds the limit.
 */
export function checkAuthUnderLoad(
  probes: readonly ProbeRow[],
  { run, profile }: Pick<History, 'run' | 'profile'>,
): CheckFinding[] {
  const sent = probes.filter((row) => row.probe === 'loaded:bad-key');
  const { requests, windowMs } = profile.rate_limit;
  const perMinute = (requests * 60_000) / windowMs;
  const isLoaded = run.phases.some((phase) => (phase.peak_per_minute ?? 0) > perMinute);
  if (sent.length === 0 && !isLoaded) return [];
  const answered = sent.filter((row) => unanswered(row) === undefined);
  const rejected = answered.filter((row) => row.status === 401);
  const broken = answered.filter((row) => row.status !== null && row.status >= 500);
  const wrong = answered.filter((row) => !rejected.includes(row) && !broken.includes(row));
  const accepted = wrong.filter(is2xx).map(({ seq }) => seq);
  const statuses: Record<string, number> = {};
  for (const { status } of answered) statuses[String(status)] = (statuses[String(status)] ?? 0) + 1;
  return [
    counted({
      id: 'contract.auth-under-load',
      judged: rejected.length,
      observed: { sent: sent.length, answered: statuses },
      wrong: [
        {
          ...evidence(
            'let in, or another status than 401',
            wrong.map(({ seq }) => seq),
          ),
          reason: reason('auth-under-load-status', {
            statuses: [...new Set(wrong.map((row) => row.status))],
            wrong: wrong.length,
            answers: answered.length,
          }),
          ...(accepted.length > 0 && {
            cause: shown('key-not-checked-under-load', { accepted: accepted.length }, accepted),
          }),
        },
      ],
      passed: () => reason('auth-under-load-401', { rejected: rejected.length, requests: sent.length }),
      nothing: () =>
        sent.length === 0
          ? reason('auth-under-load-not-tried')
          : reason('auth-under-load-unclear', { requests: sent.length }),
    }),
  ];
}

import { z } from 'zod';
import { counted, noneOf, number } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { caused, fits } from '../diagnosis/cause.ts';
import { evidenceOf, find, firstSeqs, seqsColumn } from '../found.ts';
import type { CheckResult, Evidence, Verdict } from '../verdict.ts';

/** Fewer requests than this make no share: one lost answer would be over any bound. */
const fewestRequests = 20;

const outcomeRow = z.object({ kind: z.string().nullable(), total: z.number(), seqs: seqsColumn });

/** How each kind of failure is shown. */
const words: Readonly<Record<string, string>> = {
  timeout: 'timed out',
  reset: 'broken off',
  protocol: 'answered with what is not HTTP',
  'no-connection': 'refused a connection',
};

/**
 * Ordinary requests get an answer, whatever it is. What the harness itself gave up (the run was stopped, too many in
 * flight) is left out, and so is what met a connection that the target had closed for its idleness, as it may; a
 * connection that could not be opened is the target's refusal.
 */
export async function checkAvailability(history: History): Promise<CheckResult> {
  const bound = history.profile.lost_bound;
  const outcomes = await history.rows(
    outcomeRow,
    `SELECT coalesce(lost, not_sent) AS kind, count(*) AS total, ${firstSeqs} AS seqs FROM requests
     WHERE probe IS NULL AND (status IS NOT NULL OR lost IN ('timeout', 'reset', 'protocol') OR not_sent = 'no-connection')
     GROUP BY ALL ORDER BY total DESC, kind`,
  );
  const tried = outcomes.reduce((sum, { total }) => sum + total, 0);
  const failures = outcomes.flatMap(({ kind, ...rest }) => (kind === null ? [] : [{ kind, ...rest }]));
  const failed = failures.reduce((sum, { total }) => sum + total, 0);
  const share = tried === 0 ? 0 : failed / tried;
  const idle = await find(history, "probe IS NULL AND lost = 'closed-idle'");
  const verdict: Verdict =
    tried === 0 ? 'inconclusive' : share <= bound ? 'pass' : tried < fewestRequests ? 'inconclusive' : 'fail';
  const kinds = failures.map(({ kind, total }) => `${number(total)} ${words[kind] ?? kind}`).join(', ');
  const numbers = `${number(failed)} of ${counted(tried, 'ordinary request')} got no answer${failed === 0 ? '' : ` (${kinds})`}`;
  return {
    id: 'contract.availability',
    title: 'Ordinary requests are answered',
    verdict,
    expected: { 'share without an answer': { max: bound } },
    observed: {
      requests: tried,
      'without an answer': failed,
      'share without an answer': Math.round(share * 1e6) / 1e6,
      ...Object.fromEntries(failures.map(({ kind, total }) => [kind, total])),
      ...(idle.total === 0 ? {} : { 'not counted: idle connection closed': idle.total }),
    },
    explanation: `${explanationOf({ verdict, tried, failed, numbers, bound })}${idleText(idle.total)}`,
    evidence: [
      ...failures.map(
        ({ kind, total, seqs }): Evidence => ({ what: `requests ${words[kind] ?? kind}`, seqs, total }),
      ),
      ...evidenceOf('sent as the target closed the idle connection', idle),
    ],
    ...(verdict === 'fail' &&
      caused([
        fits(
          'requests-unanswered',
          { requests: failed, of: tried, how: failures.map(({ kind }) => words[kind] ?? kind) },
          failures.flatMap(({ seqs }) => seqs),
        ),
      ])),
  };
}

/** A target may close a connection that is not in use; a request that is on its way then is nobody's fault. */
function idleText(total: number): string {
  return total === 0
    ? ''
    : ` ${counted(total, 'more request')} met an idle connection that the target had just closed, and ${total === 1 ? 'does' : 'do'} not count; ${total === 1 ? 'it was not safe to send it' : 'they were not safe to send'} again.`;
}

function explanationOf({
  bound,
  failed,
  numbers,
  tried,
  verdict,
}: {
  readonly verdict: Verdict;
  readonly tried: number;
  readonly failed: number;
  readonly numbers: string;
  readonly bound: number;
}): string {
  if (tried === 0) return 'No ordinary request was sent.';
  const allowed = `the ${shownShare(bound)} that the profile allows (lost_bound)`;
  switch (verdict) {
    case 'pass':
      return `${numbers}, within ${allowed}${failed === 0 ? `; ${noneOf(tried)}` : ''}.`;
    case 'fail':
      return `${numbers}, over ${allowed}.`;
    case 'inconclusive':
      return `${numbers}, over ${allowed}, but fewer than ${fewestRequests} requests make no share.`;
  }
}

/** `1 %`, `0.25 %`. */
function shownShare(share: number): string {
  return `${Number((share * 100).toFixed(4))} %`;
}

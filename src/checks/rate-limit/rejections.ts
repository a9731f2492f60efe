import { type CheckResult, evidence, type Shown, type Verdict } from '../verdict.ts';
import { judgeRetryAfter, type RetryAfterJudgement } from './retry-after.ts';
import type { SentRequest } from './streams.ts';
import { count, requests, seconds } from './words.ts';

/** What refusals cost in time, and whether the headers that come with them can be true. */
export function judgeRejections(
  sent: readonly SentRequest[],
  windowNs: number,
  zeroEpochMs: number,
): CheckResult {
  const refused = sent.filter((each) => each.status === 429);
  const [first] = refused;
  const last = refused.at(-1);
  const head = {
    id: 'rate-limit.rejections',
    title: 'Refusals are quick and their headers plausible',
    expected: { retry_after: `absent, or a wait of at most about ${seconds(windowNs)}` },
  } as const;
  if (first === undefined || last === undefined) {
    return {
      ...head,
      verdict: 'inconclusive',
      observed: { limited: 0 },
      explanation: 'Nothing was refused.',
      evidence: [],
    };
  }
  const beside = sent.filter(
    (each) => isSuccess(each) && each.sent_ns >= first.sent_ns && each.sent_ns <= last.sent_ns,
  );
  const judged = refused.flatMap((each) => {
    if (each.retry_after === null) return [];
    return [
      {
        seq: each.seq,
        text: each.retry_after,
        ...judgeRetryAfter(each.retry_after, each, windowNs, zeroEpochMs),
      },
    ];
  });
  const impossible = judged.filter((each) => each.plausibility === 'impossible');
  const doubtful = judged.filter((each) => each.plausibility === 'doubtful');
  const verdict: Verdict = impossible.length > 0 ? 'fail' : 'pass';
  const named = [...new Set(refused.flatMap((each) => headerNames(each.limit_headers)))].toSorted();
  return {
    ...head,
    verdict,
    observed: {
      limited: refused.length,
      service_time_ms: { 429: percentiles(refused), '2xx': percentiles(beside) },
      with_retry_after: judged.length,
      limit_headers: named,
    },
    explanation: `${explain(impossible[0] ?? doubtful[0], impossible.length || doubtful.length)}${
      judged.length === 0
        ? 'No 429 carried Retry-After, which the interface does not promise.'
        : `${count(judged.length)} of ${requests(refused.length)} refused carried Retry-After.`
    }`,
    evidence: [
      ...(impossible.length > 0
        ? [
            evidence(
              'Retry-After that cannot be true',
              impossible.map((each) => each.seq),
            ),
          ]
        : []),
      ...(doubtful.length > 0
        ? [
            evidence(
              'Retry-After in doubt',
              doubtful.map((each) => each.seq),
            ),
          ]
        : []),
    ],
  };
}

function explain(
  worst: (RetryAfterJudgement & { readonly text: string }) | undefined,
  times: number,
): string {
  return worst === undefined
    ? ''
    : `Retry-After: ${worst.text} ${worst.reason} (${count(times)} of them such). `;
}

function isSuccess(each: SentRequest): boolean {
  return each.status !== null && each.status >= 200 && each.status < 300;
}

/** Service times, from sending to the complete answer. Nearest rank. */
function percentiles(answers: readonly SentRequest[]): Shown {
  if (answers.length === 0) return 'none';
  const ms = answers.map((each) => (each.answered_ns - each.sent_ns) / 1e6).toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round((ms[Math.ceil(share * ms.length) - 1] ?? 0) * 100) / 100;
  return { count: ms.length, p50: at(0.5), p99: at(0.99) };
}

/** `limit_headers` holds `name: value` pairs, joined by ` | `. */
function headerNames(headers: string | null): string[] {
  if (headers === null) return [];
  return headers.split(' | ').map((pair) => pair.slice(0, Math.max(0, pair.indexOf(':'))).toLowerCase());
}

import { type CheckResult, evidence, type Shown, type Verdict } from '../verdict.ts';
import { contradicted, contradictionText, type RetryAfterJudgement, readRetryAfter } from './retry-after.ts';
import type { SentRequest } from './streams.ts';
import { count, requests } from './words.ts';

/**
 * Whether the headers that come with refusals can be true. What refusals cost in time is shown beside it: the interface
 * promises nothing about that.
 */
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
    title: 'Headers of refusals are plausible',
    expected: { retry_after: 'absent, or a wait that what happened afterwards does not contradict' },
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
  const judged = judgeEach(refused, sent, windowNs, zeroEpochMs);
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

interface JudgedHeader extends RetryAfterJudgement {
  readonly seq: number;
  readonly text: string;
}

/** Each Retry-After by its text, and a long wait by what became of it. */
function judgeEach(
  refused: readonly SentRequest[],
  sent: readonly SentRequest[],
  windowNs: number,
  zeroEpochMs: number,
): JudgedHeader[] {
  const read = refused.flatMap((each) =>
    each.retry_after === null
      ? []
      : [
          {
            refused: each,
            text: each.retry_after,
            reading: readRetryAfter(each.retry_after, each, windowNs, zeroEpochMs),
          },
        ],
  );
  const long = read.flatMap(({ refused: each, reading: { longNs } }) =>
    longNs === undefined ? [] : [{ refused: each, longNs }],
  );
  const early = new Map(
    contradicted(long, sent, windowNs).map(({ refused: each, longNs }) => [each.seq, longNs]),
  );
  return read.map(({ refused: { seq }, text, reading: { plausibility, reason } }) => {
    const longNs = early.get(seq);
    return longNs === undefined
      ? { seq, text, plausibility, reason }
      : { seq, text, plausibility: 'impossible', reason: contradictionText(longNs) };
  });
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

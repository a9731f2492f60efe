import type { CheckResult } from '../../src/checks/core/verdict.ts';
import type { Judgement } from '../../src/checks/diagnosis/diagnosis.ts';

function pass(id: CheckResult['id'], title: string, explanation: string): CheckResult {
  return {
    id,
    title,
    verdict: 'pass',
    expected: 'as promised',
    observed: 'as promised',
    explanation,
    reasons: [],
    evidence: [],
  };
}

/** A judgement with every kind of result in it, made up to go with `richHistory`. */
export const mixedJudgement: Judgement = {
  verdict: 'fail',
  generatorBound: false,
  diagnosis: { causes: [], unexplained: [] },
  checks: [
    pass(
      'contract.auth',
      'A missing or invalid key gives 401',
      'All 6 requests without a valid key got 401.',
    ),
    pass(
      'contract.batch-max',
      'A batch of 500 is accepted, 501 is refused',
      'The batch of 500 was stored in full and the batch of 501 left nothing behind.',
    ),
    {
      id: 'rate-limit.admitted',
      title: 'Never more than 1,000 admitted in a minute',
      verdict: 'pass',
      expected: { min: 985, max: 1_016 },
      observed: 1_000,
      explanation: 'The fullest minute of the phase “past the limit” admitted exactly 1,000 requests.',
      reasons: [],
      evidence: [
        { what: 'the last one admitted, and the first one refused', seqs: [1_400, 1_401], total: 2 },
      ],
    },
    {
      id: 'rate-limit.retry-after',
      title: 'Retry-After tells the truth',
      verdict: 'inconclusive',
      expected: 'a request sent after the stated wait is admitted',
      observed: null,
      explanation:
        'No request was sent within 200 ms after a stated wait, so the header was neither confirmed nor refuted.',
      reasons: [],
      evidence: [{ what: '429 answers with Retry-After', seqs: [1_990, 1_994, 1_997], total: 417 }],
    },
    {
      id: 'quota.edge',
      title: 'Exactly 120 sessions, then 402',
      verdict: 'fail',
      expected: {
        sessions_created: { min: 119, max: 120 },
        first_refusal_at: { min: 120, max: 121 },
        refused: { min: 20, max: 21 },
      },
      observed: { sessions_created: 121, first_refusal_at: 122, refused: 18 },
      explanation:
        'The plan allows 120 sessions and the target created at least 121 before the first 402. The one request without an answer is counted in the target’s favour.',
      reasons: [],
      evidence: [
        { what: 'sessions created beyond the quota', seqs: [3_000, 3_001], total: 2 },
        { what: 'requests without an answer', seqs: [2_941], total: 1 },
      ],
    },
    {
      id: 'analytics.total-sessions',
      title: 'total_sessions, overall and per product',
      verdict: 'fail',
      expected: [
        { query: 'all products', total_sessions: { min: 511, max: 513 } },
        { query: 'Velvet Hour Lipstick', total_sessions: { min: 120, max: 121 } },
      ],
      observed: [
        { query: 'all products', total_sessions: 512 },
        { query: 'Velvet Hour Lipstick', total_sessions: 85 },
      ],
      explanation:
        'For Velvet Hour Lipstick the target returned 85 where at least 120 sessions were certainly created.',
      reasons: [],
      evidence: [],
    },
    pass(
      'latency.slo.1',
      'create-session: p99 at most 250 ms',
      'The 99th percentile of response time was 46 ms over 602 answers.',
    ),
    pass('books.sent', 'planned = sent + not sent', 'Every planned request is accounted for.'),
    pass(
      'generator.send-lag',
      'The generator kept to its plan',
      'The 99th percentile of send lag was 1.5 ms.',
    ),
    pass(
      'history.integrity',
      'The history is what was written',
      'Every file has the length and digest of its manifest.',
    ),
  ],
};

import { describe, expect, it } from 'vitest';
import { fits, type Suspect, shown } from '../../../src/checks/causes/cause.ts';
import { checkContract } from '../../../src/checks/contract.ts';
import { render } from '../../../src/checks/core/render.ts';
import type { CheckFinding } from '../../../src/checks/core/verdict.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { type AnswerFacts, guarded, readFacts } from '../../../src/checks/diagnosis/guard.ts';
import type { CheckId } from '../../../src/vocabulary/check-ids.ts';
import { type SampleHistory, type SampleRequest, withHistory } from '../../history/sample.ts';

/** What each request gets: undefined for 200, `lost` for none. */
type Answering = (request: SampleRequest, ms: number) => number | 'lost' | undefined;

/** Twenty requests a second for 20 s, of four kinds in turn, over four connections. */
function loaded(answering: Answering): SampleHistory {
  const requests = Array.from({ length: 400 }, (_, at): SampleRequest => {
    const ms = at * 50;
    const session = `s${Math.floor(at / 4)}`;
    const kinds: readonly SampleRequest[] = [
      { endpoint: 'create-session', sessionId: session, productId: 'p', catalogId: 'c', locale: 'en-GB' },
      { endpoint: 'interact', credential: 'session', sessionId: session, items: 1 },
      { endpoint: 'read-session', sessionId: session },
      { endpoint: 'list-shades', catalogId: 'c' },
    ];
    const request = {
      ...(kinds[at % 4] as SampleRequest),
      sentNs: ms * 1e6,
      localPort: 5_000 + (Math.floor(at / 4) % 4),
    };
    const got = answering(request, ms);
    return got === 'lost' ? { ...request, lost: 'reset' } : { ...request, status: got ?? 200 };
  });
  return { run: { checks: ['contract'] }, requests };
}

const isDown = (ms: number, from: number, to: number) => ms >= from && ms < to;

/** From a fault to the first sentence of the diagnosis. */
const outages: readonly (readonly [sentence: string, answering: Answering, said: string])[] = [
  [
    'a key that is revoked',
    ({ credential }, ms) => (credential === undefined && ms >= 6_000 ? 401 : undefined),
    'From 6 s of the run on, every request with the load key gets 401: 210.',
  ],
  [
    'a key that is refused for a time',
    ({ credential }, ms) => (credential === undefined && isDown(ms, 6_000, 8_000) ? 401 : undefined),
    'From 6 s to 8 s of the run, every request with the load key gets 401: 30.',
  ],
  [
    'everything that is down now and then',
    (_, ms) => (isDown(ms % 10_000, 4_000, 6_000) ? 503 : undefined),
    'In 2 spans of the run, the first from 4 s to 6 s, every request gets 503: 80.',
  ],
  [
    'an endpoint that is down for a time',
    ({ endpoint }, ms) => (endpoint === 'list-shades' && isDown(ms, 5_000, 9_000) ? 500 : undefined),
    'From 5.2 s to 9 s of the run, every request to GET /shades gets 500: 20.',
  ],
  [
    'an endpoint that is down for three requests in a row',
    ({ endpoint }, ms) => (endpoint === 'list-shades' && isDown(ms, 6_000, 6_600) ? 503 : undefined),
    'From 6.2 s to 6.6 s of the run, every request to GET /shades gets 503: 3.',
  ],
  [
    'a node that is down for a time: its connections fail',
    ({ localPort = 0 }, ms) => (localPort < 5_002 && isDown(ms, 5_000, 9_000) ? 502 : undefined),
    'From 5 s to 9 s of the run, every request on 2 connections gets 502: 40.',
  ],
  [
    'answers that do not come for a time',
    (_, ms) => (isDown(ms, 12_000, 14_000) ? 'lost' : undefined),
    'From 12 s to 14 s of the run, every request gets no answer: 40.',
  ],
];

describe('the first sentence of a diagnosis is the outage', () => {
  it.each(outages)('%s', async (_sentence, answering, said) => {
    const { causes } = await withHistory(loaded(answering), async (history) =>
      diagnose(guarded(await checkContract(history), await readFacts(history)).map(render)),
    );
    expect(causes[0]?.text).toBe(said);
    expect(causes.map(({ cause }) => cause.code)).not.toContain('depends-on-value');
  });
});

/** What is no outage in time. */
const others: readonly (readonly [sentence: string, answering: Answering])[] = [
  ['requests that fail now and then', (_, ms) => (ms % 1_700 === 0 ? 503 : undefined)],
  ['two requests that fail together', (_, ms) => (isDown(ms, 6_000, 6_100) ? 503 : undefined)],
  [
    'one way to fail from the first request on',
    ({ endpoint }) => (endpoint === 'read-session' ? 500 : undefined),
  ],
  [
    'sessions that are not found after a time',
    ({ endpoint }, ms) => (endpoint === 'read-session' && ms > 9_000 ? 404 : undefined),
  ],
  [
    'some requests of a time, and others of it succeed',
    (_, ms) => (isDown(ms, 5_000, 9_000) && ms % 150 === 0 ? 503 : undefined),
  ],
];

describe('is no outage', () => {
  it.each(others)('%s', async (_sentence, answering) => {
    expect((await withHistory(loaded(answering), readFacts)).outages).toEqual([]);
  });
});

const extended = shown('window-extended-by-rejections', { windowMs: 6_000 });
const stale = fits('stale-analytics', { lagMs: 30_000, promisedMs: 10_000 });
const refusedKey = {
  outcome: '429',
  key: 'load',
  failed: 90,
  ordinary: 90,
  seqs: [5],
  spans: [{ fromMs: 6_000, toMs: 9_000, isLast: true }],
};
const below = fits('refused-below-limit', { refused: 58, limit: 1_000, windowMs: 60_000 });
const fall = fits('total-falls', { before: 9, beforeMs: 1e3, after: 4, afterMs: 3e3 }, [1, 2]);
const others429 = fits('other-users-of-key', {});

function failedOf(id: CheckId, causes: readonly Suspect[]): CheckFinding {
  return { id, verdict: 'fail', expected: '', observed: '', reasons: [], causes };
}

const undecided: CheckFinding = { ...failedOf('rate-limit.algorithm', []), verdict: 'inconclusive' };

const refutations: readonly (readonly [
  sentence: string,
  row: {
    readonly findings: readonly CheckFinding[];
    readonly facts: Partial<AnswerFacts>;
    readonly named: readonly (readonly [code: string, strength: string])[];
  },
])[] = [
  [
    'a window that rejections extend admits nothing within a window after one',
    { findings: [failedOf('rate-limit.limit', [extended])], facts: { admittedAfterMs: 2_000 }, named: [] },
  ],
  [
    'what waits a whole window may have been extended',
    {
      findings: [failedOf('rate-limit.limit', [extended])],
      facts: { admittedAfterMs: 6_100 },
      named: [['window-extended-by-rejections', 'shown']],
    },
  ],
  [
    'selections are not counted twice by analytics alone where histories are wrong, too',
    {
      findings: [
        failedOf('analytics.top-shades', [fits('selections-counted-twice', {})]),
        failedOf('contract.history', []),
      ],
      facts: {},
      named: [],
    },
  ],
  [
    'selections that only analytics count twice are',
    {
      findings: [failedOf('analytics.top-shades', [fits('selections-counted-twice', {})])],
      facts: {},
      named: [['selections-counted-twice', 'fits']],
    },
  ],
  [
    'an undecided study shows no kind of limiter',
    {
      findings: [failedOf('rate-limit.limit', [extended]), undecided],
      facts: {},
      named: [['window-extended-by-rejections', 'fits']],
    },
  ],
  [
    'numbers that were right and then fall are not late',
    {
      findings: [failedOf('analytics.freshness', [stale])],
      facts: { fall },
      named: [['total-falls', 'fits']],
    },
  ],
  [
    'a total that falls and stays so does not vary',
    {
      findings: [failedOf('analytics.freshness', [fits('answers-vary', { fields: ['total_sessions'] })])],
      facts: { fall },
      named: [['total-falls', 'fits']],
    },
  ],
  [
    'a key that is refused for a time, where nothing is known of a limit, is refused for that time',
    {
      findings: [failedOf('rate-limit.wrongful', [below, others429])],
      facts: { outages: [refusedKey] },
      named: [['outage', 'shown']],
    },
  ],
  [
    'where a limit fits, rejections are no outage',
    {
      findings: [
        failedOf('rate-limit.wrongful', [below, others429]),
        failedOf('rate-limit.enforced', [
          fits('limit-differs', { least: 700, most: 700, promised: 1_000, windowMs: 60_000 }),
        ]),
      ],
      facts: { outages: [refusedKey] },
      named: [
        ['refused-below-limit', 'fits'],
        ['other-users-of-key', 'fits'],
        ['limit-differs', 'fits'],
      ],
    },
  ],
  [
    'what a refuted cause leaves is the outage',
    {
      findings: [failedOf('rate-limit.enforced', [extended])],
      facts: { outages: [refusedKey], admittedAfterMs: 2_000 },
      named: [['outage', 'shown']],
    },
  ],
  [
    'a window that rejections extend explains more than that the key is refused',
    {
      findings: [failedOf('rate-limit.enforced', [extended]), failedOf('rate-limit.wrongful', [below])],
      facts: { outages: [refusedKey] },
      named: [
        ['window-extended-by-rejections', 'shown'],
        ['refused-below-limit', 'fits'],
      ],
    },
  ],
  [
    'a status that stands for 429 is no outage',
    {
      findings: [
        failedOf('rate-limit.enforced', [shown('rejection-status-wrong', { status: 503, refused: 90 })]),
        failedOf('contract.errors', [
          fits('server-errors', { errors: 90, of: 500, endpoints: ['analytics'] }),
        ]),
      ],
      facts: { outages: [{ ...refusedKey, outcome: '503' }] },
      named: [
        ['rejection-status-wrong', 'shown'],
        ['server-errors', 'fits'],
      ],
    },
  ],
];

/** Facts of a run in which nothing refutes anything. */
const noFacts: AnswerFacts = {
  outages: [],
  isAllOutages: false,
  admittedAfterMs: Number.POSITIVE_INFINITY,
  fall: undefined,
};

describe('a cause is held against all answers', () => {
  it.each(refutations)('%s', (_sentence, { facts, findings, named }) => {
    const left = guarded(findings, { ...noFacts, ...facts }).flatMap(({ causes = [] }) => causes);
    expect(left.map(({ cause, strength }) => [cause.code, strength])).toEqual(named);
  });
});

describe('the facts of a run', () => {
  it('have events of the explorer that end an outage of the interaction channel', async () => {
    const acts = Array.from(
      { length: 60 },
      (_, at): SampleRequest => ({
        ...{ endpoint: 'interact', credential: 'session', sentNs: (at + 1) * 1e8 },
        ...(at < 40 ? { status: at < 15 ? 200 : 503 } : { status: 200, probe: 'explored', stage: 'settle' }),
      }),
    );
    expect((await withHistory({ requests: acts }, readFacts)).outages).toMatchObject([
      { endpoint: 'interact', outcome: '503', failed: 25, spans: [{ isLast: false }] },
    ]);
  });

  const analytics = (seq: number, total: number) => ({
    seq,
    endpoint: 'analytics' as const,
    query: { start_date: '2026-05-01', end_date: '2026-05-01' },
    body: { total_sessions: total },
  });

  it('have the shortest time from a rejection to an admission with the same key', async () => {
    const at = (sentNs: number, status: number, credential: 'load' | 'twin' = 'load'): SampleRequest => ({
      endpoint: 'list-shades',
      credential,
      sentNs,
      status,
    });
    const requests = [at(1e9, 429), at(1.5e9, 200, 'twin'), at(2e9, 200), at(5e9, 429), at(9e9, 200)];
    expect((await withHistory({ requests }, readFacts)).admittedAfterMs).toBe(1_005);
  });

  it('have a total that falls, and none that only grows or that comes back', async () => {
    const requests = [1, 2, 3, 4].map((s): SampleRequest => ({ endpoint: 'analytics', sentNs: s * 1e9 }));
    const fallOf = async (...totals: readonly number[]) =>
      (
        await withHistory(
          { requests, answers: totals.map((total, at) => analytics(at + 1, total)) },
          readFacts,
        )
      ).fall;
    expect((await fallOf(5, 9, 4))?.cause.params).toEqual({
      before: 9,
      beforeMs: 2_005,
      after: 4,
      afterMs: 3_000,
    });
    expect(await fallOf(4, 4, 9)).toBeUndefined();
    expect(await fallOf(9, 4, 9)).toBeUndefined();
    // Answers that take turns may end with any of them.
    expect(await fallOf(9, 4, 9, 4)).toBeUndefined();
  });
});

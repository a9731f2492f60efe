import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../src/checks/core/verdict.ts';
import {
  carriedRecords,
  failuresFirst,
  mostRecords,
  readStories,
} from '../../src/report/sections/stories.ts';
import { type SampleHistory, withHistory } from '../history/sample.ts';

/** Two shoppers, each read back, a session without a shopper, and an analytics answer. */
const history: SampleHistory = {
  requests: [
    { endpoint: 'create-session', shopper: 1, planned: 0, sessionId: 'a', productId: 'p' },
    { endpoint: 'create-session', shopper: 2, planned: 1, sessionId: 'b', productId: 'p' },
    { endpoint: 'interact', shopper: 1, planned: 2, sessionId: 'a', items: 1, status: 202 },
    { endpoint: 'list-shades', shopper: 1, planned: 3, catalogId: 'c' },
    { endpoint: 'read-session', stage: 'settle', phase: 'read-back', sessionId: 'a' },
    { endpoint: 'read-session', stage: 'settle', phase: 'read-back', sessionId: 'b' },
    { endpoint: 'create-session', stage: 'setup', phase: 'contract', sessionId: "o'c" },
    { endpoint: 'read-session', stage: 'setup', phase: 'contract', sessionId: "o'c" },
    { endpoint: 'analytics', stage: 'settle', phase: 'analytics' },
  ],
  interactions: [
    { seq: 3, sessionId: 'a', id: 'i', type: 'shade_selected', sku: 'S-1', at: '2026-05-01T12:00:00Z' },
  ],
  answers: [
    { seq: 5, endpoint: 'read-session', query: {}, body: { session_id: 'a' } },
    { seq: 9, endpoint: 'analytics', query: { start_date: '2026-05-01' }, body: { long: 'x'.repeat(5_000) } },
  ],
};

function stories(...seqs: number[]) {
  return withHistory(history, (open) => readStories(open, new Set(seqs)));
}

describe('the story of a record', () => {
  it.each([
    ['a new session: all of its shopper', 1, [1, 3, 4, 5]],
    ['an answer without a session: all of its shopper', 4, [1, 3, 4, 5]],
    ['a read-back: all of the shopper who opened the session', 6, [2, 6]],
    ['a session without a shopper: all of the session', 8, [7, 8]],
    ['a request with neither: itself', 9, [9]],
    ['a record that the history lacks: none', 99, undefined],
  ])('holds, for %s', async (_, seq, requests) => {
    const [story] = await stories(seq);
    expect(story?.requests.map((request) => request.seq)).toEqual(requests);
  });

  it('is told once for two records of a shopper', async () => {
    expect(await stories(1, 5)).toHaveLength(1);
  });

  it('has the events sent and the bodies returned, long ones cut', async () => {
    const [shopper, analytics] = await stories(1, 9);
    expect(shopper?.requests[1]?.events).toBe('shade_selected S-1');
    expect(shopper?.requests[3]?.body).toBe('{"session_id":"a"}');
    expect(analytics?.requests[0]?.body).toMatch(/x …$/);
  });

  it('keeps the record where a session has too many requests, and says how many it leaves out', async () => {
    const reads = Array.from({ length: 60 }, () => ({ endpoint: 'read-session', sessionId: 'a' }) as const);
    const [story] = await withHistory({ requests: reads }, (open) => readStories(open, new Set([60])));
    expect(story?.requests).toHaveLength(40);
    expect(story?.requests.at(-1)?.seq).toBe(60);
    expect(story?.omitted).toBe(20);
  });
});

describe('all stories', () => {
  it('have 600 requests together, so that the page stays small', async () => {
    const requests = Array.from(
      { length: 3_000 },
      (_, place) => ({ endpoint: 'list-shades', shopper: place % 100 }) as const,
    );
    const named = new Set(Array.from({ length: 100 }, (_, shopper) => shopper + 2_901));
    const all = await withHistory({ requests }, (open) => readStories(open, named));
    expect(all).toHaveLength(100);
    expect(all.flatMap((story) => story.requests)).toHaveLength(600);
    expect(all.every((story) => story.requests.some(({ seq }) => named.has(seq)))).toBe(true);
  });
});

describe('the records on the page', () => {
  const check = (verdict: CheckResult['verdict'], seqs: readonly number[]): CheckResult => ({
    id: 'contract.auth',
    title: '',
    verdict,
    expected: null,
    observed: null,
    explanation: '',
    reasons: [],
    evidence: [{ what: '', seqs, total: seqs.length }],
  });

  it('are those of failures, then of inconclusive checks, never of passes', () => {
    expect([
      ...carriedRecords([check('inconclusive', [1, 2]), check('pass', [3]), check('fail', [4, 1])]),
    ]).toEqual([4, 1, 2]);
  });

  it('are of each failure, before more of one', () => {
    expect([
      ...carriedRecords([check('fail', [1, 2, 3]), check('fail', [4]), check('fail', [5, 6])]),
    ]).toEqual([1, 4, 5, 2, 6, 3]);
  });

  it('are bounded, those of failures kept', () => {
    const many = Array.from({ length: 500 }, (_, seq) => seq + 10);
    const carried = carriedRecords([check('inconclusive', many), check('fail', [1])]);
    expect(carried.size).toBe(mostRecords);
    expect(carried.has(1)).toBe(true);
  });

  it('stand in the order of time, those of failures before those of inconclusive checks', async () => {
    const checks = [check('inconclusive', [1]), check('fail', [9, 6])];
    const inOrder = failuresFirst(await stories(1, 6, 9), checks);
    expect(inOrder.map(({ requests }) => requests[0]?.seq)).toEqual([2, 9, 1]);
  });
});

import { expect, it } from 'vitest';
import { sentRequests } from '../../../src/checks/rate-limit/traces/sent.ts';
import { withHistory } from '../../history/sample.ts';

it('a request that was sent again may have counted twice: its first sending is one without an answer', async () => {
  const requests = [
    { endpoint: 'list-shades' as const, intendedNs: 1e6 },
    { endpoint: 'list-shades' as const, intendedNs: 2e6, firstSentNs: 2e6, sentNs: 4e6, answeredNs: 9e6 },
    { endpoint: 'list-shades' as const, intendedNs: 3e6, status: 429 },
  ];
  const { left, sent } = await withHistory({ requests }, (history) => sentRequests(history, 10));
  expect(left).toBe(0);
  expect([...sent.seq]).toEqual([1, 2, 3, 2]);
  expect([...sent.sentNs]).toEqual([1e6, 2e6, 3e6, 4e6]);
  expect([...sent.answeredNs]).toEqual([6e6, 4e6, 8e6, 9e6]);
  expect([...sent.status]).toEqual([200, 0, 429, 200]);
});

import { expect, it } from 'vitest';
import { checkAvailability } from '../../../src/checks/contract/availability.ts';
import type { Verdict } from '../../../src/checks/verdict.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';

function times(count: number, request: Partial<SampleRequest> = {}): SampleRequest[] {
  return Array.from({ length: count }, () => ({ endpoint: 'list-shades', ...request }));
}

it.each<[string, readonly SampleRequest[], Verdict, RegExp, ProfileInput?]>([
  ['answered every request', times(100), 'pass', /^0 of 100 ordinary requests got no answer, within the 1 %/],
  [
    'answered with errors has answered',
    times(100, { status: 503 }),
    'pass',
    /^0 of 100 ordinary requests got no answer/,
  ],
  [
    'lost one in a hundred is within the bound',
    [...times(99), ...times(1, { lost: 'timeout' })],
    'pass',
    /^1 of 100 ordinary requests got no answer \(1 timed out\), within the 1 %/,
  ],
  [
    'lost two in a hundred is over it',
    [...times(98), ...times(2, { lost: 'reset' })],
    'fail',
    /^2 of 100 ordinary requests got no answer \(2 broken off\), over the 1 % that the profile allows/,
  ],
  [
    'lost them in several ways has each counted',
    [
      ...times(90),
      ...times(5, { notSent: 'no-connection' }),
      ...times(3, { lost: 'timeout' }),
      ...times(2, { lost: 'protocol' }),
    ],
    'fail',
    /^10 of 100 .* \(5 refused a connection, 3 timed out, 2 answered with what is not HTTP\)/,
  ],
  [
    'closed idle connections is within its rights',
    [...times(100), ...times(5, { lost: 'closed-idle' })],
    'pass',
    /^0 of 100 ordinary requests got no answer, .* 5 more requests met an idle connection .* do not count/,
  ],
  [
    'refused every connection is over it',
    times(20, { notSent: 'no-connection' }),
    'fail',
    /^20 of 20 ordinary requests got no answer \(20 refused a connection\)/,
  ],
  [
    'may lose more by its profile',
    [...times(95), ...times(5, { lost: 'reset' })],
    'pass',
    /within the 5 % that the profile allows/,
    { lost_bound: 0.05 },
  ],
  [
    'may lose none by its profile',
    [...times(999), ...times(1, { lost: 'reset' })],
    'fail',
    /over the 0 % that the profile allows/,
    { lost_bound: 0 },
  ],
  [
    'was asked too little to speak of a share',
    [...times(18), ...times(1, { lost: 'reset' })],
    'inconclusive',
    /^1 of 19 .* fewer than 20 requests make no share/,
  ],
  ['was asked little and answered', times(3), 'pass', /^0 of 3 /],
  [
    'was cut off when the run was stopped is not blamed for it',
    [...times(98), ...times(50, { lost: 'stopped' }), ...times(50, { notSent: 'stopped' })],
    'pass',
    /^0 of 98 /,
  ],
  [
    'was spared what the harness held back is not blamed for it',
    [...times(98), ...times(50, { notSent: 'in-flight-bound' }), ...times(50, { notSent: 'patience' })],
    'pass',
    /^0 of 98 /,
  ],
  [
    'did not answer probes is judged by ordinary traffic',
    [...times(98), ...times(50, { lost: 'reset', probe: 'batch-over' })],
    'pass',
    /^0 of 98 /,
  ],
  ['was asked nothing', times(5, { notSent: 'stopped' }), 'inconclusive', /^No ordinary request was sent\./],
])('a target that %s', async (_, requests, verdict, words, profile = {}) => {
  const result = await withHistory({ requests, profile }, checkAvailability);
  expect(result.explanation).toMatch(words);
  expect(result.verdict).toBe(verdict);
  expect(causeCodes([result])).toEqual(verdict === 'fail' ? ['requests-unanswered'] : []);
});

it('shows which requests got no answer', async () => {
  const result = await withHistory(
    { requests: [...times(40), ...times(12, { lost: 'timeout' })] },
    checkAvailability,
  );
  expect(result).toMatchObject({
    observed: { requests: 52, 'without an answer': 12, timeout: 12 },
    evidence: [{ what: 'requests timed out', seqs: [41, 42, 43, 44, 45, 46, 47, 48, 49, 50], total: 12 }],
  });
});

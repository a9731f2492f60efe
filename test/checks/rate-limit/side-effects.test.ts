import { expect, it } from 'vitest';
import { judgeSideEffects } from '../../../src/checks/rate-limit/study/judge-side-effects.ts';
import type { Verdict } from '../../../src/checks/verdict.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

const session = (status: number): SampleRequest => ({ endpoint: 'create-session', productId: 'p', status });

/** One session of the product was admitted, two were refused. */
it.each<[string, counted: number, redeliveries: number, Verdict, RegExp]>([
  ['counts the one that was admitted', 1, 0, 'pass', /its analytics count 1/],
  ['counts one that was refused', 2, 0, 'fail', /at most 1 was admitted: refused ones were stored/],
  [
    'counts as many as deliveries made, if each may have been two',
    4,
    1,
    'inconclusive',
    /profile: redeliveries/,
  ],
  ['counts more than all deliveries', 5, 1, 'fail', /at most 4 were made: refused ones were stored/],
  ['counts the one that was admitted, however often', 1, 1, 'pass', /its analytics count 1/],
])('a target that %s is judged by that', async (_, counted, redeliveries, verdict, words) => {
  const asked: SampleRequest = { endpoint: 'analytics', probe: 'refused:analytics', stage: 'settle' };
  const result = await withHistory(
    {
      profile: { redeliveries },
      requests: [session(200), session(429), session(429), asked],
      answers: [
        {
          seq: 4,
          endpoint: 'analytics',
          query: { start_date: '2026-05-01', end_date: '2026-05-01', product_id: 'p' },
          body: { total_sessions: counted },
        },
      ],
    },
    (history) => judgeSideEffects(history, 429),
  );
  expect(result).toMatchObject({ verdict, explanation: expect.stringMatching(words) });
});

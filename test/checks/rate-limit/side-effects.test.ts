import { expect, it } from 'vitest';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import { judgeSideEffects } from '../../../src/checks/rate-limit/study/judge-side-effects.ts';
import type { ReasonCode } from '../../../src/checks/reasons/reason.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

const session = (status: number): SampleRequest => ({ endpoint: 'create-session', productId: 'p', status });

/** One session of the product was admitted, two were refused. */
it.each<[string, counted: number, redeliveries: number, Verdict, ReasonCode, params: object]>([
  [
    'counts the one that was admitted',
    1,
    0,
    'pass',
    'rejected-not-stored',
    { limited: 2, least: 1, told: 1 },
  ],
  ['counts one that was refused', 2, 0, 'fail', 'rejected-stored', { told: 2, most: 1, isDelivered: false }],
  [
    'counts as many as deliveries made, if each may have been two',
    4,
    1,
    'inconclusive',
    'rejected-or-redelivered',
    { told: 4, most: 1, deliveries: 2 },
  ],
  [
    'counts more than all deliveries',
    5,
    1,
    'fail',
    'rejected-stored',
    { told: 5, most: 4, isDelivered: true },
  ],
  [
    'counts the one that was admitted, however often',
    1,
    1,
    'pass',
    'rejected-not-stored',
    { limited: 2, least: 1, told: 1 },
  ],
])('a target that %s is judged by that', async (_, counted, redeliveries, verdict, code, params) => {
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
  expect(result).toMatchObject({ verdict, reasons: [{ code, params }] });
});

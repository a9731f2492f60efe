import { describe, expect, it } from 'vitest';
import { checkAccounting } from '../../src/checks/accounting.ts';
import { render } from '../../src/checks/core/render.ts';
import type { CheckFinding, Verdict } from '../../src/checks/core/verdict.ts';
import { reason } from '../../src/checks/reasons/reason.ts';
import type { InteractionRecord } from '../../src/history/record.ts';
import { type SampleHistory, type SampleRequest, sampleRun, withHistory } from '../history/sample.ts';
import { causeCodes } from './cause-codes.ts';

function event(seq: number, sessionId = 's1'): InteractionRecord {
  return { seq, sessionId, id: `i${seq}`, type: 'shade_selected', sku: 'A', at: '2026-05-01T12:00:00Z' };
}

const requests: readonly SampleRequest[] = [
  { endpoint: 'analytics', stage: 'setup' },
  { endpoint: 'create-session', planned: 0, sessionId: 's1' },
  { endpoint: 'interact', planned: 1, sessionId: 's1', items: 1, status: 202 },
  { endpoint: 'interact', planned: 2, sessionId: 's1', items: 1, lost: 'timeout' },
  { endpoint: 'interact', planned: 3, items: 1, notSent: 'no-session' },
  { endpoint: 'list-shades', planned: 4, status: 429 },
];
const sound: SampleHistory = { run: { planned_requests: 5 }, requests, interactions: [event(3), event(4)] };
/** The second request in the second of three lanes has the number 4, which is the last one's. */
const inLanes = { requests: requests.map((each) => (each.planned === 4 ? { ...each, planned: 5 } : each)) };
const { ended: _, ...unended } = sampleRun;

/** The sound history with some records changed, by their `seq`. */
function changed(changes: Readonly<Record<number, Partial<SampleRequest>>>): SampleHistory {
  return {
    ...sound,
    requests: requests.map((request, index) => ({ ...request, ...changes[index + 1] })),
  };
}

function verdicts(results: readonly CheckFinding[]): readonly (Verdict | undefined)[] {
  return ['planned', 'sent', 'records', 'interactions'].map(
    (name) => results.find((result) => result.id === `books.${name}`)?.verdict,
  );
}

const P = 'pass';
const F = 'fail';

describe('the accounts', () => {
  it.each<[string, SampleHistory, readonly (Verdict | undefined)[]]>([
    ['balance when each request has its record', sound, [P, P, P, P]],
    [
      'balance when a request was sent again: it is still one',
      changed({ 6: { intendedNs: 6e6, readyNs: 6e6, firstSentNs: 7e6, sentNs: 8e6 } }),
      [P, P, P, P],
    ],
    [
      'do not balance when a request was sent again before it was sent',
      changed({ 6: { intendedNs: 6e6, readyNs: 6e6, firstSentNs: 9e6, sentNs: 8e6 } }),
      [P, P, F, P],
    ],
    [
      'do not balance when a planned request has no record',
      { ...sound, run: { planned_requests: 6 } },
      [F, P, P, P],
    ],
    ['do not balance when a planned request has two', changed({ 6: { planned: 0 } }), [F, P, P, P]],
    [
      'do not balance when a request of the load was never planned',
      { ...sound, requests: [...requests, { endpoint: 'analytics' }] },
      [F, P, P, P],
    ],
    [
      'do not balance when a planned number is beyond the plan',
      { ...sound, requests: [...requests, { endpoint: 'analytics', planned: 5 }] },
      [F, P, P, P],
    ],
    [
      'balance when each request of a plan in lanes has its record',
      { ...sound, run: { planned_requests: 5, planned_by_lane: [2, 1, 2] }, ...inLanes },
      [P, P, P, P],
    ],
    [
      'do not balance when a planned number is beyond the end of its lane',
      { ...sound, run: { planned_requests: 5, planned_by_lane: [2, 2, 1] }, ...inLanes },
      [F, P, P, P],
    ],
    [
      'do not balance when the lanes of the plan hold more than the plan',
      { ...sound, run: { planned_requests: 4, planned_by_lane: [2, 1, 2] }, ...inLanes },
      [F, P, P, P],
    ],
    [
      'do not balance when the set-up claims to be planned',
      { ...sound, requests: [...requests, { endpoint: 'analytics', stage: 'setup', planned: 1 }] },
      [F, P, P, P],
    ],
    [
      'do not balance when an answer was never sent',
      changed({ 5: { notSent: 'stopped', status: 200 } }),
      [P, F, F, P],
    ],
    [
      'do not balance when an outcome is missing',
      {
        ...sound,
        requests: [
          ...requests.slice(0, 5),
          {
            endpoint: 'list-shades',
            planned: 4,
            lost: undefined,
            status: undefined,
          } as unknown as SampleRequest,
        ],
      },
      [P, F, F, P],
    ],
    [
      'do not balance when an answer came before its request',
      changed({ 2: { sentNs: 50e6, answeredNs: 40e6 } }),
      [P, P, F, P],
    ],
    [
      'do not balance when a request went out before it was ready',
      changed({ 2: { readyNs: 50e6, sentNs: 40e6, answeredNs: 60e6 } }),
      [P, P, F, P],
    ],
    ['do not balance when a number is used twice', changed({ 6: { seq: 2 } }), [P, P, F, P]],
    [
      'do not balance when an event has no request',
      { ...sound, interactions: [event(3), event(4), event(2)] },
      [P, P, P, F],
    ],
    ['do not balance when an event is missing', { ...sound, interactions: [event(3)] }, [P, P, P, F]],
    [
      'do not balance when an event names another session',
      { ...sound, interactions: [event(3), event(4, 's2')] },
      [P, P, P, F],
    ],
    [
      'balance when events that were never sent have a record or not',
      { ...sound, interactions: [event(3), event(4)] },
      [P, P, P, P],
    ],
    [
      'of nothing are inconclusive, and say nothing of a plan or of events',
      {},
      [undefined, 'inconclusive', 'inconclusive', undefined],
    ],
  ])('%s', async (_, sample, expected) => {
    const results = await withHistory(sample, checkAccounting);
    expect(verdicts(results)).toEqual(expected);
    expect(causeCodes(results.map(render))).toEqual(expected.includes(F) ? ['records-incomplete'] : []);
  });

  it('may lack the last records of a run that crashed', async () => {
    const results = await withHistory(sound, (history) =>
      checkAccounting({ ...history, run: { ...unended, planned_requests: 9 } }),
    );
    expect(verdicts(results)).toEqual(['inconclusive', P, P, P]);
  });

  it('of a run that crashed still have no record twice', async () => {
    const results = await withHistory(changed({ 6: { planned: 0 } }), (history) =>
      checkAccounting({ ...history, run: { ...unended, planned_requests: 9 } }),
    );
    expect(verdicts(results)).toEqual([F, P, P, P]);
  });

  it('are shown by stage and in all', async () => {
    const results = await withHistory(sound, checkAccounting);
    expect(results.find((result) => result.id === 'books.sent')?.observed).toMatchObject({
      run: {
        records: 6,
        'not sent': { 'no-session': 1 },
        sent: 5,
        answered: { 200: 2, 202: 1, 429: 1 },
        'without an answer': { timeout: 1 },
      },
      setup: { records: 1, sent: 1 },
      load: { records: 5, sent: 4 },
    });
  });

  it('name the records that contradict themselves', async () => {
    const results = await withHistory(changed({ 2: { sentNs: 50e6, answeredNs: 40e6 } }), checkAccounting);
    const records = results.find((result) => result.id === 'books.records');
    expect(records?.evidence).toEqual([{ what: 'records with times out of order', seqs: [2], total: 1 }]);
    expect(records?.reasons).toEqual([reason('accounting-times', { records: 1 })]);
  });
});

it('say how many requests were sent again', async () => {
  const again = changed({ 6: { intendedNs: 6e6, readyNs: 6e6, firstSentNs: 7e6, sentNs: 8e6 } });
  const [, sent] = await withHistory(again, checkAccounting);
  expect(sent).toMatchObject({
    observed: { 'sent again': 1 },
    reasons: [
      reason('accounting-balanced', { records: 6 }),
      reason('accounting-sent-again', { requests: 1 }),
    ],
    evidence: [{ what: 'sent again', seqs: [6], total: 1 }],
  });
});

import { describe, expect, it } from 'vitest';
import { type Suspect, shown } from '../../src/checks/causes/cause.ts';
import type { CheckFinding, Verdict } from '../../src/checks/core/verdict.ts';
import { type Check, judge, judgeWith } from '../../src/checks/judge.ts';
import { reason } from '../../src/checks/reasons/reason.ts';
import { type CheckGroup, type CheckId, checkGroups } from '../../src/vocabulary/check-ids.ts';
import { type SampleRequest, withHistory } from '../history/sample.ts';

function result(id: CheckId, verdict: Verdict, message = 'as it is'): CheckFinding {
  const reasons = [reason('checks-threw', { message })];
  return { id, verdict, expected: 1, observed: 1, reasons, evidence: [] };
}

/** Every group passes with one result, but for those given. */
function checks(
  others: Readonly<Partial<Record<CheckGroup, Check>>> = {},
): Readonly<Record<CheckGroup, Check>> {
  const passing = Object.fromEntries(
    checkGroups.map((group) => [group, () => Promise.resolve([result(`${group}.error`, 'pass')])]),
  ) as unknown as Record<CheckGroup, Check>;
  return { ...passing, ...others };
}

const lag = shown('generator-late', { lagMs: 300 });
const limit = shown('limit-differs', { least: 101, promised: 100, windowMs: 6_000 });
const late = { causes: [lag] };
const all = { run: { checks: [...checkGroups].reverse() } };
const bound: Check = () =>
  Promise.resolve([{ ...result('generator.send-lag', 'inconclusive', 'late'), ...late }]);

describe('a judgement', () => {
  it('runs what the scenario asks for, and books, generator and history always, in one order', async () => {
    const judgement = await withHistory({ run: { checks: ['latency', 'contract'] } }, (history) =>
      judgeWith(checks(), history),
    );
    expect(judgement).toMatchObject({ verdict: 'pass', generatorBound: false });
    expect(judgement.checks.map(({ id }) => id)).toEqual([
      'contract.error',
      'latency.error',
      'books.error',
      'generator.error',
      'history.error',
    ]);
  });

  it.each<[string, SampleRequest, readonly string[]]>([
    [
      'a probe with 500',
      { endpoint: 'analytics', probe: 'scope:forwarded', status: 500 },
      ['contract.errors'],
    ],
    [
      'a probe that a service may find odd',
      { endpoint: 'analytics', probe: 'audit:malformed', status: 500 },
      [],
    ],
    ['a limiter that answers 503', { endpoint: 'analytics', probe: 'scope:control', status: 503 }, []],
    ['an ordinary request with 500', { endpoint: 'analytics', status: 500 }, []],
  ])('of a run that does not ask for the contract: %s', async (_, request, failed) => {
    const run = { checks: ['rate-limit' as const] };
    const requests = [{ stage: 'study' as const, ...request }];
    const judgement = await withHistory({ run, requests }, (history) => judgeWith(checks(), history));
    expect(judgement.checks.flatMap(({ id, verdict }) => (verdict === 'fail' ? id : []))).toEqual(failed);
  });

  it.each<[string, Partial<Record<CheckGroup, Verdict>>, Verdict]>([
    ['fails when one check fails and another cannot tell', { quota: 'fail', books: 'inconclusive' }, 'fail'],
    ['is inconclusive when one check cannot tell', { analytics: 'inconclusive' }, 'inconclusive'],
    ['passes when all pass', {}, 'pass'],
  ])('%s', async (_, verdicts, expected) => {
    const others = Object.fromEntries(
      Object.entries(verdicts).map(([group, verdict]) => [
        group,
        () => Promise.resolve([result(`${group as CheckGroup}.error`, verdict)]),
      ]),
    );
    const judgement = await withHistory(all, (history) => judgeWith(checks(others), history));
    expect(judgement.verdict).toBe(expected);
  });

  it('cannot tell what a part would have told for which there was no room, in each group that it serves', async () => {
    const why = 'the budget of 3 min has no room for it.';
    const part = {
      name: 'limiter',
      question: 'What kind is it?',
      checks: ['rate-limit', 'quota'],
      why,
    } as const;
    const run = { ...all.run, left_out: [{ ...part, checks: [...part.checks] }] };
    const judgement = await withHistory({ run }, (history) => judgeWith(checks(), history));
    const doubts = judgement.checks.filter(({ verdict }) => verdict === 'inconclusive');
    expect(doubts.map(({ explanation, id, observed, title }) => [id, title, observed, explanation])).toEqual([
      ['rate-limit.left-out-limiter', 'What kind is it?', 'left out', `Left out: ${why}`],
      ['quota.left-out-limiter', 'What kind is it?', 'left out', `Left out: ${why}`],
    ]);
    expect(judgement.verdict).toBe('inconclusive');
  });

  it.each<[string, Verdict, readonly Suspect[], readonly Suspect[] | undefined]>([
    ['failed publishes its causes', 'fail', [limit, lag], [limit, lag]],
    ['failed without a cause publishes none', 'fail', [], undefined],
    ['is inconclusive publishes those in the generator alone', 'inconclusive', [limit, lag], [lag]],
    ['passed publishes none', 'pass', [limit, lag], undefined],
  ])('of a check that %s', async (_, verdict, causes, published) => {
    const quota: Check = () => Promise.resolve([{ ...result('quota.error', verdict), causes }]);
    const judgement = await withHistory(all, (history) => judgeWith(checks({ quota }), history));
    const judged = judgement.checks.find(({ id }) => id === 'quota.error');
    expect(judged?.causes).toEqual(published);
  });

  it('takes a check that throws for inconclusive, with the error, and goes on', async () => {
    const broken: Check = () => Promise.reject(new Error('no such column'));
    const judgement = await withHistory(all, (history) => judgeWith(checks({ quota: broken }), history));
    expect(judgement.verdict).toBe('inconclusive');
    expect(judgement.checks).toContainEqual(
      expect.objectContaining({
        id: 'quota.error',
        titleParams: { group: 'quota' },
        verdict: 'inconclusive',
        explanation: expect.stringContaining('no such column'),
      }),
    );
    expect(judgement.checks).toHaveLength(checkGroups.length);
  });

  it('concludes nothing from latencies when the generator was bound', async () => {
    const latency: Check = () =>
      Promise.resolve([
        result('latency.slo.1', 'pass'),
        result('latency.slo.2', 'fail', 'too slow'),
        result('latency.table', 'inconclusive', 'nothing'),
      ]);
    const judgement = await withHistory(all, (history) =>
      judgeWith(checks({ latency, generator: bound }), history),
    );
    expect(judgement).toMatchObject({ verdict: 'inconclusive', generatorBound: true });
    const verdicts = Object.fromEntries(judgement.checks.map((check) => [check.id, check.verdict]));
    expect(verdicts).toMatchObject({
      'contract.error': 'pass',
      'rate-limit.error': 'pass',
      'latency.slo.1': 'inconclusive',
      'latency.slo.2': 'inconclusive',
      'capacity.error': 'inconclusive',
    });
    expect(judgement.checks.find((check) => check.id === 'latency.slo.2')?.reasons).toEqual([
      reason('checks-threw', { message: 'too slow' }),
      reason('generator-bound', { verdict: 'fail' }),
      reason('checks-threw', { message: 'late' }),
    ]);
    expect(judgement.checks.find((check) => check.id === 'latency.table')?.reasons).toEqual([
      reason('checks-threw', { message: 'nothing' }),
    ]);
    expect(
      judgement.diagnosis.causes.map(({ cause, checks, explains }) => [cause.code, checks, explains]),
    ).toEqual([
      [
        'generator-late',
        ['latency.slo.1', 'latency.slo.2', 'capacity.error', 'generator.send-lag'],
        'inconclusive',
      ],
    ]);
  });

  it('of a run that was given up is inconclusive and no crash', async () => {
    const judgement = await withHistory(
      {
        run: {
          ...all.run,
          planned_requests: 2,
          quota_attempts: 5,
          keys: { quota: { from: 'env Q', fingerprint: '00000000' } },
          ended: { at_epoch_ms: 0, how: 'kill-switch', detail: 'connection refused' },
        },
        requests: [
          { endpoint: 'analytics', stage: 'setup', lost: 'reset' },
          { endpoint: 'create-session', planned: 0, lost: 'reset' },
          { endpoint: 'interact', planned: 1, items: 1, notSent: 'no-session' },
        ],
      },
      judge,
    );
    expect(judgement.verdict).toBe('inconclusive');
    expect(judgement.checks.filter((check) => check.id.endsWith('.error'))).toEqual([]);
    expect(judgement.checks.filter((check) => check.verdict === 'fail')).toEqual([]);
  });
});

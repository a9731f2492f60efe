import { describe, expect, it } from 'vitest';
import { type CauseCode, shown } from '../../../src/checks/causes/cause.ts';
import type { CheckResult, Verdict } from '../../../src/checks/core/verdict.ts';
import { repeatableCauses, type StillThere, stillThere } from '../../../src/checks/diagnosis/again.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import type { Judgement } from '../../../src/checks/diagnosis/diagnosis.ts';
import type { CheckId } from '../../../src/vocabulary/check-ids.ts';
import { type SampleHistory, sampleRun, withHistory } from '../../history/sample.ts';

const phase = { role: 'load', unit: 'requests', pace: '1/s', start_ns: 0, end_ns: 1e9 } as const;

/** A request of each place of a run; the numbers are those of the cases below. */
const sample: SampleHistory = {
  run: {
    ...sampleRun,
    phases: [
      { ...phase, name: 'shoppers' },
      { ...phase, name: 'over the limit' },
      { ...phase, name: 'edge', role: 'quota' },
    ],
    studies: [{ kind: 'quota', budget_ms: 1e3 }],
  },
  requests: [
    { endpoint: 'analytics', stage: 'setup', phase: 'baseline' },
    { endpoint: 'import-shades', stage: 'setup', phase: 'contract', probe: 'corners:import' },
    { endpoint: 'list-shades', stage: 'setup', phase: 'contract', probe: 'corners:list' },
    {
      endpoint: 'create-session',
      stage: 'setup',
      phase: 'contract',
      probe: 'canary:create-session',
      sessionId: 's1',
    },
    { endpoint: 'create-session', phase: 'shoppers', sessionId: 's2' },
    { endpoint: 'list-shades', phase: 'over the limit', status: 429 },
    { endpoint: 'list-shades', stage: 'study', phase: 'limits: scope' },
    {
      endpoint: 'list-shades',
      stage: 'companion',
      phase: 'a bad key under load',
      credential: 'bad',
      status: 401,
    },
    { endpoint: 'read-session', stage: 'settle', phase: 'read-back', sessionId: 's1' },
    { endpoint: 'read-session', stage: 'settle', phase: 'read-back', sessionId: 's2' },
    { endpoint: 'analytics', stage: 'settle', phase: 'analytics' },
    { endpoint: 'read-session', stage: 'settle', phase: 'quota-aftermath', credential: 'quota' },
  ],
};

function result(id: CheckId, verdict: Verdict, causes: CheckResult['causes'] = []): CheckResult {
  const texts = { title: '', explanation: '', expected: null, observed: null };
  return { id, verdict, reasons: [], evidence: [], ...texts, ...(causes.length > 0 ? { causes } : {}) };
}

function judged(...checks: CheckResult[]): Judgement {
  return { verdict: 'fail', checks, generatorBound: false, diagnosis: diagnose(checks) };
}

const wrong = (seqs: readonly number[]) => shown('shade-count-wrong', { said: 1, expected: 2 }, seqs);

describe('the part of a run that shows a cause', () => {
  it.each<[string, CheckId, readonly number[], object | undefined]>([
    [
      'of a probe of set-up: its family',
      'contract.auth',
      [2],
      { families: ['corners'], phases: [], studies: [] },
    ],
    ['of the load: the phase', 'contract.auth', [5], { families: [], phases: ['shoppers'], studies: [] }],
    ['of a study: the study', 'rate-limit.enforced', [7], { families: [], phases: [], studies: ['limits'] }],
    [
      'of probe and load: the probe, if it is not about analytics',
      'contract.auth',
      [2, 5],
      { families: ['corners'], phases: [] },
    ],
    [
      'of a session of a probe that is read back: the probe',
      'contract.auth',
      [9],
      { families: ['canary'], phases: [] },
    ],
    [
      'of a session of the load that is read back: its phase',
      'contract.auth',
      [10],
      { families: [], phases: ['shoppers'] },
    ],
    [
      'of analytics: all that opens sessions with the load key',
      'analytics.avg-shades',
      [11],
      { families: ['canary'], phases: ['shoppers', 'over the limit'] },
    ],
    [
      'of a key whose quota is spent: what spends it',
      'quota.closed',
      [12],
      { phases: ['edge'], studies: ['quota'] },
    ],
    ['of a probe during the load: none', 'contract.auth', [8], undefined],
    ['of a check of latency: none', 'latency.regular', [5], undefined],
    ['of no request: none', 'contract.auth', [], undefined],
  ])('%s', async (_, id, seqs, part) => {
    const [cause] = await withHistory(sample, (history) =>
      repeatableCauses(history, judged(result(id, 'fail', [wrong(seqs)]))),
    );
    expect(cause?.checks).toEqual([id]);
    if (part === undefined) expect(cause?.part).toBeUndefined();
    else expect(cause?.part).toMatchObject(part);
  });

  it('has the requests of the run in it: what set-up needs, and the families that are sent together', async () => {
    const causes = await withHistory(sample, (history) =>
      repeatableCauses(history, judged(result('contract.auth', 'fail', [wrong([2, 5])]))),
    );
    // Baseline, both probes of unusual shades, the session of set-up and its read; none of the load.
    expect(causes[0]?.part).toMatchObject({ requests: 5, isShownElsewhere: true });
  });

  it('is that of all checks that name the cause', async () => {
    const checks = [
      result('contract.auth', 'fail', [wrong([2])]),
      result('contract.tenancy', 'fail', [wrong([5])]),
    ];
    const causes = await withHistory(sample, (history) => repeatableCauses(history, judged(...checks)));
    expect(causes).toHaveLength(1);
    expect(causes[0]?.part).toMatchObject({
      families: ['corners'],
      phases: ['shoppers'],
      isShownElsewhere: false,
    });
  });
});

describe('the shoppers who may show a cause without the others', () => {
  const journeys: SampleHistory = {
    run: { ...sampleRun, phases: [{ ...phase, name: 'shoppers' }] },
    // Shoppers 1 to 5: a session each, and as many events as their number says.
    requests: [1, 2, 3, 4, 5].flatMap((shopper) =>
      Array.from({ length: 1 + shopper }, (_, step) => ({
        ...{ endpoint: step === 0 ? ('create-session' as const) : ('interact' as const), phase: 'shoppers' },
        ...{ shopper, sessionId: `s${shopper}` },
      })),
    ),
  };
  it.each<[string, CheckId, readonly number[], readonly number[]]>([
    ['are the one whom the evidence names, then those with most events', 'contract.auth', [1], [1, 5, 4]],
    ['are the one whose session is read back, then the others', 'analytics.sessions', [4], [2, 5, 4]],
  ])('%s', async (_, id, seqs, shoppers) => {
    const [cause] = await withHistory(journeys, (history) =>
      repeatableCauses(history, judged(result(id, 'fail', [wrong(seqs)]))),
    );
    expect(cause?.part?.few?.shoppers).toEqual(shoppers);
  });

  it('are none where a limit or a quota takes all that spend it', async () => {
    const [cause] = await withHistory(journeys, (history) =>
      repeatableCauses(history, judged(result('rate-limit.enforced', 'fail', [wrong([3])]))),
    );
    expect(cause?.part).toBeDefined();
    expect(cause?.part?.few).toBeUndefined();
  });
});

describe('shoppers with unusual shades', () => {
  const load = { phase: 'shoppers', catalogId: 'catalog', productId: 'lipstick' };
  const probe = { stage: 'setup', phase: 'contract' } as const;
  const visits: SampleHistory = {
    run: { ...sampleRun, phases: [{ ...phase, name: 'shoppers' }] },
    requests: [
      { ...probe, endpoint: 'import-shades', probe: 'corners:import', catalogId: 'UNUSUAL' },
      { ...load, endpoint: 'create-session', shopper: 1, sessionId: 's2' },
      { ...load, endpoint: 'create-session', shopper: 2, sessionId: 's3', catalogId: 'UNUSUAL' },
      { phase: 'shoppers', endpoint: 'interact', shopper: 2, sessionId: 's3' },
      { endpoint: 'read-session', stage: 'settle', phase: 'read-back', sessionId: 's3' },
      { ...load, endpoint: 'list-shades', shopper: 4, catalogId: 'UNUSUAL' },
    ],
  };
  it.each<[string, CheckId, readonly number[], readonly string[]]>([
    ['depend on what found out whether the target takes them', 'contract.errors', [3], ['corners']],
    ['do so in every step of their visits', 'contract.errors', [4], ['corners']],
    ['do so where their sessions are read back', 'contract.errors', [5], ['corners']],
    ['do so where they only list the catalog', 'contract.errors', [6], ['corners']],
    ['do not concern shoppers with usual ones', 'contract.errors', [2], []],
    ['do not concern a limit, which counts requests', 'rate-limit.enforced', [3], []],
  ])('%s', async (_, id, seqs, families) => {
    const [cause] = await withHistory(visits, (history) =>
      repeatableCauses(history, judged(result(id, 'fail', [wrong(seqs)]))),
    );
    expect(cause?.part?.families).toEqual(families);
  });
});

describe('a cause in another run', () => {
  const code: CauseCode = 'shade-count-wrong';
  const other = shown('session-disappears', { sessions: 1, statuses: [404] } as never);
  it.each<[StillThere, string, CheckResult[]]>([
    ['yes', 'a check names it', [result('contract.auth', 'fail', [wrong([1])])]],
    [
      'yes',
      'another check names it',
      [result('contract.auth', 'pass'), result('contract.names', 'fail', [wrong([1])])],
    ],
    ['otherwise', 'the check still fails for another cause', [result('contract.auth', 'fail', [other])]],
    ['no', 'the check passes', [result('contract.auth', 'pass'), result('contract.names', 'fail', [other])]],
    ['unknown', 'the check is inconclusive', [result('contract.auth', 'inconclusive')]],
    ['unknown', 'the check was not made', []],
  ])('is there: %s, where %s', (answer, _, checks) => {
    expect(stillThere({ code, checks: ['contract.auth'] }, judged(...checks))).toBe(answer);
  });

  it.each<[StillThere, Verdict, Verdict]>([
    ['no', 'pass', 'inconclusive'],
    ['unknown', 'inconclusive', 'inconclusive'],
    ['otherwise', 'pass', 'fail'],
  ])('is there: %s, where the contract comes to %s, and analytics to %s', (answer, contract, analytics) => {
    const checks = [result('contract.auth', contract), result('analytics.avg-shades', analytics)];
    const named: CheckId[] = ['contract.auth', 'analytics.avg-shades'];
    expect(stillThere({ code, checks: named }, judged(...checks))).toBe(answer);
  });

  it('is not gone before all checks that named it pass', () => {
    const checks = [result('contract.auth', 'pass'), result('contract.tenancy', 'inconclusive')];
    const named: CheckId[] = ['contract.auth', 'contract.tenancy'];
    expect(stillThere({ code, checks: named }, judged(...checks))).toBe('unknown');
  });
});

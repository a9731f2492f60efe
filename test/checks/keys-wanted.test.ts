import { describe, expect, it } from 'vitest';
import { keysWanted } from '../../src/checks/core/unanswered.ts';
import type { CheckFinding, Verdict } from '../../src/checks/core/verdict.ts';
import type { RunInfo } from '../../src/history/run.ts';
import type { CheckId } from '../../src/vocabulary/check-ids.ts';
import { sampleRun } from '../history/sample.ts';

type Result = Pick<CheckFinding, 'id' | 'verdict'>;

function result(id: CheckId, verdict: Verdict): Result {
  return { id, verdict };
}

const key = { from: 'env KEY', fingerprint: '00000000' };
const imported: Partial<RunInfo> = { catalogs: [{ id: 'c', role: 'load', shades: 1 }] };
const studied = (...kinds: ('limits' | 'quota')[]): Partial<RunInfo> => ({
  studies: kinds.map((kind) => ({ kind, budget_ms: 1 })),
});

const cases: readonly [string, Partial<RunInfo>, readonly Result[], readonly string[]][] = [
  [
    'nobody’s data can be asked for with another account’s key',
    imported,
    [],
    ['contract.tenancy (bystander)'],
  ],
  ['a run that writes nothing has nothing to ask for', {}, [], []],
  [
    'a run past the limit cannot see whether others are left alone',
    {},
    [result('rate-limit.isolation', 'inconclusive')],
    ['rate-limit.isolation (bystander)'],
  ],
  [
    'a study of limits finds out all but whether keys share one',
    studied('limits'),
    [result('rate-limit.scope', 'pass')],
    ['rate-limit.scope in part (bystander)'],
  ],
  [
    'a quota that was to be spent is one word, whatever else there would have been',
    { ...studied('quota'), quota_attempts: 5 },
    [],
    ['quota (quota)'],
  ],
  [
    'a quota that was spent may be shared with keys that are not there',
    { ...studied('quota'), quota_attempts: 5, keys: { load: key, quota: key, bystander: key } },
    [result('quota.sharing', 'pass')],
    ['quota.sharing in part (twin)'],
  ],
  [
    'a group that the scenario does not ask for lacks no key',
    { ...imported, ...studied('limits', 'quota'), quota_attempts: 5, checks: ['analytics'] },
    [],
    [],
  ],
  [
    'with every key nothing is wanting',
    {
      ...imported,
      ...studied('limits', 'quota'),
      quota_attempts: 5,
      keys: { load: key, quota: key, twin: key, bystander: key },
    },
    [result('rate-limit.isolation', 'inconclusive')],
    [],
  ],
];

describe('for want of a key', () => {
  it.each(cases)('%s', (_sentence, run, results, wanted) => {
    const found = keysWanted({ ...sampleRun, keys: { load: key }, ...run }, results);
    expect(found.map(({ isPart, role, what }) => `${what}${isPart ? ' in part' : ''} (${role})`)).toEqual(
      wanted,
    );
  });
});

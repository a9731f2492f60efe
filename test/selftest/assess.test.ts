import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../src/checks/verdict.ts';
import { assess, type Judged } from '../../src/selftest/assess.ts';
import type { DefectCase, HarmlessCase } from '../../src/selftest/cases.ts';

const planted: DefectCase = {
  kind: 'defect',
  id: 'D1',
  grade: 1,
  title: 'A defect',
  run: 'shoppers',
  seed: 1,
  expected: { run: 'shoppers', groups: ['quota'], says: /one too many/ },
};
const harmless: HarmlessCase = { kind: 'harmless', id: 'honest', title: '', run: 'shoppers', seed: 1 };

function check(id: Judged['id'], verdict: Verdict, explanation = ''): Judged {
  return { id, verdict, explanation, title: '' };
}
const passed = check('contract.auth', 'pass');

describe('a run with a defect', () => {
  it.each([
    [
      'is detected by the check that says so',
      1,
      [passed, check('quota.edge', 'fail', 'Edge. It was one too many. So.')],
      'detected',
    ],
    [
      'is detected whatever else failed',
      1,
      [
        check('contract.auth', 'fail'),
        check('quota.race', 'fail'),
        check('quota.edge', 'fail', 'one too many'),
      ],
      'detected',
    ],
    ['is missed when all passed', 0, [passed], 'missed: nothing failed'],
    [
      'is missed when all that there is, is a doubt, and the doubt is named',
      3,
      [check('quota.edge', 'inconclusive', 'one too many')],
      'missed: nothing failed; inconclusive: quota.edge',
    ],
    [
      'is missed when it is called something else',
      1,
      [check('contract.auth', 'fail', 'one too many')],
      'missed: failed in contract.auth, and nothing in quota',
    ],
    [
      'is missed when the failure does not say what is wrong',
      1,
      [check('quota.edge', 'fail', 'Something.')],
      'missed: quota.edge failed, but does not say one too many: Something.',
    ],
    ['says nothing when the run was given up', 4, [check('quota.edge', 'fail', 'one too many')], 'broken'],
    ['says nothing when it was killed', null, undefined, 'broken'],
    ['says nothing when it left no verdicts', 1, undefined, 'broken'],
  ] as const)('%s', (_sentence, code, checks, expected) => {
    const outcome = assess(planted, { code, checks, output: 'last words' });
    const said = outcome.kind === 'missed' ? `missed: ${outcome.why}` : outcome.kind;
    expect(said).toBe(expected);
  });

  it('gives the sentence that names what is wrong as its evidence', () => {
    const checks = [check('quota.edge', 'fail', 'Edge of 20. It was one too many. So.')];
    const outcome = assess(planted, { code: 1, checks, output: '' });
    expect(outcome).toMatchObject({ kind: 'detected', sentence: 'It was one too many.' });
  });
});

describe('a harmless run', () => {
  it.each([
    ['raises no alarm when all passed', 0, [passed], 'no-alarm'],
    [
      'raises none when something is in doubt, which is counted',
      3,
      [check('quota.edge', 'inconclusive')],
      'inconclusive',
    ],
    ['raises one when anything failed', 1, [passed, check('latency.slo.1', 'fail')], 'false-alarm'],
    ['says nothing when it was given up', 4, [passed], 'broken'],
    ['says nothing when it ended as if a check had failed, and none did', 1, [passed], 'broken'],
  ] as const)('%s', (_sentence, code, checks, expected) => {
    expect(assess(harmless, { code, checks, output: '' }).kind).toBe(expected);
  });
});

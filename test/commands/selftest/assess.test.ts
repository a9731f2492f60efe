import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import { assess, type ComparedCheck, type NamedCause } from '../../../src/commands/selftest/assess.ts';
import type { DefectCase, HarmlessCase } from '../../../src/commands/selftest/cases.ts';

const planted: DefectCase = {
  kind: 'defect',
  id: 'D1',
  grade: 1,
  title: 'A defect',
  run: 'shoppers',
  seed: 1,
  expected: { run: 'shoppers', cause: 'quota-differs', causeApart: 'quota-reopens' },
};
const harmless: HarmlessCase = { kind: 'harmless', id: 'honest', title: '', run: 'shoppers', seed: 1 };

function check(id: ComparedCheck['id'], verdict: Verdict, explanation = ''): ComparedCheck {
  return { id, verdict, explanation, title: '' };
}
const passed = check('contract.auth', 'pass');

function cause(code: string): NamedCause {
  return { cause: code, text: `It is ${code}.`, checks: ['quota.edge'] };
}
const failed = check('quota.edge', 'fail', 'one too many');

describe('a run with a defect', () => {
  it.each([
    ['is detected by its cause, if that is named first', 1, [passed, failed], ['quota-differs'], 'detected'],
    [
      'is detected whatever cause comes after it',
      1,
      [failed],
      ['quota-differs', 'check-then-increment'],
      'detected',
    ],
    ['is missed when all passed', 0, [passed], [], 'missed: nothing failed'],
    [
      'is missed when all that there is, is a doubt, and the doubt is named',
      3,
      [check('quota.edge', 'inconclusive', 'one too many')],
      [],
      'missed: nothing failed; inconclusive: quota.edge',
    ],
    [
      'is missed when another cause is named',
      1,
      [failed],
      ['check-then-increment'],
      'missed: the probable cause is check-then-increment, not quota-differs',
    ],
    [
      'is missed when another cause is named first',
      1,
      [failed],
      ['check-then-increment', 'quota-differs'],
      'missed: quota-differs is only probable cause 2: check-then-increment, quota-differs',
    ],
    [
      'is missed when no cause is named',
      1,
      [failed],
      [],
      'missed: quota.edge failed, without a probable cause',
    ],
    ['says nothing when the run was given up', 4, [failed], [], 'broken'],
    ['says nothing when it was killed', null, undefined, [], 'broken'],
    ['says nothing when it left no verdicts', 1, undefined, [], 'broken'],
  ] as const)('%s', (_sentence, code, checks, causes, expected) => {
    const outcome = assess(planted, { code, checks, diagnosis: causes.map(cause), output: 'last words' });
    const said = outcome.kind === 'missed' ? `missed: ${outcome.why}` : outcome.kind;
    expect(said).toBe(expected);
  });

  it('is expected to have a cause of its own where the service was started apart', () => {
    const end = { code: 1, checks: [failed], diagnosis: [cause('quota-reopens')], output: '' };
    expect(assess(planted, end, true).kind).toBe('detected');
    expect(assess(planted, end).kind).toBe('missed');
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
    expect(assess(harmless, { code, checks, diagnosis: [], output: '' }).kind).toBe(expected);
  });
});

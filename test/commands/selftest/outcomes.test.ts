import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import type { Case } from '../../../src/commands/selftest/expectations.ts';
import {
  assess,
  type CaseOutcome,
  isProven,
  type RunEnd,
  renderSelftest,
  type Tried,
} from '../../../src/commands/selftest/outcome.ts';

const expected = { run: 'quota', cause: 'quota-differs', causeApart: 'quota-reopens' } as const;
const harmless: Case = { id: 'honest', title: '', run: 'quota', seed: 1 };
const planted: Case = { ...harmless, id: 'Q2', grade: 2, expected };
type ComparedCheck = NonNullable<RunEnd['checks']>[number];
const check = (id: ComparedCheck['id'], verdict: Verdict): ComparedCheck => ({
  ...{ id, verdict, explanation: 'one too many' },
});
const passed = check('contract.auth', 'pass');
const failed = check('quota.edge', 'fail');
const unsure = check('quota.edge', 'inconclusive');
const ending = (
  code: number | null,
  checks: readonly ComparedCheck[] | undefined,
  causes: readonly string[],
) => ({
  ...{ code, checks, output: 'last words' },
  diagnosis: causes.map((cause) => ({ cause, text: `It is ${cause}.`, checks: ['quota.edge'] })),
});

describe('a run', () => {
  it.each<[string, Case, number | null, ComparedCheck[] | undefined, string[], RegExp]>([
    ['detects a defect by its cause', planted, 1, [passed, failed], ['quota-differs'], /^detected: It is/],
    ['whatever comes after it', planted, 1, [failed], ['quota-differs', 'x'], /^detected/],
    ['misses one when all passed', planted, 0, [passed], [], /^missed: nothing failed$/],
    ['and says what is in doubt', planted, 3, [unsure], [], /^missed: .*; inconclusive: quota.edge$/],
    ['and which cause it named', planted, 1, [failed], ['x'], /is x, not quota-differs$/],
    ['and which came first', planted, 1, [failed], ['x', 'quota-differs'], /only probable cause 2: x/],
    ['and that it named none', planted, 1, [failed], [], /^missed: quota.edge failed, without/],
    ['says nothing when it was given up', planted, 4, [failed], [], /^broken: .*4: last words$/],
    ['says nothing when it was killed', planted, null, undefined, [], /^broken: .*killed/],
    ['says nothing when it left no verdicts', planted, 1, undefined, [], /^broken/],
    ['of a harmless service raises no alarm', harmless, 0, [passed], [], /^no-alarm/],
    ['none when something is in doubt', harmless, 3, [unsure], [], /^inconclusive: .*: quota.edge$/],
    ['one when anything failed', harmless, 1, [passed, failed], [], /^false-alarm: quota.edge: one/],
    ['no result when it was given up', harmless, 4, [passed], [], /^broken/],
    ['none when no check failed, as its end says', harmless, 1, [passed], [], /^broken: .*0 failed/],
  ])('%s', (_sentence, tried, code, checks, causes, words) => {
    const outcome = assess(tried, ending(code, checks, causes));
    expect(`${outcome.kind}: ${outcome.words}`).toMatch(words);
  });

  it('may have another cause where the service was started apart', () => {
    const end = ending(1, [failed], ['quota-reopens']);
    expect([assess(planted, end, true).kind, assess(planted, end).kind]).toEqual(['detected', 'missed']);
  });
});

const long = 'It goes on and on <b>about</b> the session quota, of which more were admitted than allowed.';
const outcomes: readonly [id: string, outcome: CaseOutcome][] = [
  ['Q1', { kind: 'missed', words: 'nothing failed' }],
  ['Q2', { kind: 'detected', words: long, cause: 'quota-differs' }],
  ['honest', { kind: 'no-alarm', words: 'nothing failed' }],
  ['honest', { kind: 'inconclusive', words: 'nothing failed; inconclusive: quota.edge' }],
  ['a-variant-with-a-very-long-name', { kind: 'false-alarm', words: long }],
];
const all = outcomes.map(
  ([id, outcome], seed): Tried => ({
    tried: { ...(id.startsWith('Q') ? planted : harmless), id, seed, title: 'What <i>differs</i>' },
    ...{ outcome, tookMs: 12_345, ...(outcome.kind === 'false-alarm' ? { folder: `runs/${id}` } : {}) },
  }),
);
const about = { beganMs: Date.UTC(2026, 4, 1), tookMs: 60_000, jobs: 2, foreign: false, planned: 5 };
const result = { ...about, tries: all };

describe('a selftest', () => {
  it('proves the harness when all defects are detected and nothing harmless failed', () => {
    const good = { ...about, planned: 3, tries: all.slice(1, 4) };
    expect([isProven(result), isProven(good)]).toEqual([false, true]);
  });

  it('has a row of its text for each run, within 80 columns, and says where to look', () => {
    const text = renderSelftest(result, false);
    expect(text.split('\n').filter((line) => [...line].length > 80)).toEqual([]);
    for (const line of [
      /^ {2}✗ {2}Q1 +quota 0 +missed +nothing failed +12$/m,
      /^ {2}✓ {2}Q2 +quota 1 +quota-differs +It goes on/m,
      /- a-variant-with-a-very-long-name \(What <i>differs<\/i>\), run quota, seed 4:/,
      /Detected 1 of 2 defects \(50 %\)\./,
      /False alarms in 1 of 3 harmless runs; 1 of them was inconclusive\./,
    ])
      expect(text).toMatch(line);
    expect(text.replaceAll(/\s+/g, ' ')).toContain('runs/a-variant-with-a-very-long-name');
    expect(renderSelftest({ ...result, planned: 9 })).toContain('Interrupted after 5 of 9 runs.');
  });
});

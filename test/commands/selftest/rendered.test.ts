import { describe, expect, it } from 'vitest';
import type { CaseOutcome } from '../../../src/commands/selftest/assess.ts';
import type { Case } from '../../../src/commands/selftest/cases.ts';
import type { Tried } from '../../../src/commands/selftest/conduct.ts';
import { figuresOf, isProven, resultOf, selftestJson } from '../../../src/commands/selftest/result.ts';
import { renderSelftest } from '../../../src/commands/selftest/terminal.ts';

const long =
  'It goes on and on <b>about</b> the session quota, of which more were admitted than anybody bargained for.';
const by = { id: 'quota.edge', title: '', verdict: 'fail', explanation: long } as const;
const outcomes: readonly [Case['kind'], string, CaseOutcome][] = [
  ['defect', 'Q2', { kind: 'detected', by: { cause: 'quota-differs', text: long, checks: ['quota.edge'] } }],
  ['defect', 'Q1', { kind: 'missed', why: 'nothing failed' }],
  ['harmless', 'honest', { kind: 'no-alarm' }],
  ['harmless', 'honest', { kind: 'inconclusive', checks: [by] }],
  ['harmless', 'a-variant-with-a-very-long-name', { kind: 'false-alarm', checks: [by] }],
];

function tried(kind: Case['kind'], id: string, outcome: CaseOutcome, seed: number): Tried {
  const common = { id, title: 'What <i>differs</i>', run: 'quota', seed } as const;
  const expected = { run: 'quota', cause: 'quota-differs', causeApart: 'quota-differs' } as const;
  return {
    tried: kind === 'defect' ? { ...common, kind, grade: 2, expected } : { ...common, kind },
    outcome,
    tookMs: 12_345,
    folder: outcome.kind === 'false-alarm' ? `runs/${id}` : undefined,
  };
}

const about = { beganMs: Date.UTC(2026, 4, 1), tookMs: 60_000, jobs: 2, foreign: false, planned: 5 };
const order = ['Q1', 'Q2', 'a-variant-with-a-very-long-name'];
const all = outcomes.map(([kind, id, outcome], index) => tried(kind, id, outcome, index));
const result = resultOf(all, about, order);
const good = resultOf(all.slice(0, 1).concat(all.slice(2, 4)), { ...about, planned: 3 }, order);

describe('a selftest', () => {
  it('counts what was found, and what should not have been', () => {
    expect(figuresOf(result)).toEqual({
      defects: 2,
      detected: 1,
      harmless: 3,
      falseAlarms: 1,
      inconclusive: 1,
      broken: 0,
    });
  });

  it('proves the harness when all defects are detected and nothing harmless failed, in doubt or not', () => {
    expect([isProven(result), isProven(good)]).toEqual([false, true]);
  });

  it('is in order: defects as they are listed', () => {
    expect(result.defects.map((each) => each.tried.id)).toEqual(['Q1', 'Q2']);
  });
});

describe('its text', () => {
  const text = renderSelftest(result, { colour: false });
  it('needs 80 columns, however long the explanations', () => {
    expect(text.split('\n').filter((line) => [...line].length > 80)).toEqual([]);
  });
  it('has a line for each defect and variant, and the figures', () => {
    expect(text).toMatch(/^✓ Q2 +quota-differs +It goes on .*… +12$/m);
    expect(text).toMatch(/^✗ Q1 +missed +nothing failed +12$/m);
    expect(text).toMatch(/^✓ honest +2 of 2 +nothing failed; inconclusive/m);
    expect(text).toMatch(/^✗ a-variant-with-… +0 of 1 /m);
    expect(text).toContain('Detected 1 of 2 defects (50 %).');
    expect(text).toContain('False alarms in 1 of 3 harmless runs; 1 of them was inconclusive.');
  });
  it('tells in full what went wrong, and where to look', () => {
    expect(text.replaceAll(/\s+/g, ' ')).toContain(long);
    expect(text).toContain('runs/a-variant-with-a-very-long-name');
  });
  it('says when it was interrupted', () => {
    const half = renderSelftest(resultOf(all, { ...about, planned: 9 }, order), { colour: false });
    expect(half).toContain('Interrupted after 5 of 9 runs.');
  });
});

describe('its JSON', () => {
  it('holds the figures and every run', () => {
    expect(selftestJson(result)).toMatchObject({
      schema_version: 2,
      complete: true,
      detection: { defects: 2, detected: 1 },
      alarms: { runs: 3, false_alarms: 1, inconclusive: 1 },
      defects: [
        { id: 'Q1', outcome: 'missed', seconds: 12.3 },
        { id: 'Q2', outcome: 'detected', cause: 'quota-differs', words: long },
      ],
      harmless: [{ name: 'honest' }, { name: 'honest' }, { outcome: 'false-alarm' }],
    });
  });
});

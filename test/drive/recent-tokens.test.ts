import { describe, expect, it } from 'vitest';
import { RecentTokens } from '../../src/drive/record/recent-tokens.ts';

function grantOf(n: number, token = `tok_${n}`): Parameters<RecentTokens['problem']>[0] {
  return { session_id: `ts_${n}`, token, expires_at: '2026-05-01T12:30:00Z', shade_count: 1 };
}

describe('the tokens of the last sessions', () => {
  it('are told apart where they differ in a character', () => {
    const tokens = new RecentTokens(true);
    const problems = Array.from({ length: 50_000 }, (_, n) =>
      tokens.problem(grantOf(n, `tok_ts_${n.toString(36).padStart(20, '0')}`), n + 1),
    );
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  it.each([1, 1_999, 2_000])('are remembered when %i others came since, wherever that is', (others) => {
    for (const before of [0, 1_000, 1_999, 2_000, 3_500]) {
      const tokens = new RecentTokens(true);
      for (let n = 0; n <= before + others - 1; n++) tokens.problem(grantOf(n), n + 1);
      expect(tokens.problem(grantOf(-1, `tok_${before}`), 9_999)).toBe(
        `token: expected a new one, got that of request ${before + 1}`,
      );
    }
  });

  it('are forgotten when 4,000 others came since', () => {
    const tokens = new RecentTokens(true);
    for (let n = 0; n < 4_001; n++) tokens.problem(grantOf(n), n + 1);
    expect(tokens.problem(grantOf(-1, 'tok_0'), 9_999)).toBeUndefined();
  });

  it('may come again for the same session', () => {
    const tokens = new RecentTokens(true);
    tokens.problem(grantOf(1), 1);
    expect(tokens.problem(grantOf(1), 2)).toBeUndefined();
    expect(tokens.problem(grantOf(2, 'tok_1'), 3)).toContain('request 2');
  });
});

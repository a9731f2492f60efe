import { describe, expect, it } from 'vitest';
import { shown } from '../../src/checks/causes/cause.ts';
import { render } from '../../src/checks/core/render.ts';
import type { CheckFinding } from '../../src/checks/core/verdict.ts';

const named = (what: string, seqs: readonly number[]) => ({ what, seqs, total: seqs.length });

describe('the evidence of a check', () => {
  const finding = {
    id: 'contract.import-update',
    expected: null,
    observed: null,
    reasons: [],
    evidence: [named('import', [1]), named('right list', [2]), named('wrong list', [3])],
  } as const;

  it.each<[string, CheckFinding, readonly string[]]>([
    [
      'begins with what shows the cause of a failure',
      {
        ...finding,
        verdict: 'fail',
        causes: [shown('shade-count-wrong', { said: 1, expected: 2 }, [3])],
      },
      ['wrong list', 'import', 'right list'],
    ],
    [
      'stays as it is where no cause is known',
      { ...finding, verdict: 'fail' },
      ['import', 'right list', 'wrong list'],
    ],
  ])('%s', (_, found, order) => {
    expect(render(found).evidence.map(({ what }) => what)).toEqual(order);
  });
});

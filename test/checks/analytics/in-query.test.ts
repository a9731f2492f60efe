import { describe, expect, it } from 'vitest';
import { inQueries, inQuery } from '../../../src/checks/analytics/results/fields.ts';
import { reason, reasonText } from '../../../src/checks/reasons/reason.ts';

const missing = reason('answer-missing', { query: null });
const more = reason('answer-more-than-run', { query: null });
const others = reason('account-used-by-others');
const held = reason('account-held-sessions', { sessions: 4 });

describe('reasons of an answer', () => {
  it('name its query once, and not where it stands beside them', () => {
    expect(inQuery('lipstick', [missing, others]).map(reasonText)).toEqual([
      'For lipstick: the field is missing or has another type.',
      reasonText(others),
    ]);
    expect(reasonText(missing)).toBe('The field is missing or has another type.');
  });

  it('that hold for all answers alike come once, after what is said of each', () => {
    const answers = [inQuery('lipstick', [more, held, others]), inQuery('blush', [more, others])];
    expect(inQueries(answers)).toEqual([
      ...inQuery('lipstick', [more, held]),
      ...inQuery('blush', [more]),
      others,
    ]);
  });

  it('of a single answer keep their order', () => {
    const only = inQuery('lipstick', [more, held, others]);
    expect(inQueries([only])).toEqual(only);
    expect(inQueries([])).toEqual([]);
  });
});

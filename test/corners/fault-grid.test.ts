import { describe, expect, it } from 'vitest';
import { events, faultGrid, nouns } from '../../src/corners/fault-grid.ts';
import { checkIds } from '../../src/vocabulary/check-ids.ts';

const cells = nouns.flatMap((noun) =>
  faultGrid[noun].map((cell, place) => ({ what: `${noun}, ${events[place]}`, cell })),
);

describe('a cell of the fault grid', () => {
  it.each(cells)('$what: names checks, or says why there is none', ({ cell }) => {
    if ('keeps' in cell) {
      expect(cell.keeps).not.toMatch(/\.$/);
      expect(cell.keeps.split(' ').length).toBeLessThanOrEqual(25);
      expect(cell.checks.length).toBeGreaterThan(0);
    } else {
      expect(cell.whyNot).toMatch(/\.$/);
    }
  });
});

describe('the fault grid', () => {
  it('has each contract, quota and rate limit check of single requests in some cell, so that a new one gets its place', () => {
    const named = new Set(cells.flatMap(({ cell }) => ('keeps' in cell ? cell.checks : [])));
    // What is promised of form alone, or follows from others, is about no event.
    const formal = [
      'contract.answers',
      'contract.availability',
      'contract.openapi',
      'quota.status',
      'rate-limit.algorithm',
      'rate-limit.headers-remaining',
      'rate-limit.headers-reset',
      'rate-limit.no-side-effect',
      'rate-limit.order',
      'rate-limit.wrongful',
    ];
    const groups = /^(contract|quota|rate-limit)\./;
    const missing = checkIds.filter((id) => groups.test(id) && !named.has(id) && !formal.includes(id));
    expect(missing).toEqual([]);
  });
});

import { expect, it } from 'vitest';
import { eitherState, leftAfter } from '../../src/limits/kinds/kind.ts';

it('what is left of a limit is least where the limit is lowest and the load highest', () => {
  expect(leftAfter({ least: 10, most: 12 }, { least: 3, most: 5 })).toEqual({ least: 4, most: 8 });
});

it('of two states that may be the true one, the wider bound of each number holds', () => {
  const one = { left: { least: 1, most: 4 }, free: { loNs: 10, hiNs: 40 }, reset: { loNs: 15, hiNs: 20 } };
  const other = { left: { least: 2, most: 3 }, free: { loNs: 20, hiNs: 60 }, reset: { loNs: 5, hiNs: 18 } };
  const either = { left: { least: 1, most: 4 }, free: { loNs: 10, hiNs: 60 }, reset: { loNs: 5, hiNs: 20 } };
  expect(eitherState(one, other)).toEqual(either);
  expect(eitherState(other, one)).toEqual(either);
});

import { describe, expect, it } from 'vitest';
import { nearSessionIds } from '../../src/drive/setup/near-ids.ts';

describe('ids that resemble that of a session', () => {
  it.each([
    ['with letters of both cases are also tried in the other case', 'aB3', ['aBX', 'aB30', 'aB', 'Ab3']],
    ['with letters of one case are not', 'a13', ['a1X', 'a130', 'a1']],
    ['of one character are not cut', '7', ['b', '70']],
  ])('%s', (_, id, wanted) => {
    const near = [...nearSessionIds(id).values()];
    expect(near.toSorted()).toEqual(wanted.toSorted());
    expect(near).not.toContain(id);
  });
});

import { describe, expect, it } from 'vitest';
import { nearSessionIds } from '../../src/drive/setup/near-ids.ts';

const stem = 'session0123456';

describe('ids that resemble that of a session', () => {
  it.each([
    ['have another last character, one less, or one more', `${stem}a3`, ['aX', 'a', 'a30']],
    ['are also in the other case, where letters of both cases occur', `${stem}B3`, ['BX', 'B', 'B30', 'b3']],
    ['are not cut or longer where the id ends in a number', `${stem}-17`, ['-1b']],
    ['are left out where the id is short', 'a13', []],
  ])('%s', (_, id, ends) => {
    const near = [...nearSessionIds(id).values()];
    const wanted = ends.map((end) => (end === 'b3' ? `${stem.toUpperCase()}b3` : `${stem}${end}`));
    expect(near.toSorted()).toEqual(wanted.toSorted());
    expect(near).not.toContain(id);
  });
});

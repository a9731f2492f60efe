import { describe, expect, it } from 'vitest';
import { jointBlock, viewOf, viewsOf } from '../../src/limits/view.ts';
import { written } from './written.ts';

describe('the most telling requests', () => {
  it.each([
    [
      'are the first, the last and both ends of each run of like outcomes',
      '0+ 1+ 2+ 3- 4- 5- 6+ 7+',
      [0, 2, 3, 5, 6, 7],
    ],
    ['are runs of one as well', '0+ 1- 2+', [0, 1, 2]],
    ['are no unclear ones, and a run goes on through those', '0+ 1? 2+ 3x 4+ 5-', [0, 4, 5]],
    ['are the ends of a trace of one outcome', '0+ 1+ 2+ 3+', [0, 3]],
    ['are none of an empty trace', '', []],
  ])('%s', (_, requests, expected) => {
    expect([...viewOf(written(requests)).critical]).toEqual(expected);
  });

  it('are chosen evenly where there are more than 250 runs', () => {
    const { critical } = viewOf(
      written(Array.from({ length: 1_000 }, (_, n) => `${n}${n % 2 === 0 ? '+' : '-'}`).join(' ')),
    );
    expect([critical.length, critical[0], critical[1], critical[249]]).toEqual([250, 0, 4, 996]);
  });

  it('are all of 250 runs', () => {
    const { critical } = viewOf(
      written(Array.from({ length: 250 }, (_, n) => `${n}${n % 2 === 0 ? '+' : '-'}`).join(' ')),
    );
    expect(critical).toHaveLength(250);
  });
});

describe('views of several keys', () => {
  const seen = () => viewsOf([written('0+ 1- 3- 9+'), written('0+ 1- 4- 8+')]);

  it('number requests through all traces', () => {
    const views = seen();
    expect(views.map(({ base }) => base)).toEqual([0, 4]);
  });

  it('allow a block what all keys together allow', () => {
    const views = seen();
    // Of the first key 2 to 8 s, of the second 3 to 7 s; clocks apart.
    expect(views.map(({ block }) => [Math.round(block.loNs / 1e8), Math.round(block.hiNs / 1e8)])).toEqual([
      [30, 70],
      [30, 70],
    ]);
    expect(jointBlock([])).toEqual({ loNs: 0, hiNs: Number.POSITIVE_INFINITY });
  });
});

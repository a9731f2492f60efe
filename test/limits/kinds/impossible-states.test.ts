import { expect, it } from 'vitest';
import { type BoxS, stateOf } from './figures.ts';

const box: BoxS = { scale: 10, boundary: 0, limits: [3, 3] };
const anything = { left: '−∞..∞', free: '−∞..∞', reset: '−∞..∞' };

it.each([
  ['a fourth admission in a fixed window of three', 'fixed-window', '1+ 2+ 3+ 4+', 4],
  ['a third request rejected by a fixed window of three', 'fixed-window', '1+ 2+ 3-', 3],
  ['a fourth admission in a sliding counter of three', 'sliding-counter', '1+ 2+ 3+ 4+', 4],
  ['a second request rejected by a sliding counter of three', 'sliding-counter', '1+ 2-', 2],
  ['a first rejection by a block cache of three', 'sliding-counter-block-cache', '1+ 2-', 2],
])(
  'after an answer that the limiter cannot give, everything is possible: %s',
  (_, kind, requests, request) => {
    expect(stateOf(kind, requests, box, request)).toEqual(anything);
  },
);

it('a later rejection in a block says nothing of the count, and the block ends with the window', () => {
  expect(stateOf('sliding-counter-block-cache', '1+ 2- 3-', box, 3)).toEqual({
    left: '0',
    free: '9.9935..10.0065',
    reset: '9.9935..20.0065',
  });
});

it('the highest load that was admitted bounds when a counter has a place again', () => {
  // Between two and three were the highest, although the limit may be anything from two to four.
  expect(stateOf('sliding-counter', '1+ 2+ 3+ 4-', { ...box, limits: [2, 4] }, 4).free).toBe(
    '9.9935..13.3398',
  );
});

import { type KnownBox, LimitRange, type Thoroughness } from '../../../src/limits/kinds/kind.ts';
import { kindOf } from '../../../src/limits/kinds/table.ts';
import { exactly, type Span } from '../../../src/limits/span.ts';
import { viewOf } from '../../../src/limits/view.ts';
import { ns, written } from '../written.ts';

/** A box of parameters in seconds: a number is exact, a pair are bounds. */
export interface BoxS {
  readonly scale: number | readonly [number, number];
  readonly boundary?: number | readonly [number, number];
  readonly limits?: readonly [number, number];
}

function spanOf(seconds: number | readonly [number, number]): Span {
  return typeof seconds === 'number' ? exactly(ns(seconds)) : { loNs: ns(seconds[0]), hiNs: ns(seconds[1]) };
}

export function boxOf({ boundary, limits: [least, most] = [1, 1], scale }: BoxS): KnownBox {
  return {
    scale: spanOf(scale),
    boundary: boundary === undefined ? undefined : spanOf(boundary),
    limits: { least, most },
  };
}

const kindCalled = (kind: string) => kindOf({ kind, limit: 1, scaleNs: 1, boundaryNs: 0 });

/** The limits that explain a trace, and the requests that bound them, such as `2 (by 2) to 5 (by 9)`. */
export function limitsOf(
  kind: string,
  requests: string,
  box: BoxS,
  thoroughness: Thoroughness = 'every',
): string {
  const range = new LimitRange();
  kindCalled(kind).narrow(viewOf(written(requests)), boxOf(box), range, thoroughness);
  return shown(range);
}

/** The same for windows that begin anywhere. */
export function limitsOfAnyPhase(kind: string, requests: string, { scale }: BoxS): string {
  const range = new LimitRange();
  kindCalled(kind).narrowAnyPhase?.(viewOf(written(requests)), spanOf(scale), range);
  return shown(range);
}

function shown(range: LimitRange): string {
  const by = (index: number): string => (index < 0 ? '' : ` (by ${index + 1})`);
  // What one request refutes by itself has no limits to show.
  if (range.min === Number.MAX_SAFE_INTEGER) return `none${by(range.minSetBy)}`;
  return `${range.min}${by(range.minSetBy)} to ${range.max}${by(range.maxSetBy)}`;
}

/** The bounds on what a kind had counted at each request, such as `0 1..2 3`. */
export function loadsOf(kind: string, requests: string, box: BoxS): string {
  const { least, most } = kindCalled(kind).loads(viewOf(written(requests)), boxOf(box));
  return Array.from({ length: requests.split(' ').length }, (_, i) => interval(least[i], most[i], 4)).join(
    ' ',
  );
}

/** The state after a request, in places and seconds; `−∞` and `∞` where nothing is known. */
export function stateOf(
  kind: string,
  requests: string,
  box: BoxS,
  request: number,
): Readonly<Record<string, string>> {
  const { left, free, reset } = kindCalled(kind).states(viewOf(written(requests)), boxOf(box))(request - 1);
  return {
    left: interval(left.least, left.most, 4),
    free: interval(free.loNs / 1e9, free.hiNs / 1e9, 4),
    reset: interval(reset.loNs / 1e9, reset.hiNs / 1e9, 4),
  };
}

function interval(least = Number.NaN, most = Number.NaN, digits: number): string {
  const text = (value: number): string =>
    Number.isFinite(value) ? `${Number(value.toFixed(digits))}` : value > 0 ? '∞' : value < 0 ? '−∞' : '?';
  return text(least) === text(most) ? text(least) : `${text(least)}..${text(most)}`;
}

import { range } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';

/** What a request asked of analytics. Null: that parameter was not sent. */
export type AskedPeriod = {
  readonly product: string | null;
  readonly from: string | null;
  readonly to: string | null;
};

/** `all products, 2026-05-01 / 2026-05-31`. */
export function askedText({ from, product, to }: AskedPeriod): string {
  const dates = [from, to].map((date) => (date === null ? 'none' : date === '' ? '""' : date));
  return `${product ?? 'all products'}, ${dates.join(' / ')}`;
}

/** `3 sessions`, `1 session`, `2 to 5 sessions`. */
export function sessionsText({ max, min }: Bounds): string {
  return `${range({ min, max })} ${min === 1 && max === 1 ? 'session' : 'sessions'}`;
}

import type { SessionAnalytics } from '../../../../src/wire.ts';
import { type NaiveConventions, naiveAnalytics, writtenAs } from '../naive.ts';

/** What a deployment holds, and what it says of it, under any conventions. */

export interface AccountAct {
  readonly type: 'shade_selected' | 'cart_intent';
  readonly sku: string;
  readonly atMs: number;
}

export interface AccountSession {
  readonly product: string;
  readonly createdMs: number;
  readonly acts: readonly AccountAct[];
}

export interface Conventions extends Omit<NaiveConventions, 'averaged' | 'rateOver'> {
  readonly end: 'inclusive' | 'exclusive';
  /** Hours by which days begin before those of UTC. */
  readonly zoneHours: number;
  readonly over: 'all' | 'with-shades';
  readonly ties: 'ascending' | 'descending';
  readonly decimals: number;
}

export const plain: Conventions = {
  end: 'inclusive',
  zoneHours: 0,
  day: 'creation',
  shades: 'distinct',
  over: 'all',
  cart: 'ever',
  topLength: 10,
  ties: 'ascending',
  withTies: false,
  decimals: 4,
};

export interface AccountQuery {
  readonly start_date: string;
  readonly end_date: string;
  readonly product_id?: string;
}

/** The answer for what there is at `nowMs`. */
export function reportOn(
  sessions: readonly AccountSession[],
  query: AccountQuery,
  conventions: Conventions,
  nowMs: number,
): SessionAnalytics {
  const { over, ties } = conventions;
  const [startMs, endMs] = periodOf(query, conventions);
  const account = { credential: 'load' };
  const seen = sessions
    .filter(({ createdMs }) => createdMs <= nowMs)
    .map((session) => ({
      ...{ ...session, ...account },
      acts: session.acts.flatMap((act) => (act.atMs <= nowMs ? { id: '', ...act } : [])),
    }));
  const exact = naiveAnalytics(
    seen,
    { ...account, product: query.product_id ?? null, startMs, endMs },
    { ...conventions, averaged: over, rateOver: over },
  );
  const shades = ties === 'ascending' ? exact.shades : exact.shades.toReversed();
  return writtenAs(
    { ...exact, shades: shades.toSorted((a, b) => b.selections - a.selections) },
    `${query.start_date} / ${query.end_date}`,
    conventions,
  );
}

function periodOf({ end_date, start_date }: AccountQuery, { end, zoneHours }: Conventions): [number, number] {
  const isTime = start_date.length > 10;
  const zoneMs = isTime ? 0 : zoneHours * 3_600_000;
  const last = end === 'exclusive' ? 0 : isTime ? 1_000 : 86_400_000;
  return [Date.parse(start_date) - zoneMs, Date.parse(end_date) + last - zoneMs];
}

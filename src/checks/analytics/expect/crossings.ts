import { z } from 'zod';
import type { Tables } from '../../../history/tables.ts';
import type { SessionDay } from '../../../vocabulary/analytics.ts';
import type { Period } from '../conventions/zones.ts';
import { type Instants, requestIn } from '../record/clock.ts';
import { allProducts, type Facts } from '../record/facts.ts';
import { gridOf, type NumbersOf, numbersIn, type ShadeCell } from './cells.ts';
import { attributes, type Cuts, type Summary } from './summary.ts';

/**
 * A session that goes on past a cut, so that it matters whether it is dated by its creation or by what was done in it.
 * There are few, so for each question that they matter to they are taken out of the cells and put back otherwise.
 */
export interface Crosser extends NumbersOf<typeof foundColumns> {
  readonly acts: readonly CrosserAct[];
}

const actColumns = 'session number shade certain copies from_ms to_ms';
type CrosserAct = NumbersOf<typeof actColumns>;

const nearColumns = `session key credential product certain from_ms to_ms from_cut ${attributes}` as const;
const crosserColumns = `${nearColumns} last_from_ms last_to_ms` as const;
/** `last_from_ms` to `last_to_ms`: when the last event in it arrived. */
const foundColumns =
  `session credential product certain from_ms to_ms last_from_ms last_to_ms ${attributes}` as const;

/** The sessions that go on past a cut, by product as in `ByProduct`. */
export async function findCrossings(
  tables: Tables,
  facts: Pick<Facts, 'acts' | 'exact' | 'skus' | 'unsure'>,
  { cuts: cutTable, sessions }: Pick<Summary, 'cuts' | 'sessions'>,
  { cuts, instants }: { readonly cuts: Cuts; readonly instants: Instants },
): Promise<ReadonlyMap<number, readonly Crosser[]>> {
  const { history } = tables;
  const [span] = await history.rows(
    z.object({ from_ms: z.number().nullable(), to_ms: z.number().nullable() }),
    `SELECT min(from_ms) AS from_ms, max(last_ms) AS to_ms FROM ${sessions}`,
  );
  const [from, to] = [span?.from_ms ?? Number.POSITIVE_INFINITY, span?.to_ms ?? Number.NEGATIVE_INFINITY];
  if (!cuts.instants.some((atMs) => atMs > from && atMs <= to)) return new Map();
  const grid = gridOf(cuts);
  // Tables of few rows, as in facts.ts: sessions that may go on past a cut, and their requests with events.
  const near = await tables.make(
    'near',
    nearColumns,
    `SELECT s.* FROM (
       SELECT *, greatest(to_ms, last_ms) AS latest_ms FROM ${sessions}
       WHERE last_ms IS NOT NULL AND from_ms // ${grid} <> greatest(to_ms, last_ms) // ${grid}
     ) s ASOF LEFT JOIN ${cutTable} t ON s.latest_ms >= t.at_ms WHERE s.from_cut <> coalesce(t.cut, 0)`,
  );
  const carrier = requestIn('r', 'u.seq IS NULL');
  const requests = await tables.make(
    'near_request',
    'seq key ok from_ms to_ms',
    `SELECT r.seq, n.key, u.seq IS NULL AS ok, ${instants.earliest(carrier)} AS from_ms, ${instants.latest(carrier)} AS to_ms
     FROM requests r JOIN ${near} n ON n.key = hash(r.session_id) LEFT JOIN ${facts.unsure} u ON u.seq = r.seq
     WHERE endpoint = 'interact' AND coalesce(u.state, 2) > 0`,
  );
  const crossers = await tables.make(
    'crosser',
    crosserColumns,
    `WITH last AS (
       SELECT key, max(from_ms) FILTER (ok) AS from_ms, max(to_ms) AS to_ms FROM ${requests} GROUP BY key
     ), near AS (
       SELECT s.*, greatest(s.from_ms, coalesce(l.from_ms, s.from_ms)) AS last_from_ms, greatest(s.to_ms, l.to_ms) AS last_to_ms
       FROM ${near} s JOIN last l USING (key)
     )
     SELECT s.* FROM near s ASOF LEFT JOIN ${cutTable} t ON s.last_to_ms >= t.at_ms WHERE s.from_cut <> coalesce(t.cut, 0)`,
  );
  const few = await tables.make(
    'few',
    'session seq type sku',
    `SELECT x.session, i.seq, i.type, i.sku FROM interactions i JOIN ${crossers} x ON x.key = hash(i.session_id)
     WHERE x.key NOT IN (FROM ${facts.exact})`,
  );
  const acts = await numbersIn(
    history,
    actColumns,
    `SELECT i.session, k.number, i.type = 'shade_selected' AS shade, true AS certain, 1 AS copies, r.from_ms, r.to_ms
     FROM ${few} i JOIN ${requests} r ON r.seq = i.seq AND r.ok
     LEFT JOIN ${facts.skus} k ON k.sku = if(i.type = 'shade_selected', i.sku, NULL)
     UNION ALL
     SELECT a.session, k.number, a.shade, a.state = 2, greatest(a.copies, 1), a.from_ms, a.to_ms
     FROM ${facts.acts} a SEMI JOIN ${crossers} x ON x.session = a.session LEFT JOIN ${facts.skus} k ON k.sku = a.sku
     WHERE a.state > 0`,
  );
  const found = await numbersIn(history, foundColumns, `FROM ${crossers}`);
  await tables.drop(few, near, requests, crossers);
  const bySession = Map.groupBy(acts, ({ session }) => session);
  const each = found.map((row): Crosser => ({ ...row, acts: bySession.get(row.session) ?? [] }));
  return Map.groupBy(each, ({ product }) => product).set(allProducts, each);
}

/** What of a cell counts in a question. */
type Sums = NumbersOf<`n ${typeof attributes}`>;

/** Whether sessions count in a question for sure, or may. */
export interface CountedCell {
  readonly cell: Sums;
  readonly isSure: boolean;
}

/** What a session that goes on past an end of a period changes there. */
export interface Moved {
  readonly sessions: readonly CountedCell[];
  readonly shades: readonly Pick<ShadeCell, 'number' | 'sure' | 'possible' | 'copies'>[];
}

/** By what dates sessions, where their creation does not. Undefined where it goes on past neither end. */
export function movedBy(
  day: Exclude<SessionDay, 'creation'>,
  crosser: Crosser,
  { endHighMs, endLowMs, startMs }: Period,
): Moved | undefined {
  const { acts, from_ms: fromMs, last_from_ms: lastFromMs, last_to_ms: lastToMs, to_ms: toMs } = crosser;
  if (!(fromMs < startMs && lastToMs >= startMs) && !(fromMs < endHighMs && lastToMs >= endLowMs))
    return undefined;
  const certain = crosser.certain === 1;
  const surely = (from: number, to: number): boolean => from >= startMs && to < endLowMs;
  const possibly = (from: number, to: number): boolean => to >= startMs && from < endHighMs;
  const each = day === 'each-interaction';
  const [datedFrom, datedTo] = each ? [fromMs, toMs] : [lastFromMs, lastToMs];
  const was = { sure: certain && surely(fromMs, toMs), possible: possibly(fromMs, toMs) };
  const is = { sure: certain && surely(datedFrom, datedTo), possible: possibly(datedFrom, datedTo) };
  const inPeriod = acts.map((act) => ({
    ...act,
    isSure: act.certain === 1 && surely(act.from_ms, act.to_ms),
    isPossible: possibly(act.from_ms, act.to_ms),
  }));
  const sessions: CountedCell[] = [];
  if (was.possible) sessions.push({ cell: timesOne(crosser, -1), isSure: was.sure });
  if (each) {
    const [sure, possible] = [inPeriod.filter((act) => act.isSure), inPeriod.filter((act) => act.isPossible)];
    if (is.possible || possible.length > 0)
      sessions.push({
        cell: partOf(sure, possible),
        isSure: is.sure || (certain && sure.length > 0),
      });
  } else if (is.possible) sessions.push({ cell: timesOne(crosser, 1), isSure: is.sure });
  const shades = inPeriod.flatMap((act) => {
    if (act.shade === 0 || Number.isNaN(act.number)) return [];
    const now = each
      ? { sure: certain && act.isSure, possible: act.isPossible }
      : { ...is, sure: act.certain === 1 && is.sure };
    const possible = Number(now.possible) - Number(was.possible);
    const sure = Number(now.sure) - Number(act.certain === 1 && was.sure);
    return [{ number: act.number, sure, possible, copies: act.copies * possible }];
  });
  return { sessions, shades };
}

/** A part of a session. What comes last in it is known only where nothing but cart intent can be in that part. */
function partOf(sure: readonly CrosserAct[], possible: readonly CrosserAct[]): Sums {
  const shades = (acts: readonly CrosserAct[]): CrosserAct[] => acts.filter(({ shade }) => shade === 1);
  const different = (acts: readonly CrosserAct[]): number =>
    new Set(shades(acts).flatMap(({ number }) => (Number.isNaN(number) ? [] : number))).size;
  const hasCart = (acts: readonly CrosserAct[]): number => Number(acts.some(({ shade }) => shade === 0));
  return {
    ...{ n: 1, d_min: different(sure), d_max: different(possible) },
    ...{ r_min: shades(sure).length, r_max: shades(possible).length },
    ...{ cart_min: hasCart(sure), cart_max: hasCart(possible) },
    ...{ late_min: different(possible) === 0 ? hasCart(sure) : 0, late_max: hasCart(possible) },
  };
}

/** A session, as a cell of one that is added or, with a sign, taken away. */
function timesOne(session: Omit<Sums, 'n'>, n: 1 | -1): Sums {
  const { cart_max, cart_min, d_max, d_min, late_max, late_min, r_max, r_min } = session;
  return {
    ...{ n, d_min: n * d_min, d_max: n * d_max, r_min: n * r_min, r_max: n * r_max },
    ...{ cart_min: n * cart_min, cart_max: n * cart_max },
    ...{ late_min: n * late_min, late_max: n * late_max },
  };
}

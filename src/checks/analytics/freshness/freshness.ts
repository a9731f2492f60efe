import { z } from 'zod';
import { ofParameter, oncePerHistory, sqlText } from '../../../history/tables.ts';
import type { Bounds, Interval } from '../../../vocabulary/bounds.ts';
import { companionPhases, settlePhases } from '../../../vocabulary/phases.ts';
import { loadBlocks } from '../../core/monotone-trend.ts';
import { mostSessionsSql } from '../../core/stored.ts';
import {
  type AgeGrowth,
  asOf,
  growthOfAge,
  type Lag,
  lagsOf,
  type PassingSurplus,
  type Poll,
  passingSurplus,
  quantile,
  type SessionOpening,
  visibleBounds,
} from './lags.ts';

/** How soon analytics show what happened: what the polls of one product's sessions say, apart from what is lost. */
export interface Freshness {
  /** The product that was polled; null where nothing was. */
  readonly productId: string | null;
  readonly boundMs: number;
  /** Every poll of it that was answered, in order. */
  readonly polls: readonly PollPoint[];
  /** From a session's opening until it showed, in milliseconds; null where no session was looked for soon enough. */
  readonly lag: LagFigures | null;
  /** How the age of answers grew during the load; null where it did not, or nothing tells. */
  readonly growth: AgeGrowth | null;
  readonly outcome: FreshnessOutcome;
}

interface PollPoint {
  readonly seq: number;
  readonly atNs: number;
  /** Sessions that showed. */
  readonly shown: number;
  /** Those that certainly, and those that possibly, had been opened. */
  readonly opened: Bounds;
}

interface LagFigures {
  /** Sessions looked for within the bound. */
  readonly sessions: number;
  readonly p50Ms: Interval;
  readonly p99Ms: Interval;
  readonly maxMs: Interval;
}

/**
 * - `fresh`: everything showed in time;
 * - `late`: some sessions showed later than the bound, and did show;
 * - `stale`: what does not show is, on every product, just what is newer than one instant;
 * - `missing`: what does not show is not a matter of its age, so that it is lost;
 * - `unclear`: some do not show, and nothing tells late from lost;
 * - `passing-surplus`: more show than were opened, and later fewer: no way to count explains both;
 * - `beyond`: more show than were opened, so that counts say nothing of age;
 * - `unasked`: nothing was polled.
 */
export type FreshnessOutcome =
  | { readonly kind: 'fresh' | 'unasked' }
  | { readonly kind: 'late'; readonly seqs: readonly number[]; readonly atLeastMs: number }
  | {
      readonly kind: 'stale';
      readonly seqs: readonly number[];
      /** Not more than so old, by the run's time; null where nothing shows at all. */
      readonly asOfNs: number | null;
      readonly atLeastMs: number;
      readonly lacking: number;
      readonly products: number;
    }
  | { readonly kind: 'missing' | 'unclear'; readonly seqs: readonly number[]; readonly lacking: number }
  | PassingSurplus
  | { readonly kind: 'beyond'; readonly seqs: readonly number[] };

const openingRow = z.object({
  productId: z.string(),
  fromNs: z.number(),
  toNs: z.number(),
  certain: z.boolean(),
  most: z.number(),
});
const pollRow = z.object({
  productId: z.string(),
  seq: z.number(),
  sentNs: z.number(),
  answeredNs: z.number(),
  sessions: z.number(),
  load: z
    .number()
    .nullable()
    .transform((load) => load ?? undefined),
});

/** What the polls of a run say; reckoned once per open history. */
export const freshnessOf = oncePerHistory(async (history): Promise<Freshness> => {
  const possible = 'NOT coalesce(status BETWEEN 400 AND 499, false)';
  const phases = [companionPhases.freshness, settlePhases.freshness].map(sqlText).join(', ');
  const load = await loadBlocks(history);
  const around = load === undefined ? 'NULL' : `CASE WHEN r.stage = 'companion' THEN ${load.loadAround} END`;
  const rows = await history.rows(
    pollRow,
    `${load === undefined ? '' : `WITH ${load.blocked}`}
     SELECT r.product_id AS productId, r.seq, r.sent_ns AS sentNs, r.answered_ns AS answeredNs, ${around} AS load, TRY_CAST(json_extract(a.body, '$.total_sessions') AS DOUBLE) AS sessions
     FROM requests r JOIN answers a USING (seq)
     WHERE r.endpoint = 'analytics' AND r.phase IN (${phases}) AND r.status BETWEEN 200 AND 299 AND r.product_id IS NOT NULL
       AND r.sent_ns IS NOT NULL AND r.answered_ns IS NOT NULL AND sessions IS NOT NULL
     ORDER BY r.seq`,
  );
  const openings = await history.rows(
    openingRow,
    `SELECT product_id AS productId, sent_ns AS fromNs, coalesce(answered_ns, sent_ns) AS toNs,
       coalesce(credential = 'load' AND status BETWEEN 200 AND 299 AND session_id IS NOT NULL, false) AS certain, ${mostSessionsSql(history.profile, possible)} AS most
     FROM requests
     WHERE endpoint = 'create-session' AND sent_ns IS NOT NULL AND most > 0
       AND product_id IN ${ofParameter('products')}`,
    { products: JSON.stringify([...new Set(rows.map(({ productId }) => productId))]) },
  );
  const sessions = Map.groupBy(openings, ({ productId }) => productId);
  return measure(
    [...Map.groupBy(rows, ({ productId }) => productId)].map(([productId, polls]) => ({
      ...{ productId, polls },
      openings: (sessions.get(productId) ?? []).flatMap(({ certain, fromNs, most, toNs }) =>
        // Of all that a request may have made, only the one that was granted is certain. Another key may have the same account.
        Array.from({ length: most }, (_, place) => ({ fromNs, toNs, certain: certain && place === 0 })),
      ),
    })),
    history.profile.analytics.freshness * 1e6,
  );
});

/** One product, as it was polled. */
export interface Polled {
  readonly productId: string;
  readonly polls: readonly Poll[];
  readonly openings: readonly SessionOpening[];
}

/** What polls say; the product with the most of them is the one that was watched, the others were asked for at the end. */
export function measure(polled: readonly Polled[], boundNs: number): Freshness {
  const watched = polled.toSorted((a, b) => b.polls.length - a.polls.length)[0];
  const base = { boundMs: boundNs / 1e6, productId: watched?.productId ?? null };
  if (watched === undefined || watched.openings.length === 0)
    return { ...base, polls: [], lag: null, growth: null, outcome: { kind: 'unasked' } };
  const outcome = outcomeOf(watched, polled, boundNs);
  const counts = outcome.kind === 'fresh' || outcome.kind === 'late' || outcome.kind === 'stale';
  const lags = counts ? lagsOf(watched.openings, watched.polls, boundNs) : [];
  const growth = counts ? growthOfAge(watched.openings, watched.polls, boundNs) : undefined;
  return {
    ...base,
    polls: watched.polls.map((poll) => ({
      seq: poll.seq,
      atNs: poll.sentNs,
      shown: poll.sessions,
      opened: visibleBounds(watched.openings, poll, 0),
    })),
    lag: lags.length === 0 ? null : figures(lags),
    growth: growth ?? null,
    outcome,
  };
}

function outcomeOf(watched: Polled, polled: readonly Polled[], boundNs: number): FreshnessOutcome {
  const { openings, polls } = watched;
  const surplus = passingSurplus(openings, polls, boundNs);
  if (surplus !== undefined) return surplus;
  const beyond = polls.filter((poll) => poll.sessions > visibleBounds(openings, poll, 0).max);
  if (beyond.length > 0) return { kind: 'beyond', seqs: beyond.map(({ seq }) => seq) };
  const late = polls.filter((poll) => poll.sessions < visibleBounds(openings, poll, boundNs).min);
  const [first] = late;
  if (first === undefined) return { kind: 'fresh' };
  const seqs = late.map(({ seq }) => seq);
  const last = polls.at(-1);
  // Whatever was missing and shows later was late; nothing that is lost comes back.
  if (last !== undefined && last.sessions >= visibleBounds(openings, last, boundNs).min)
    return { kind: 'late', seqs, atLeastMs: longestWait(openings, late) / 1e6 };
  return endOf(watched, polled, boundNs, seqs);
}

/** The longest that some session is certain to have been missing, by the polls that it was missing from. */
function longestWait(openings: readonly SessionOpening[], late: readonly Poll[]): number {
  const instants = asOf(openings);
  return Math.max(
    ...late.map(({ sentNs, sessions }) => {
      const { toNs } = instants(sessions) ?? { toNs: sentNs };
      return sentNs - toNs;
    }),
  );
}

/** Sessions are missing to the end: from one instant on, on every product, or anywhere. */
function endOf(
  watched: Polled,
  polled: readonly Polled[],
  boundNs: number,
  seqs: readonly number[],
): FreshnessOutcome {
  const ends = polled.flatMap(({ openings, polls }) => {
    const last = polls.at(-1);
    if (last === undefined || openings.length === 0) return [];
    const due = visibleBounds(openings, last, boundNs).min;
    return [{ last, lacking: Math.max(0, due - last.sessions), asOf: asOf(openings)(last.sessions) }];
  });
  const lacking = ends.reduce((sum, each) => sum + each.lacking, 0);
  if (ends.length < 2) return { kind: 'unclear', seqs, lacking };
  // Between the first and the last of these polls an instant that moves along has moved as far.
  const sents = ends.map(({ last }) => last.sentNs);
  const spreadNs = Math.max(...sents) - Math.min(...sents);
  const fromNs = Math.max(...ends.map((each) => each.asOf?.fromNs ?? Number.POSITIVE_INFINITY));
  const toNs = Math.min(...ends.map((each) => each.asOf?.toNs ?? Number.NEGATIVE_INFINITY));
  if (fromNs > toNs + spreadNs) return { kind: 'missing', seqs, lacking };
  const isNothing = ends.every(({ last }) => last.sessions === 0);
  if (!isNothing && !hasStood(watched, boundNs)) return { kind: 'unclear', seqs, lacking };
  return {
    kind: 'stale',
    seqs,
    asOfNs: Number.isFinite(fromNs) ? fromNs : null,
    atLeastMs: Math.max(0, Math.min(...sents) - toNs) / 1e6,
    lacking,
    products: ends.length,
  };
}

/** This many sessions in a row are not lost by chance. */
const fewInARow = 3;

/**
 * Whether the count stood still while sessions went on being opened, or still grew when all had to show: so it does where
 * answers are old. Where sessions are lost it grows with those that are opened, and then stands.
 */
function hasStood({ openings, polls }: Polled, boundNs: number): boolean {
  const change = polls.findLastIndex(({ sessions }, place) => sessions !== polls[place - 1]?.sessions);
  const [before, after] = [polls[change - 1], polls[change]];
  const certain = openings.filter((each) => each.certain);
  const lastNs = Math.max(...certain.map(({ toNs }) => toNs));
  if (before !== undefined && before.sentNs > lastNs + boundNs) return true;
  return after !== undefined && certain.filter(({ fromNs }) => fromNs > after.answeredNs).length >= fewInARow;
}

function figures(lags: readonly Lag[]): LagFigures {
  const at = (share: number): Interval => {
    const { minNs, maxNs } = quantile(lags, share);
    return { min: minNs / 1e6, ...(maxNs === undefined ? {} : { max: maxNs / 1e6 }) };
  };
  return { sessions: lags.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

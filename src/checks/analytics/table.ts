import type { History } from '../../history/history.ts';
import { mergeVerdicts, type Verdict } from '../verdict.ts';
import { answerRow } from './answer-row.ts';
import { type ClockOffset, clockOffset } from './clock.ts';
import { type Account, type Allowed, allowedBy, type Frame } from './conventions.ts';
import { type Bounds, expectations, type ShadeBounds } from './expectation.ts';
import { countFacts, type FactCounts, recordFacts, summariseSessions } from './facts.ts';
import type { Circumstances } from './fit.ts';
import { type EndConvention, isDateTime } from './period.ts';
import { populationOf } from './population.ts';
import { type Answer, type Query, type Questions, type ReturnedShade, readQuestions } from './questions.ts';
import {
  adoptHistories,
  type NamesShown,
  namesMissing,
  narrowByHistories,
  readHistories,
} from './read-back.ts';
import { type Reconciliation, reconcile } from './reconcile.ts';
import { type FrameCase, type Search, searchConventions } from './search.ts';

/** One field of one answer: what came back, what it has to be, and whether it is. */
export interface Cell<Value, Expected> {
  readonly returned: Value | null;
  /** Null where nothing can be said. */
  readonly expected: Expected | null;
  readonly verdict: Verdict;
  /** Why it is not a pass; null when it is. */
  readonly explanation: string | null;
}

/** One answer beside what it has to say, under the nearest conventions that the profile allows. */
export interface AnswerRow {
  readonly seq: number;
  readonly query: Query;
  /** Asked after the last act plus the freshness bound; a difference before that is inconclusive. */
  readonly timely: boolean;
  /** `open`: foreign sessions may be counted too, so that only lower bounds hold. */
  readonly population: 'closed' | 'open';
  readonly period: Cell<string, string>;
  readonly totalSessions: Cell<number, Bounds>;
  readonly avgShadesPerSession: Cell<number, Bounds>;
  readonly cartIntentRate: Cell<number, Bounds>;
  /** `expected`: every SKU that may have been selected, most possible selections first. */
  readonly topShades: Cell<readonly ReturnedShade[], readonly ShadeBounds[]>;
}

/** Everything that the analytics checks and the report's analytics section show. */
export interface AnalyticsTable {
  readonly queries: readonly Query[];
  /** Every answer of phase `analytics`, in the order asked; a query asked twice has two rows. */
  readonly rows: readonly AnswerRow[];
  /** Undefined when there was no answer to judge, or no session to judge it by. */
  readonly search: Search | undefined;
  readonly allowed: Allowed;
  readonly questions: Questions;
  readonly facts: FactCounts;
  readonly acts: Acts;
  readonly clock: ClockOffset;
  readonly reconciliation: Reconciliation;
}

/** What is known of the shoppers' acts, and why it is not enough where it is not. */
export interface Acts {
  readonly kind: 'known' | 'none' | 'unknown';
  readonly reason: string | null;
}

const tables = new WeakMap<History, Promise<AnalyticsTable>>();

/** The table of a run, computed once per open history. */
export function analyticsTable(history: History): Promise<AnalyticsTable> {
  let table = tables.get(history);
  if (table === undefined) {
    table = compute(history);
    tables.set(history, table);
  }
  return table;
}

async function compute(history: History): Promise<AnalyticsTable> {
  const questions = await readQuestions(history);
  const clock = await clockOffset(history);
  await recordFacts(history, clock);
  const names = await readHistories(history);
  await narrowByHistories(history);
  const acts = await knownActs(history, names);
  const reconciliation = await reconcile(history, names, acts.fromChannel);
  await summariseSessions(history);
  const facts = await countFacts(history);
  const allowed = allowedBy(history.profile.analytics, history.run.target.kind === 'embedded');
  const judged = questions.judged;
  const cases = facts.certainSessions === 0 ? [] : await frameCases(history, questions, facts, acts, clock);
  const search = searchConventions(cases, judged, allowed, history.profile.analytics);
  return {
    queries: questions.queries,
    rows:
      search === undefined
        ? []
        : judged.map((_, index) => answerRow({ history, questions, search, allowed, index, acts })),
    search,
    allowed,
    questions,
    facts,
    acts,
    clock,
    reconciliation,
  };
}

async function knownActs(history: History, names: NamesShown): Promise<Acts & { fromChannel: boolean }> {
  const facts = await countFacts(history);
  if (facts.channelRequests > 0) {
    const some = facts.certainActs + facts.ambiguousActs > 0;
    return {
      kind: some ? 'known' : 'none',
      reason: some ? null : 'no act of a shopper happened',
      fromChannel: true,
    };
  }
  const why =
    facts.withoutChannel > 0
      ? `the target has no interaction channel: ${facts.withoutChannel} requests with shoppers' acts could not be sent`
      : 'no act of a shopper was sent';
  if (names.entries === 0)
    return { kind: facts.withoutChannel > 0 ? 'unknown' : 'none', reason: why, fromChannel: false };
  const missing = namesMissing(names, history.profile);
  if (missing !== null) return { kind: 'unknown', reason: `${why}, and ${missing}`, fromChannel: false };
  const { complete } = await adoptHistories(history);
  return complete
    ? { kind: 'known', reason: null, fromChannel: false }
    : { kind: 'unknown', reason: `${why}, and not every session was read back`, fromChannel: false };
}

/** Expectations and circumstances of every judged answer, under each frame of conventions, in order of preference. */
async function frameCases(
  history: History,
  questions: Questions,
  facts: FactCounts,
  acts: Acts,
  clock: ClockOffset,
): Promise<FrameCase[]> {
  const { queries, judged } = questions;
  if (judged.length === 0) return [];
  const profile = history.profile.analytics;
  const withTimes = queries.some((query) => isDateTime(query.endDate));
  const ends: EndConvention[] = withTimes
    ? ['inclusive', 'inclusive-day', 'exclusive']
    : ['inclusive', 'exclusive'];
  const accounts: Account[] = facts.keys > 1 ? ['own', 'all-keys'] : ['own'];
  const frames: Frame[] = accounts.flatMap((account) => ends.map((end) => ({ end, account })));
  const latestTargetMs = (runNs: number): number => history.run.zero_epoch_ms + runNs / 1e6 + clock.highMs;
  const asked = frames.flatMap((frame) =>
    queries.map((query) => {
      const population = populationOf(query, frame.end, questions, profile, latestTargetMs);
      return { query, frame, population, prior: population.prior };
    }),
  );
  const expected = await expectations(history, asked);
  const freshNs = (facts.lastActNs ?? 0) + profile.freshness * 1e6;
  return frames.map((frame, frameIndex) => {
    const place = (answer: Answer): number => frameIndex * queries.length + answer.query;
    return {
      frame,
      expectations: judged.map((answer) => expected[place(answer)]),
      circumstances: judged.map((answer): Circumstances => {
        const population = asked[place(answer)]?.population;
        if (population === undefined) throw new Error(`no query ${answer.query}`);
        return {
          timely: answer.sentNs >= freshNs,
          population,
          // Foreign sessions only ever add: a total at its lower bound has none in it.
          noForeign: answer.returned.totalSessions === expected[place(answer)]?.totalSessions.min,
          acts: acts.kind,
        };
      }),
    };
  });
}

/** The verdict on one field over all answers. */
export function fieldVerdict(
  rows: readonly AnswerRow[],
  field: 'period' | 'totalSessions' | 'avgShadesPerSession' | 'cartIntentRate' | 'topShades',
): Verdict {
  return mergeVerdicts(rows.map((row) => row[field].verdict));
}

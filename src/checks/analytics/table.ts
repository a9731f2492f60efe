import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import { reason } from '../reasons/reason.ts';
import { mergeVerdicts, type Verdict } from '../verdict.ts';
import { answerRow } from './answer-row.ts';
import { type ClockOffset, clockOffset } from './clock.ts';
import { type Allowed, allowedBy } from './conventions.ts';
import { recordFacts } from './facts.ts';
import { searchFrames } from './frame-search.ts';
import { type InferredConventions, inferConventions } from './inferred.ts';
import { type Query, type Questions, readQuestions } from './questions.ts';
import {
  adoptHistories,
  type NamesShown,
  namesMissing,
  narrowByHistories,
  readHistories,
} from './read-back.ts';
import { type Reconciliation, reconcile } from './reconcile.ts';
import type { Acts, AnswerRow } from './rows.ts';
import type { Search } from './search.ts';
import { compareSources, type Sources } from './sources.ts';
import { countFacts, type FactCounts } from './summary.ts';
import { type KnownPair, knownOfKeys } from './whose-data.ts';

/** Everything that the analytics checks and the report's analytics section show. */
export interface AnalyticsTable {
  readonly queries: readonly Query[];
  /** Every answer of phase `analytics`, in the order asked; a query asked twice has two rows. */
  readonly rows: readonly AnswerRow[];
  /** Undefined when there was no answer to judge, or no session to judge it by. */
  readonly search: Search | undefined;
  /** What the answers show of the conventions; null where there was nothing to search. */
  readonly conventions: InferredConventions | null;
  readonly allowed: Allowed;
  /** The keys that opened sessions or asked for analytics. */
  readonly keys: readonly Role[];
  /** What else than analytics says of their accounts. */
  readonly known: readonly KnownPair[];
  readonly questions: Questions;
  readonly facts: FactCounts;
  readonly acts: Acts;
  readonly clock: ClockOffset;
  readonly reconciliation: Reconciliation;
  readonly sources: Sources;
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
  const counted = await countFacts(history);
  const acts = await knownActs(history, names, counted);
  const reconciliation = await reconcile(history, names, acts.fromChannel);
  // Histories taken for what happened are events that were not there before.
  const facts = acts.fromChannel ? counted : await countFacts(history);
  const profile = history.profile.analytics;
  const asking = questions.queries.map(({ credential }) => credential);
  const keys = roles.filter((role) => facts.keys.includes(role) || asking.includes(role));
  const known = await knownOfKeys(history, keys);
  const allowed = allowedBy(profile, known);
  const judged = questions.judged;
  const search =
    facts.certainSessions === 0 || judged.length === 0
      ? undefined
      : await searchFrames({ history, questions, keys, facts, acts, clock, allowed });
  const conventions =
    search === undefined
      ? null
      : await inferConventions(history, questions, search, (frame) => allowed.frame(frame));
  const { fromChannel } = acts;
  const sources = await compareSources({
    history,
    questions,
    names,
    facts,
    reconciliation,
    search,
    fromChannel,
  });
  await forgetTables(history);
  return {
    queries: questions.queries,
    rows:
      search === undefined
        ? []
        : judged.map((_, index) => answerRow({ history, questions, search, allowed, index, acts })),
    search,
    conventions,
    allowed,
    keys,
    known,
    questions,
    facts,
    acts,
    clock,
    reconciliation,
    sources,
  };
}

/** What the table was made from is as large as the run, and nothing asks for it again: other checks have room for it. */
async function forgetTables(history: History): Promise<void> {
  const made = await history.rows(
    z.object({ name: z.string() }),
    "SELECT table_name AS name FROM duckdb_tables() WHERE temporary AND starts_with(table_name, 'analytics_')",
  );
  await history.execute(made.map(({ name }) => `DROP TABLE ${name};`).join('\n'));
}

async function knownActs(
  history: History,
  names: NamesShown,
  facts: FactCounts,
): Promise<Acts & { fromChannel: boolean }> {
  if (facts.channelRequests > 0) {
    const some = facts.certainActs + facts.ambiguousActs > 0;
    return {
      kind: some ? 'known' : 'none',
      reasons: some ? [] : [reason('no-events')],
      fromChannel: true,
    };
  }
  const why =
    facts.withoutChannel > 0
      ? reason('no-interaction-channel', { requests: facts.withoutChannel })
      : reason('no-events-sent');
  if (names.entries === 0)
    return { kind: facts.withoutChannel > 0 ? 'unknown' : 'none', reasons: [why], fromChannel: false };
  const missing = namesMissing(names, history.profile);
  if (missing.length > 0) return { kind: 'unknown', reasons: [why, ...missing], fromChannel: false };
  const { complete } = await adoptHistories(history);
  return complete
    ? { kind: 'known', reasons: [], fromChannel: false }
    : { kind: 'unknown', reasons: [why, reason('sessions-not-all-read')], fromChannel: false };
}

/** The verdict on one field over all answers. */
export function fieldVerdict(
  rows: readonly AnswerRow[],
  field: 'period' | 'totalSessions' | 'avgShadesPerSession' | 'cartIntentRate' | 'topShades',
): Verdict {
  return mergeVerdicts(rows.map((row) => row[field].verdict));
}

import type { History } from '../../../history/history.ts';
import { oncePerHistory, type Tables, withTables } from '../../../history/tables.ts';
import type { Profile } from '../../../target/profile.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { roles } from '../../../vocabulary/roles.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { settled } from '../causes/causes.ts';
import { type Acts, answerRow, type JudgedAnswers } from '../compare/answer-row.ts';
import { searchFrames } from '../compare/frame-search.ts';
import { type InferredConventions, inferConventions } from '../compare/inferred.ts';
import type { Search } from '../compare/search.ts';
import { allowedBy } from '../conventions/conventions.ts';
import { knownOfKeys } from '../conventions/whose-data.ts';
import { countFacts, type FactCounts } from '../expect/summary.ts';
import { type ClockOffset, clockOffset, type Instants, instantsOf } from '../record/clock.ts';
import { type Facts, recordFacts } from '../record/facts.ts';
import { adoptHistories, type Known, narrowByHistories } from '../record/known.ts';
import { ofRun, type Questions, readQuestions } from '../record/questions.ts';
import { namesMissing, readHistories } from '../record/read-back.ts';
import { type Reconciliation, reconcile } from '../record/reconcile.ts';

/** Answers, judged by what is known of the account. */
export interface QuestionsTable extends JudgedAnswers {
  /** What the answers show of the conventions; null where there was nothing to search. */
  readonly conventions: InferredConventions | null;
  readonly questions: Questions;
}

/** Everything that the analytics checks and the report's analytics section show. */
export interface AnalyticsTable extends QuestionsTable {
  readonly reconciliation: Reconciliation;
}

/** The table of a run, computed once per open history. */
export const analyticsTable = oncePerHistory((history) => withTables(history, 'analytics', compute));

async function compute(tables: Tables): Promise<AnalyticsTable> {
  const { history } = tables;
  const questions = await readQuestions(history, ofRun);
  const clock = await clockOffset(history);
  const instants = instantsOf(history, clock);
  const recorded = await recordFacts(tables, instants);
  const known = await narrowByHistories(tables, {
    facts: recorded,
    readBack: await readHistories(tables, recorded),
  });
  const { fromChannel, ...done } = await knownActs(tables, known, instants);
  const reconciliation = await reconcile(tables, {
    facts: done.facts,
    readBack: known.readBack,
    instants,
    acts: fromChannel,
  });
  const isJudged = done.counts.certainSessions > 0;
  const lastActNs = done.counts.lastActNs ?? 0;
  const profile = history.profile.analytics;
  const from = { ...done, questions, clock, instants, profile, lastActNs, isJudged };
  return { ...(await judgeQuestions(tables, from)), reconciliation };
}

/** What answers are judged by. */
interface QuestionsBase extends Omit<KnownActs, 'fromChannel'> {
  readonly questions: Questions;
  readonly clock: ClockOffset;
  readonly instants: Instants;
  readonly profile: Profile['analytics'];
  /** See `FrameSearch`. */
  readonly lastActNs: number;
  /** Whether enough is known of what there is. */
  readonly isJudged: boolean;
}

async function judgeQuestions(
  tables: Tables,
  { acts, counts, isJudged, ...by }: QuestionsBase,
): Promise<QuestionsTable> {
  const { history } = tables;
  const { profile, questions } = by;
  const asking = questions.queries.map(({ credential }) => credential);
  const keys = roles.filter((role) => counts.keys.includes(role) || asking.includes(role));
  const known = await knownOfKeys(history, keys);
  const allowed = allowedBy(profile, known);
  const { judged } = questions;
  const rest = { allowed, keys, known, acts, facts: counts };
  const judgedBy = (search: Search): JudgedAnswers => ({
    rows: judged.map((_, index) => answerRow({ history, questions, search, index, acts })),
    ...{ search, ...rest },
  });
  const found =
    isJudged && judged.length > 0 ? await searchFrames({ ...by, tables, keys, acts, allowed }) : undefined;
  const search = found && (await settled(history, found, judgedBy));
  if (search === undefined) return { rows: [], search, ...rest, conventions: null, questions };
  const conventions = inferConventions(history, questions, search, allowed.frame);
  return { ...judgedBy(search), conventions, questions };
}

/**
 * The table of answers of an account with a past. Of what there was before `during` (ns since the run's zero) nothing is known
 * but what the baselines of the questions say.
 */
export async function tableOfPast(
  history: History,
  questions: Questions,
  from: Pick<QuestionsBase, 'profile' | 'lastActNs'> & { readonly during: Bounds },
): Promise<QuestionsTable> {
  return withTables(history, 'past', async (tables) => {
    const clock = await clockOffset(history);
    const instants = instantsOf(history, clock);
    const facts = await recordFacts(tables, instants, from.during);
    const done = await knownActs(tables, { facts }, instants);
    return judgeQuestions(tables, { ...from, ...done, questions, clock, instants, isJudged: true });
  });
}

/** What is known of the events, and by what: the harness's own channel, or the histories read back. */
interface KnownActs {
  readonly facts: Facts;
  readonly counts: FactCounts;
  readonly acts: Acts;
  readonly fromChannel: boolean;
}

async function knownActs(
  tables: Tables,
  { facts, readBack }: Pick<Known, 'facts'> & Partial<Known>,
  instants: Instants,
): Promise<KnownActs> {
  const { history } = tables;
  const counts = await countFacts(history, facts);
  const some = counts.certainActs + counts.ambiguousActs > 0;
  if (counts.channelRequests > 0 && (some || counts.badToken === 0)) {
    const acts: Acts = { kind: some ? 'known' : 'none', reasons: some ? [] : [reason('no-events')] };
    return { facts, counts, acts, fromChannel: true };
  }
  const why =
    counts.withoutChannel > 0
      ? reason('no-interaction-channel', { requests: counts.withoutChannel })
      : counts.badToken > 0
        ? reason('tokens-not-sendable', { requests: counts.badToken })
        : reason('no-events-sent');
  const without = (kind: Acts['kind'], ...more: Reason[]): KnownActs => ({
    facts,
    counts,
    acts: { kind, reasons: [why, ...more] },
    fromChannel: false,
  });
  if (readBack === undefined || readBack.names.entries === 0)
    return without(counts.withoutChannel + counts.badToken > 0 ? 'unknown' : 'none');
  const missing = namesMissing(readBack.names, history.profile);
  if (missing.length > 0) return without('unknown', ...missing);
  const adopted = await adoptHistories(tables, { facts, readBack }, instants);
  return {
    facts: adopted.facts,
    counts: await countFacts(history, adopted.facts),
    acts: adopted.complete
      ? { kind: 'known', reasons: [] }
      : { kind: 'unknown', reasons: [why, reason('sessions-not-all-read')] },
    fromChannel: false,
  };
}

import { oncePerHistory, type Tables, withTables } from '../../../history/tables.ts';
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
import { clockOffset, type Instants, instantsOf } from '../record/clock.ts';
import { type Facts, recordFacts } from '../record/facts.ts';
import { adoptHistories, type Known, narrowByHistories } from '../record/known.ts';
import { type Questions, readQuestions } from '../record/questions.ts';
import { namesMissing, readHistories } from '../record/read-back.ts';
import { type Reconciliation, reconcile } from '../record/reconcile.ts';

/** Everything that the analytics checks and the report's analytics section show. */
export interface AnalyticsTable extends JudgedAnswers {
  /** What the answers show of the conventions; null where there was nothing to search. */
  readonly conventions: InferredConventions | null;
  readonly questions: Questions;
  readonly reconciliation: Reconciliation;
}

/** The table of a run, computed once per open history. */
export const analyticsTable = oncePerHistory((history) => withTables(history, 'analytics', compute));

async function compute(tables: Tables): Promise<AnalyticsTable> {
  const { history } = tables;
  const questions = await readQuestions(history);
  const clock = await clockOffset(history);
  const instants = instantsOf(history, clock);
  const recorded = await recordFacts(tables, instants);
  const known = await narrowByHistories(tables, {
    facts: recorded,
    readBack: await readHistories(tables, recorded),
  });
  const { acts, counts, facts, fromChannel } = await knownActs(tables, known, instants);
  const { readBack } = known;
  const reconciliation = await reconcile(tables, {
    facts,
    readBack,
    instants,
    acts: fromChannel,
  });
  const profile = history.profile.analytics;
  const asking = questions.queries.map(({ credential }) => credential);
  const keys = roles.filter((role) => counts.keys.includes(role) || asking.includes(role));
  const knownPairs = await knownOfKeys(history, keys);
  const allowed = allowedBy(profile, knownPairs);
  const { judged } = questions;
  const lastActNs = counts.lastActNs ?? 0;
  const judgedBy = (search: Search): JudgedAnswers => ({
    rows: judged.map((_, index) => answerRow({ history, questions, search, index, acts })),
    ...{ search, allowed, keys, known: knownPairs, acts, facts: counts },
  });
  const found =
    counts.certainSessions === 0 || judged.length === 0
      ? undefined
      : await searchFrames({ tables, questions, keys, facts, instants, lastActNs, acts, clock, allowed });
  const search = found && (await settled(history, found, judgedBy));
  const conventions =
    search === undefined ? null : inferConventions(history, questions, search, allowed.frame);
  return {
    ...(search === undefined
      ? { rows: [], search, allowed, keys, known: knownPairs, acts, facts: counts }
      : judgedBy(search)),
    ...{ conventions, questions, reconciliation },
  };
}

/** What is known of the events, and by what: the harness's own channel, or the histories read back. */
interface KnownActs {
  readonly facts: Facts;
  readonly counts: FactCounts;
  readonly acts: Acts;
  readonly fromChannel: boolean;
}

async function knownActs(tables: Tables, known: Known, instants: Instants): Promise<KnownActs> {
  const { history } = tables;
  const { facts } = known;
  const { names } = known.readBack;
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
  if (names.entries === 0) return without(counts.withoutChannel + counts.badToken > 0 ? 'unknown' : 'none');
  const missing = namesMissing(names, history.profile);
  if (missing.length > 0) return without('unknown', ...missing);
  const adopted = await adoptHistories(tables, known, instants);
  return {
    facts: adopted.facts,
    counts: await countFacts(history, adopted.facts),
    acts: adopted.complete
      ? { kind: 'known', reasons: [] }
      : { kind: 'unknown', reasons: [why, reason('sessions-not-all-read')] },
    fromChannel: false,
  };
}

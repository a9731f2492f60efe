import { z } from 'zod';
import type { Table, Tables } from '../../../history/tables.ts';
import { type AnswerField, answerFields, type LossPlace } from '../../../vocabulary/analytics.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Fit } from '../compare/fit.ts';
import { evaluate, fitsBy, type Search } from '../compare/search.ts';
import type { Allowed } from '../conventions/conventions.ts';
import { cutsOf } from '../expect/cells.ts';
import { countAll, type Expectation, expectationOf } from '../expect/expectation.ts';
import { nothingThere } from '../expect/population.ts';
import type { FactCounts } from '../expect/summary.ts';
import type { Instants } from '../record/clock.ts';
import { createdColumns } from '../record/facts.ts';
import { adoptEntries, type Known } from '../record/known.ts';
import type { Questions } from '../record/questions.ts';
import { namesMissing } from '../record/read-back.ts';
import type { Reconciliation } from '../record/reconcile.ts';

/**
 * Two sources of truth: what the harness did, and what GET /sessions/{id} says happened. Analytics are held against each,
 * so that a difference can be located.
 */

interface Located {
  readonly place: LossPlace;
  readonly query: string;
  readonly field: AnswerField;
}

/** How far sessions and interactions got, for the report. Each count is of those before it that got there too. */
interface Funnel {
  readonly sessions: {
    readonly asked: number;
    readonly granted: number;
    readonly readBack: number;
    readonly agree: number;
  };
  readonly interactions: {
    readonly sent: number;
    readonly acknowledged: number;
    /** What the answers say was accepted; null where they do not say. */
    readonly accepted: number | null;
    /** Acknowledged, in sessions whose history was read back. */
    readonly looked_for: number;
    readonly found: number;
  };
}

export interface Sources {
  readonly funnel: Funnel;
  readonly located: readonly Located[];
}

/** What a comparison of sources goes by. */
interface SourcesInput extends Known {
  readonly tables: Tables;
  readonly questions: Questions;
  readonly counts: FactCounts;
  readonly instants: Instants;
  readonly reconciliation: Reconciliation;
  readonly differing: Table<'session gone'>;
  readonly search: Search | undefined;
  readonly allowed: Allowed;
  readonly fromChannel: boolean;
}

export async function compareSources(input: SourcesInput): Promise<Sources> {
  const { fromChannel, readBack, tables } = input;
  const legible = fromChannel && namesMissing(readBack.names, tables.history.profile).length === 0;
  return { funnel: await funnelOf(input), located: await locate(input, legible) };
}

async function funnelOf({ counts, differing, reconciliation, tables }: SourcesInput): Promise<Funnel> {
  const [row] = await tables.history.rows(
    z.object({ differing: z.number() }),
    `SELECT count(*) AS differing FROM ${differing} WHERE NOT gone`,
  );
  const { readBack, actsExpected, actsFound } = reconciliation;
  const { asked, granted, sent, acknowledged, accepted } = counts;
  return {
    sessions: { asked, granted, readBack, agree: readBack - (row?.differing ?? 0) },
    interactions: { sent, acknowledged, accepted, looked_for: actsExpected, found: actsFound },
  };
}

async function locate(input: SourcesInput, legible: boolean): Promise<Located[]> {
  const { allowed, questions, reconciliation, search, tables } = input;
  if (search === undefined) return [];
  const { judged, queries } = questions;
  const { chosen } = search;
  const read = legible ? await expectedByHistories(input, search) : null;
  const byRun = fitsBy(chosen);
  const evaluation =
    read &&
    evaluate(
      { ...chosen.evaluation.of, expectations: judged.map(({ query }) => read[query]) },
      ...([judged, allowed, tables.history.profile.analytics] as const),
    );
  const byHistory = evaluation && fitsBy({ ...chosen, evaluation });
  return judged.flatMap(({ query }, index) =>
    answerFields.flatMap((field): Located[] => {
      const place = placeOf(byRun[field][index], byHistory?.[field][index], reconciliation);
      return place === undefined ? [] : [{ place, query: queries[query]?.label ?? '', field }];
    }),
  );
}

/** `byHistory` undefined: what was read back says the same as the record. */
function placeOf(
  byRun: Fit | undefined,
  byHistory: Fit | undefined,
  read: Reconciliation,
): LossPlace | undefined {
  if (byRun === 'misfits') {
    if (byHistory === 'fits') return 'write';
    return read.withHistory === read.certainSessions && read.actsUnsettled === 0
      ? 'aggregation'
      : 'unlocated';
  }
  return byRun === 'fits' && byHistory === 'misfits' ? 'history' : undefined;
}

/** What analytics would have to say if the histories read back were what happened; null where they say what was recorded. */
async function expectedByHistories(
  { differing, facts, instants, questions, readBack, tables }: SourcesInput,
  { chosen }: Search,
): Promise<(Expectation | undefined)[] | null> {
  if (differing.rows === 0) return null;
  const { queries, judged } = questions;
  const { frame, of } = chosen.evaluation;
  const priors = new Map(
    judged.map(({ query }, index) => [query, of.circumstances[index]?.population.prior]),
  );
  const cuts = cutsOf(queries, [frame]);
  const there = await tables.view('there', 'session', `SELECT session FROM ${differing} WHERE NOT gone`);
  const adopted = await adoptEntries(tables, { facts, readBack }, there, instants);
  const shown = {
    ...adopted,
    created: await tables.view(
      'created',
      createdColumns,
      `FROM ${adopted.created} WHERE seq NOT IN (SELECT session FROM ${differing} WHERE gone)`,
    ),
  };
  const counts = await countAll(tables, shown, cuts, instants);
  const shades = await counts.shadesBy(cuts);
  return queries.map((query, index) =>
    expectationOf(frame, { query, prior: priors.get(index) ?? nothingThere }, counts.sessions, shades),
  );
}

/** Where the differences in a field (or in any) came about; nothing where there are none. */
export function lossReasons({ located, funnel }: Sources, field?: AnswerField): Reason[] {
  const places = Map.groupBy(
    located.filter((each) => field === undefined || each.field === field),
    ({ place }) => place,
  );
  const { granted, readBack, agree } = funnel.sessions;
  return [...places].flatMap(([place, { length }]) => [
    place === 'unlocated'
      ? reason('loss-unlocated', { values: length, readBack, agree, sessions: granted })
      : reason('loss-located', { place, values: length }),
  ]);
}

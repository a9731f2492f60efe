import type { History } from '../../../history/history.ts';
import type { Held } from '../../../target/openapi/hold.ts';
import type { Contradiction } from '../../../target/openapi/schemas.ts';
import { caused, fits } from '../../causes/cause.ts';
import { type CheckFinding, withData } from '../../core/verdict.ts';
import { firstReasons, type Reason, reason } from '../../reasons/reason.ts';

/** Whether every answer is as the target's own description in OpenAPI says; nothing for runs without one. */
export async function checkOpenApi(history: History): Promise<CheckFinding[]> {
  const { openapi: text, run } = history;
  if (run.openapi === undefined) return [];
  if (text === undefined) return [unjudged(reason('openapi-gone'))];
  // Most runs have no description, and need none of this.
  const { holdHistory } = await import('./openapi-seen.ts');
  try {
    return [finding(await holdHistory(history, text, run.openapi.from))];
  } catch (error) {
    // A description of others must not cost the other checks of the contract.
    return [
      unjudged(reason('checks-threw', { message: error instanceof Error ? error.message : String(error) })),
    ];
  }
}

const mostContradictions = 100;

function unjudged(why: Reason, observed: CheckFinding['observed'] = 'nothing judged'): CheckFinding {
  return {
    id: 'contract.openapi',
    verdict: 'inconclusive',
    observed,
    reasons: [why],
  };
}

function finding({ answers, bodies, contradictions, coverage }: Held): CheckFinding {
  const described = coverage.filter((each) => each.described);
  const called = described.filter((each) => each.answers > 0);
  const observed = {
    answers,
    bodies,
    contradictions: contradictions.length,
    'operations called': `${called.length} of ${described.length}`,
  };
  const data = { operations: coverage, contradictions: contradictions.slice(0, mostContradictions) };
  if (contradictions.length > 0)
    return withData(
      'contract.openapi',
      {
        ...unjudged(reason('openapi-agrees', { answers, bodies, operations: called.length }), observed),
        verdict: 'fail',
        reasons: firstReasons(contradictions.map(reasonOf)),
        evidence: contradictions.slice(0, 10).map(evidenceOf),
        ...causesOf(contradictions),
      },
      data,
    );
  if (called.length === 0)
    return withData('contract.openapi', unjudged(reason('openapi-none-called'), observed), data);
  const unread = called.flatMap(({ operation, statuses }) =>
    statuses
      .filter((row) => row.has_schema && row.bodies < row.answers)
      .map((row) => ({ answer: `${operation} ${row.status}`, answers: row.answers - row.bodies })),
  );
  const uncalled = described.flatMap((each) => (each.answers > 0 ? [] : [each.operation]));
  const strange = coverage.flatMap((each) => (each.described ? [] : [each.operation]));
  return withData(
    'contract.openapi',
    {
      ...unjudged(reason('openapi-none-called'), observed),
      verdict: 'pass',
      reasons: [
        reason('openapi-agrees', { answers, bodies, operations: called.length }),
        ...(unread.length === 0 ? [] : [reason('openapi-unread', { unread })]),
        ...(uncalled.length === 0 ? [] : [reason('openapi-uncalled', { operations: uncalled })]),
        ...(strange.length === 0 ? [] : [reason('openapi-undescribed', { operations: strange })]),
      ],
    },
    data,
  );
}

/** A contradiction as it is told. */
export function reasonOf({ answers, fault }: Contradiction): Reason {
  // Each kind of fault has a reason of its name, whose parameters are its fields.
  return { code: `openapi-${fault.kind}`, params: { ...fault, answers } } as Reason;
}

function evidenceOf({ answers, fault, seqs }: Contradiction): NonNullable<CheckFinding['evidence']>[number] {
  const { kind, operation, status } = fault;
  return { what: `${operation} ${status}: ${kind}`, seqs, total: answers };
}

/** One for each operation: what is wrong with it stands in the reasons. */
function causesOf(contradictions: readonly Contradiction[]): Pick<CheckFinding, 'causes'> {
  const byOperation = Map.groupBy(contradictions, ({ fault }) => fault.operation);
  return caused(
    [...byOperation].map(([operation, own]) =>
      fits(
        'description-differs',
        { operation, contradictions: own.length },
        own.flatMap(({ seqs }) => seqs.slice(0, 1)),
      ),
    ),
  );
}

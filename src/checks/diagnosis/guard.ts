import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { CheckId } from '../../vocabulary/check-ids.ts';
import { type Cause, type CauseCode, fits, kindOf, type Suspect, shown } from '../causes/cause.ts';
import { admitted } from '../core/found.ts';
import { leastInSpan, type Outage, type Outages, readOutages } from '../core/outages.ts';
import type { CheckFinding } from '../core/verdict.ts';

/** What the answers of a run show whatever the cause: causes are held against it. */
export interface AnswerFacts extends Outages {
  /** The shortest time from a rejection to an admission with the same key at the same endpoint. */
  readonly admittedAfterMs: number;
  /** A query whose total fell. */
  readonly fall: Suspect | undefined;
}

export async function readFacts(history: History): Promise<AnswerFacts> {
  return {
    ...(await readOutages(history)),
    admittedAfterMs: await readAdmittedAfter(history),
    fall: await readFall(history),
  };
}

/** An interaction carries a token, and a probe may name another address or node. */
async function readAdmittedAfter(history: History): Promise<number> {
  const [row] = await history.rows(
    z.object({ ms: z.number().nullable() }),
    `WITH asked AS (
       SELECT credential, endpoint, status, sent_ns, answered_ns FROM requests
       WHERE probe IS NULL AND credential <> 'session' AND (status = 429 OR ${admitted}))
     SELECT min(a.answered_ns - r.sent_ns) / 1e6 AS ms
     FROM (FROM asked WHERE status <> 429) a ASOF JOIN (FROM asked WHERE status = 429) r
       ON r.credential = a.credential AND r.endpoint = a.endpoint AND r.answered_ns < a.sent_ns`,
  );
  return row?.ms ?? Number.POSITIVE_INFINITY;
}

const fallRow = z.object({
  seq: z.coerce.number(),
  first: z.coerce.number(),
  before: z.coerce.number(),
  before_ms: z.number(),
  after: z.coerce.number(),
  after_ms: z.number(),
});

/**
 * The deepest fall of `total_sessions` from one answer to a later request with the same query. None where some
 * total recovers: so do answers of replicas if one is behind.
 */
async function readFall(history: History): Promise<Suspect | undefined> {
  const [row] = await history.rows(
    fallRow,
    `WITH asked AS (
       SELECT r.seq, r.credential, r.sent_ns, r.answered_ns, a.query::VARCHAR AS query,
         TRY_CAST(json_extract_string(a.body, '$.total_sessions') AS BIGINT) AS total
       FROM answers a JOIN requests r USING (seq) WHERE a.endpoint = 'analytics' AND r.${admitted}),
     around AS (
       SELECT credential, query, total, max(total) OVER before AS most_before, max(total) OVER after AS most_after FROM asked
       WINDOW before AS (PARTITION BY credential, query ORDER BY sent_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
         after AS (PARTITION BY credential, query ORDER BY sent_ns ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)),
     recovered AS (SELECT DISTINCT credential, query FROM around WHERE total < most_before AND most_after >= most_before)
     SELECT l.seq, arg_max(e.seq, e.total) AS first, max(e.total) AS before, arg_max(e.answered_ns, e.total) / 1e6 AS before_ms,
       any_value(l.total) AS after, any_value(l.sent_ns) / 1e6 AS after_ms
     FROM asked l JOIN asked e ON e.credential = l.credential AND e.query = l.query AND e.answered_ns < l.sent_ns AND e.total > l.total
     WHERE NOT EXISTS (FROM recovered) GROUP BY l.seq ORDER BY before - after DESC, l.seq LIMIT 1`,
  );
  if (row === undefined) return undefined;
  const { after, after_ms: afterMs, before, before_ms: beforeMs, first, seq } = row;
  return fits('total-falls', { before, beforeMs, after, afterMs }, [first, seq]);
}

type ClaimParams<Code extends CauseCode> = Extract<Cause, { readonly code: Code }>['params'];

/** What is said instead of a cause that an answer refutes: what is seen. Undefined where the cause stands. */
type Refutation<Code extends CauseCode> = (
  params: ClaimParams<Code>,
  facts: AnswerFacts,
  seen: SeenInRun,
) => readonly Suspect[] | undefined;

/** What the checks of a run say: which fail, and the codes of all reasons. */
interface SeenInRun {
  readonly failed: ReadonlySet<CheckId>;
  readonly reasons: ReadonlySet<string>;
}

/** A part of a window that the network and the target's clock leave certain. Ours. */
const surely = 0.9;

/** Causes are claims about all answers. For each that a fact of the run can refute: what refutes it. */
const refutations: { readonly [Code in CauseCode]?: Refutation<Code> } = {
  // No request is admitted within a window after a rejection.
  'window-extended-by-rejections': ({ windowMs }, { admittedAfterMs }) =>
    admittedAfterMs < surely * windowMs ? [] : undefined,
  // What is late only ever adds up, and comes in the end.
  'stale-analytics': (_, { fall }, { reasons }) =>
    fall !== undefined ? [fall] : reasons.has('freshness-missing') ? [] : undefined,
  // What falls and stays so is no matter of who answers.
  'answers-vary': fallen,
  // It says that histories are right.
  'selections-counted-twice': (_, _facts, { failed }) => (failed.has('contract.history') ? [] : undefined),
};

function fallen(_: object, { fall }: AnswerFacts): readonly Suspect[] | undefined {
  return fall && [fall];
}

/**
 * Holds every cause that a check names against the whole run: a refuted one is not named, one that rests on an undecided
 * check is not called shown, and an outage comes before what it looks like. Pure.
 */
export function guarded(findings: readonly CheckFinding[], facts: AnswerFacts): CheckFinding[] {
  const seen: SeenInRun = {
    failed: new Set(findings.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : []))),
    reasons: new Set(findings.flatMap(({ reasons }) => reasons.map(({ code }) => code))),
  };
  const undecided = new Set(findings.filter(({ verdict }) => verdict === 'inconclusive').map(({ id }) => id));
  const kept = findings.map((finding) => ({
    finding,
    causes:
      finding.verdict === 'fail'
        ? (finding.causes ?? [])
            .flatMap((each) => refuted(each, facts, seen) ?? [each])
            .map((each) => capped(each, undecided))
        : (finding.causes ?? []),
  }));
  const outages = facts.outages
    .filter((outage) =>
      isCause(
        outage,
        kept.map(({ finding, causes }) => ({ ...finding, causes })),
      ),
    )
    .map(suspectOf);
  return kept.map(({ causes, finding }) => {
    const { causes: named, ...rest } = finding;
    if (named === undefined || finding.verdict !== 'fail') return finding;
    const isTaken = (each: Suspect): boolean => outages.some((outage) => covers(outage, each, facts));
    const replacing = outages.filter((outage) =>
      named.some((each) => covers(outage, each, facts) || isRefutedBy(outage, refuted(each, facts, seen))),
    );
    const left = [...replacing, ...causes.filter((each) => !isTaken(each))];
    return left.length === 0 ? rest : { ...rest, causes: left };
  });
}

function refuted({ cause }: Suspect, facts: AnswerFacts, seen: SeenInRun) {
  // The table has each code's own parameters.
  const refutes = refutations[cause.code] as Refutation<CauseCode> | undefined;
  return refutes?.(cause.params, facts, seen);
}

/** What a refuted cause of too many rejections leaves is when they came. */
function isRefutedBy({ cause }: Suspect, left: readonly Suspect[] | undefined): boolean {
  return cause.code === 'outage' && cause.params.outcome === '429' && left?.length === 0;
}

/** No surer than what it rests on. */
function capped(suspect: Suspect, undecided: ReadonlySet<string>): Suspect {
  const { restsOn } = kindOf(suspect.cause);
  return restsOn !== undefined && undecided.has(restsOn) ? { ...suspect, strength: 'fits' } : suspect;
}

/** One with 429 is a cause only where nothing else is known of the limit; one with a status that stands for 429 is none. */
function isCause(outage: Outage, findings: readonly CheckFinding[]): boolean {
  const ofLimit = findings
    .filter(({ id, verdict }) => verdict === 'fail' && id.startsWith('rate-limit.'))
    .flatMap(({ causes = [] }) => causes);
  const symptoms = symptomsOf(suspectOf(outage));
  return outage.outcome === '429'
    ? ofLimit.every(({ cause }) => symptoms.includes(cause.code))
    : !ofLimit.some(
        ({ cause }) =>
          cause.code === 'rejection-status-wrong' && String(cause.params.status) === outage.outcome,
      );
}

/** Whether an outage takes the place of a cause: of a symptom, or of what requests that fail have in common besides. */
function covers(outage: Suspect, { cause }: Suspect, { isAllOutages }: AnswerFacts): boolean {
  const { outcome } = outage.cause.params as ClaimParams<'outage'>;
  switch (cause.code) {
    case 'unexpected-status':
      return String(cause.params.status) === outcome;
    case 'depends-on-value':
    case 'depends-on-connection':
      return isAllOutages && outcome !== '429' && cause.params.what === 'request';
    default:
      return symptomsOf(outage).includes(cause.code);
  }
}

function symptomsOf({ cause }: Suspect): readonly string[] {
  return kindOf(cause).alsoCovers?.(cause.params) ?? [];
}

function suspectOf({ failed, ordinary: _, outcome, seqs, spans, ...subject }: Outage): Suspect {
  const { fromMs = 0, toMs = 0 } = spans[0] ?? {};
  const lasts = spans.at(-1)?.isLast ?? false;
  const named = failed < leastInSpan ? fits : shown;
  return named('outage', { ...subject, outcome, failed, fromMs, toMs, spans: spans.length, lasts }, seqs);
}

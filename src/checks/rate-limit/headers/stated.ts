import { type Rows, rowsWhere, type SentRequests, seqsOf, wordAt } from '../../../limits/sent/columns.ts';
import { type Suspect, shown } from '../../causes/cause.ts';
import type { DialectData, HeaderTruth } from '../../core/check-data.ts';
import { type CheckFinding, type Evidence, evidence } from '../../core/verdict.ts';
import { type DraftBreach, type StatedLimit, statedText } from '../../reasons/rate-limit/headers.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { paceText } from '../../reasons/words/limits.ts';
import { paceOf } from '../traces/judged.ts';
import type { Claims, HeaderContext } from './claims.ts';
import { type HeaderFinding, repeatedly } from './comparison.ts';
import type { Dialect, LimitReading } from './dialects.ts';

/** One policy of one dialect, with what all keys and endpoints together show of it. */
export interface JudgedPolicy {
  readonly dialect: Dialect;
  readonly policy: string;
  readonly claims: readonly Claims[];
  readonly remaining: HeaderFinding;
  readonly reset: HeaderFinding;
  /** Places that were surely taken beyond what this run sent. */
  readonly unexplained: number;
}

/** Something wrong with what is stated. */
interface StatedFault {
  readonly what: Reason;
  readonly evidence: Evidence;
  readonly cause: Suspect;
}

/**
 * Whether the stated limits are the promised one, and the promised headers are there. Undefined when there was no header and no 429
 * without one.
 */
export function judgeStated(
  sent: SentRequests,
  policies: readonly JudgedPolicy[],
  context: HeaderContext,
  promisedNames: readonly string[],
): CheckFinding | undefined {
  const answers = sent.limitHeaders.code.reduce((sum, code) => sum + (code === 0 ? 0 : 1), 0);
  const rejected = rowsWhere(sent, (row) => sent.status[row] === 429);
  if (answers === 0 && rejected.length === 0) return undefined;
  const stated = [...Map.groupBy(policies, ({ dialect }) => dialect)].map(([dialect, own]) =>
    judgeDialect(
      dialect,
      own.flatMap(({ claims }) => claims),
      context,
    ),
  );
  const faults = [
    ...promisedNames.flatMap((header) => missingFault(sent, rejected, header)),
    ...stated.flatMap((each) => each.faults),
  ];
  const pace = paceOf(context.promised);
  const contradicted = new Set(
    stated.flatMap(({ dialect, faults: { length } }) => (length > 0 ? [dialect] : [])),
  );
  const dialects = policies.map((each) => summaryOf(each, contradicted.has(each.dialect), pace.requests));
  return {
    id: 'rate-limit.headers',
    verdict: faults.length > 0 ? 'fail' : 'pass',
    expected: { limit: pace.requests, window_s: pace.windowMs / 1e3, with_429: promisedNames },
    observed: { answers_with_headers: answers, dialects: dialects.map((each) => ({ ...each })) },
    data: { dialects },
    reasons: [
      ...faults.map(({ what }) => what),
      ...(answers === 0
        ? [reason('headers-none', { promises: promisedNames.length > 0 })]
        : stated.length === 0
          ? [reason('headers-dialect-unknown', { answers })]
          : [reason('headers-dialects', { answers, dialects: stated.map(({ dialect }) => dialect) })]),
      ...(stated.length === 0 || faults.length > 0 ? [] : [reason('headers-limit-right', pace)]),
      ...stated.flatMap(({ dialect, others }) =>
        others.map((each) => reason('headers-also-state', { dialect, policy: '', stated: each })),
      ),
    ],
    evidence: faults.map((each) => each.evidence),
    causes: faults.map(({ cause }) => cause),
  };
}

function missingFault(sent: SentRequests, rejected: Rows, header: string): StatedFault[] {
  const field = header.toLowerCase();
  const without = rejected.filter((row) =>
    field === 'retry-after'
      ? sent.retryAfter.code[row] === 0
      : !` | ${wordAt(sent.limitHeaders, row) ?? ''}`.toLowerCase().includes(` | ${field}: `),
  );
  if (without.length === 0) return [];
  const seqs = seqsOf(sent, without);
  return [
    {
      what: reason('headers-missing', { header, missing: seqs.length, rejected: rejected.length }),
      evidence: evidence(`429 without ${header}`, seqs),
      cause: shown('refusal-headers-missing', { headers: [header], refused: seqs.length }, seqs),
    },
  ];
}

/** What one dialect states. */
interface JudgedDialect {
  readonly dialect: Dialect;
  readonly faults: readonly StatedFault[];
  /** Limits over other windows. */
  readonly others: readonly StatedLimit[];
}

/**
 * Whether the limits that one dialect states are the promised one. Beside it there may be others, over other windows; one
 * that speaks of the promised window has to state the promised limit.
 */
function judgeDialect(dialect: Dialect, all: readonly Claims[], context: HeaderContext): JudgedDialect {
  /** The answers that say the same, each once. */
  const saying = new Map<readonly LimitReading[], number[]>();
  const breaking = new Map<DraftBreach, { readonly policy: string; readonly seqs: Set<number> }>();
  const seen = new Uint8Array(all[0]?.sent.length ?? 0);
  for (const { length, policy, rows, sent, seq, statements } of all)
    for (let i = 0; i < length; i++) {
      const row = rows[i] as number;
      const { inDialect = [], reading } = statements[i] ?? {};
      const { breaches = [], problemStatus = sent.status[row] } = reading ?? {};
      for (const breach of problemStatus === sent.status[row]
        ? breaches
        : [...breaches, 'other-status' as const]) {
        const own = breaking.get(breach) ?? { policy, seqs: new Set() };
        own.seqs.add(seq[i] as number);
        breaking.set(breach, own);
      }
      if (seen[row] === 1) continue;
      seen[row] = 1;
      const own = saying.get(inDialect) ?? [];
      if (own.push(seq[i] as number) === 1) saying.set(inDialect, own);
    }
  const wrong = [...saying].flatMap(([said, seqs]) => {
    const stated = contradicting(said, context);
    return stated === undefined ? [] : [{ stated, seqs }];
  });
  const others = [...saying.keys()]
    .flat()
    .filter((each) => each.limit !== undefined && hasPromisedWindow(each, context) === false)
    .map(limitOf);
  return {
    dialect,
    faults: [
      ...[...Map.groupBy(wrong, ({ stated }) => JSON.stringify(stated)).values()].flatMap((same) =>
        limitFault(
          dialect,
          same[0]?.stated ?? [],
          same.flatMap(({ seqs }) => seqs),
          context,
        ),
      ),
      ...[...breaking]
        .filter(([, { seqs }]) => seqs.size >= repeatedly)
        .map(([breach, { seqs }]) => breachFault(dialect, breach, [...seqs])),
    ],
    others: [...new Map(others.map((each) => [JSON.stringify(each), each])).values()].slice(0, 3),
  };
}

/** The limits of one answer that contradict the promised one. */
function contradicting(said: readonly LimitReading[], context: HeaderContext): StatedLimit[] | undefined {
  const { requests } = context.promised;
  const stated = said.filter(({ limit }) => limit !== undefined);
  if (stated.length === 0) return undefined;
  const wrong = stated.find((each) => hasPromisedWindow(each, context) === true && each.limit !== requests);
  if (wrong !== undefined) return [limitOf(wrong)];
  const isThere = stated.some(
    (each) => each.limit === requests && hasPromisedWindow(each, context) !== false,
  );
  return isThere ? undefined : stated.map(limitOf);
}

/** Windows are said in whole seconds. */
const windowRoundingNs = 1e9;

/** Undefined where no window is said. */
function hasPromisedWindow({ windowMs }: LimitReading, { promised }: HeaderContext): boolean | undefined {
  return windowMs === undefined ? undefined : Math.abs(windowMs * 1e6 - promised.windowNs) < windowRoundingNs;
}

function limitOf({ limit = 0, windowMs }: LimitReading): StatedLimit {
  return { limit, windowMs: windowMs ?? null };
}

function limitFault(
  dialect: Dialect,
  stated: readonly StatedLimit[],
  seqs: readonly number[],
  { promised }: HeaderContext,
): StatedFault[] {
  const pace = paceOf(promised);
  // `180 per 60 s, not 200 per 60 s`.
  const states = `${stated.map(statedText).join(' and ')}, not ${paceText(pace)}`;
  return [
    {
      what: reason('headers-limit-wrong', { dialect, policy: '', answers: seqs.length, stated, ...pace }),
      evidence: evidence(`${dialect}: another limit`, seqs),
      cause: shown('stated-limit-wrong', { states: `${dialect}: ${states}` }, seqs),
    },
  ];
}

function breachFault(dialect: Dialect, wrong: DraftBreach, seqs: readonly number[]): StatedFault {
  return {
    what: reason('headers-wrong', { dialect, policy: '', wrong, answers: seqs.length }),
    evidence: evidence(`${dialect}: ${wrong.replaceAll('-', ' ')}`, seqs),
    cause: shown('stated-limit-wrong', { states: `${dialect}: ${wrong}` }, seqs),
  };
}

function summaryOf(
  { claims, dialect, policy, remaining, reset, unexplained }: JudgedPolicy,
  isContradicted: boolean,
  promised: number,
): DialectData {
  const readings = [...new Set(claims.flatMap(({ statements }) => statements))].map(({ reading }) => reading);
  const limits = few(readings.map(({ limit }) => limit));
  const isPromised = limits.every((limit) => limit === promised);
  return {
    dialect,
    policy,
    answers: claims.reduce((sum, { length }) => sum + length, 0),
    of_them_429: claims.reduce((sum, { limited }) => sum + limited.reduce((all, one) => all + one, 0), 0),
    limits,
    windows_s: few(readings.map(({ windowMs }) => windowMs)).map((ms) => ms / 1e3),
    reset_as: few(readings.map(resetForm)),
    limit:
      limits.length === 0
        ? 'not-said'
        : isPromised
          ? 'as-promised'
          : isContradicted
            ? 'contradicted'
            : 'other-policy',
    remaining: truthOf(remaining),
    unexplained,
    reset: truthOf(reset),
  };
}

/** The first few of the different values there are. */
function few<Value>(all: readonly (Value | undefined)[]): Value[] {
  return [...new Set(all.flatMap((value) => value ?? []))].slice(0, 5) as Value[];
}

function resetForm({ reset }: LimitReading): DialectData['reset_as'][number] | undefined {
  if (reset === undefined) return undefined;
  return 'inMs' in reset ? 'time-from-now' : 'point-in-time';
}

function truthOf({ faults, values }: HeaderFinding): HeaderTruth {
  return values === 0 ? 'not-said' : faults.length === 0 ? 'consistent' : 'contradicted';
}

import type { DraftBreach, LimitReading } from '../../../history/limit-headers.ts';
import { rowsWhere, type SentRequests, seqsOf, wordAt } from '../../../limits/sent/columns.ts';
import { type Suspect, shown } from '../../causes/cause.ts';
import {
  type CheckFinding,
  type DialectData,
  type Evidence,
  evidence,
  type HeaderTruth,
} from '../../core/verdict.ts';
import { type HeaderQuantity, type StatedLimit, statedText } from '../../reasons/rate-limit/headers.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { paceText } from '../../reasons/words/limits.ts';
import { paceOf } from '../traces/judged.ts';
import type { Claims, HeaderContext } from './claims.ts';
import { type HeaderFinding, repeatedly } from './envelope.ts';

/** One policy of one dialect, with what all keys and endpoints together show of it. */
export interface JudgedPolicy extends Readonly<Record<HeaderQuantity, HeaderFinding>> {
  readonly dialect: string;
  readonly policy: string;
  /** It is what rejections say of when to come back. */
  readonly isAdvice: boolean;
  readonly claims: readonly Claims[];
  /** Places that were surely taken beyond what this run sent. */
  readonly unexplained: number;
}

/** Something wrong with what is stated. */
interface StatedFault {
  readonly what: Reason;
  readonly evidence: Evidence;
  readonly cause: Suspect;
}

function statedWrong(what: Reason, label: string, states: string, seqs: readonly number[]): StatedFault {
  return { what, evidence: evidence(label, seqs), cause: shown('stated-limit-wrong', { states }, seqs) };
}

/**
 * Whether the stated limits are the promised one, and the promised headers are there. None when there was no header and no 429
 * without one.
 */
export function judgeStated(
  sent: SentRequests,
  all: readonly JudgedPolicy[],
  context: HeaderContext,
  promisedNames: readonly string[],
): CheckFinding[] {
  const answers = sent.limitHeaders.code.reduce((sum, code) => sum + (code === 0 ? 0 : 1), 0);
  if (answers === 0 && !sent.status.includes(429)) return [];
  const policies = all.filter(({ isAdvice }) => !isAdvice);
  const stated = [...Map.groupBy(policies, ({ dialect }) => dialect)].map(([dialect, own]) => {
    const claims = own.flatMap((each) => each.claims);
    return { dialect, faults: judgeDialect(dialect, claims, context) };
  });
  const faults = [
    ...promisedNames.flatMap((header) => missingFault(sent, header)),
    ...stated.flatMap((each) => each.faults),
  ];
  const pace = paceOf(context.promised);
  const contradicted = new Set(stated.filter((each) => each.faults.length > 0).map(({ dialect }) => dialect));
  const dialects = policies.map((each) => summaryOf(each, contradicted.has(each.dialect), pace.requests));
  return [
    {
      id: 'rate-limit.headers',
      verdict: faults.length > 0 ? 'fail' : 'pass',
      expected: { limit: pace.requests, window_s: pace.windowMs / 1e3, with_429: promisedNames },
      observed: { answers_with_headers: answers, dialects: dialects.map((each) => ({ ...each })) },
      data: { dialects },
      reasons: [
        ...faults.map(({ what }) => what),
        answers === 0
          ? reason('headers-none', { promises: promisedNames.length > 0 })
          : stated.length === 0
            ? reason('headers-dialect-unknown', { answers })
            : reason('headers-dialects', { answers, dialects: stated.map(({ dialect }) => dialect) }),
        ...(stated.length === 0 || faults.length > 0 ? [] : [reason('headers-limit-right', pace)]),
      ],
      evidence: faults.map((each) => each.evidence),
      causes: faults.map(({ cause }) => cause),
    },
  ];
}

function missingFault(sent: SentRequests, header: string): StatedFault[] {
  const field = header.toLowerCase();
  const rejected = rowsWhere(sent, (row) => sent.status[row] === 429);
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

/**
 * Whether the limits that one dialect states are the promised one. Beside it there may be others, over other windows; one
 * that speaks of the promised window has to state the promised limit.
 */
function judgeDialect(
  dialect: string,
  all: readonly Claims[],
  context: HeaderContext,
): readonly StatedFault[] {
  /** The answers that say the same, each once. */
  const saying = new Map<readonly LimitReading[], Set<number>>();
  const breaking = new Map<DraftBreach, Set<number>>();
  const add = <Key>(to: Map<Key, Set<number>>, key: Key, seq: number): unknown =>
    to.get(key)?.add(seq) ?? to.set(key, new Set([seq]));
  for (const { rows, sent, seq: seqs, statements } of all)
    for (const [i, { breaches = [], inDialect, problemStatus }] of statements.entries()) {
      const seq = seqs[i] as number;
      const isOther = problemStatus !== undefined && problemStatus !== sent.status[rows[i] as number];
      for (const breach of isOther ? [...breaches, 'other-status' as const] : breaches)
        add(breaking, breach, seq);
      add(saying, inDialect, seq);
    }
  const wrong = [...saying].flatMap(([said, seqs]) => {
    const stated = contradicting(said, context);
    return stated === undefined ? [] : [{ stated, seqs: [...seqs] }];
  });
  const pace = paceOf(context.promised);
  const who = { dialect, policy: '' };
  return [
    ...[...Map.groupBy(wrong, ({ stated }) => JSON.stringify(stated)).values()].map((same) => {
      const { stated = [] } = same[0] ?? {};
      const seqs = same.flatMap((each) => each.seqs);
      // `180 per 60 s, not 200 per 60 s`.
      const states = `${dialect}: ${stated.map(statedText).join(' and ')}, not ${paceText(pace)}`;
      const what = reason('headers-limit-wrong', { ...who, ...pace, answers: seqs.length, stated });
      return statedWrong(what, `${dialect}: another limit`, states, seqs);
    }),
    ...[...breaking].flatMap(([breach, seqs]) => {
      const what = reason('headers-wrong', { ...who, wrong: breach, answers: seqs.size });
      const label = `${dialect}: ${breach.replaceAll('-', ' ')}`;
      return seqs.size < repeatedly ? [] : [statedWrong(what, label, `${dialect}: ${breach}`, [...seqs])];
    }),
  ];
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

function summaryOf(judged: JudgedPolicy, isContradicted: boolean, promised: number): DialectData {
  const { claims, dialect, policy, unexplained } = judged;
  const readings = [...new Set(claims.flatMap(({ statements }) => statements))];
  const limits = few(readings.map(({ limit }) => limit));
  const isPromised = limits.every((limit) => limit === promised);
  const otherwise = isContradicted ? 'contradicted' : 'other-policy';
  return {
    dialect,
    policy,
    answers: claims.reduce((sum, { length }) => sum + length, 0),
    of_them_429: claims.reduce((sum, { limited }) => sum + limited.reduce((all, one) => all + one, 0), 0),
    limits,
    windows_s: few(readings.map(({ windowMs }) => windowMs)).map((ms) => ms / 1e3),
    reset_as: few(
      readings.map(({ reset: value }) => value && ('inMs' in value ? 'time-from-now' : 'point-in-time')),
    ),
    limit: limits.length === 0 ? 'not-said' : isPromised ? 'as-promised' : otherwise,
    remaining: truthOf(judged.remaining),
    unexplained,
    reset: truthOf(judged.reset),
  };
}

/** The first few of the different values there are. */
function few<Value>(all: readonly (Value | undefined)[]): Value[] {
  return [...new Set(all.flatMap((value) => value ?? []))].slice(0, 5) as Value[];
}

function truthOf({ faults, values }: HeaderFinding): HeaderTruth {
  return values === 0 ? 'not-said' : faults.length === 0 ? 'consistent' : 'contradicted';
}

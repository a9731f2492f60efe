import type { History } from '../../../history/history.ts';
import type { CandidateFit } from '../../../limits/fit.ts';
import {
  isSuccess,
  isWord,
  type Rows,
  rowsWhere,
  type SentRequests,
  seqsOf,
} from '../../../limits/sent/columns.ts';
import { traceOfRows } from '../../../limits/sent/traces.ts';
import { withStandingClock } from '../../../limits/standing-clock.ts';
import { ambiguous, limited, type Trace } from '../../../limits/trace.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import type { DateStep } from '../../core/clock-step.ts';
import { type CheckFinding, type Evidence, evidence, withReasons } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { keysText } from '../../reasons/words/limits.ts';
import { readingsOf } from '../headers/dialects.ts';
import {
  isPastLimit,
  type JudgedStream,
  judgeStream,
  otherwise,
  subjectOf,
  survivors,
} from '../traces/judged.ts';
import { judgePromise } from './checks.ts';
import { type Explain, traceOf } from './explanation.ts';

/**
 * An assumption under which the target is not to blame. A check that fails only without it is inconclusive: what it may explain
 * is set aside, and said. That never makes a pass.
 */
export interface Excuse {
  readonly checks: ReadonlySet<CheckId>;
  /** What fails under the assumption as well. */
  readonly stillFailing: readonly CheckFinding[];
  readonly reasons: readonly Reason[];
  readonly evidence: readonly Evidence[];
}

/** Excuses do not add up, so their order is of no matter. */
export function unlessExcused(
  result: CheckFinding,
  { checks, evidence, reasons, stillFailing }: Excuse,
): CheckFinding {
  if (result.verdict !== 'fail' || !checks.has(result.id)) return result;
  const still = stillFailing.find(({ id }) => id === result.id);
  if (still !== undefined) return still;
  const { causes: _ofAFail, ...rest } = result;
  return {
    ...rest,
    verdict: 'inconclusive',
    reasons: [...result.reasons, ...reasons],
    evidence: evidence.length > 0 ? evidence : (result.evidence ?? []),
  };
}

/** The checks of the promised limit, of which rejections decide. */
export const ofTheLimit: ReadonlySet<CheckId> = new Set<CheckId>([
  'rate-limit.wrongful',
  'rate-limit.enforced',
  'rate-limit.admitted',
  'rate-limit.recovery',
]);

/** Rejections in the first window of a stream, which use of the key before the run may have brought about. */
interface EarlyRejections {
  readonly judged: JudgedStream;
  readonly rows: Rows;
}

/** Somebody used the keys in the window before the run. Undefined where nothing depends on it. */
export function usedBefore(
  streams: readonly JudgedStream[],
  history: Pick<History, 'profile' | 'run'>,
  explain: Explain,
): Excuse | undefined {
  const early = streams.flatMap((judged): EarlyRejections[] => {
    const { rows, sent } = judged.stream;
    const knownNs = (judged.trace.sentNs[0] ?? 0) + judged.promised.windowNs;
    const own = rows.filter((row) => sent.status[row] === 429 && (sent.sentNs[row] as number) < knownNs);
    return own.length === 0 ? [] : [{ judged, rows: own }];
  });
  if (early.every(startsUnused)) return undefined;
  const later = streams.map((judged) => {
    const [trace] = withStandingClock([
      traceOf(judged, judged.stream.rows, { unknownNs: judged.promised.windowNs }),
    ]) as [Trace];
    return judgeStream({ ...judged.stream, trace }, history);
  });
  const atNs = (judged: JudgedStream): number => judged.trace.sentNs[0] ?? 0;
  const used = streams.map((judged) => judgeStream(afterUse(judged, atNs(judged), atNs(judged)), history));
  const isOther = ({ judged }: EarlyRejections): boolean => {
    const at = streams.indexOf(judged);
    return isOtherLimit(judged, later[at] as JudgedStream, used[at] as JudgedStream);
  };
  if (early.every(isOther)) return undefined;
  const sure = later.map(explain);
  const stillFailing = judgePromise(used, used.filter(isPastLimit)).flatMap((despite) => {
    if (despite.verdict !== 'fail') return [];
    const own = judgePromise(sure, sure.filter(isPastLimit)).find(({ id }) => id === despite.id);
    return [own?.verdict === 'fail' ? own : despite];
  });
  return {
    checks: ofTheLimit,
    stillFailing,
    reasons: early.map(({ judged, rows }) =>
      reason('set-aside-use-before', { ...subjectOf(judged), rejected: rows.length }),
    ),
    evidence: early.map(({ judged, rows }) =>
      evidence(
        `429s with ${keysText(subjectOf(judged).stream)} in the first window`,
        seqsOf(judged.stream.sent, rows),
      ),
    ),
  };
}

/** A limit is known exactly where its bounds are no further apart, and closely within this part of the promised one. */
const exactTo = 2;
const closePart = 0.01;
/** One as promised that gets this part of the rejections wrong explains less. */
const misfit = 0.25;

/**
 * Another limit explains all answers exactly, and those after the first window show it by themselves; one as promised, even
 * after use before, explains none, or gets far more wrong. So others would have to use the same number in each window.
 */
function isOtherLimit(all: JudgedStream, later: JudgedStream, used: JudgedStream): boolean {
  const isWithin = ({ limits }: CandidateFit, width: number): boolean =>
    limits?.max !== undefined && limits.max - limits.min <= width;
  const [other] = otherwise(all.fit);
  const same = otherwise(later.fit).find(({ candidate }) => candidate === other?.candidate);
  if (other === undefined || same === undefined) return false;
  if (!isWithin(other, exactTo) || !isWithin(same, closePart * all.promised.requests)) return false;
  const [asPromised] = survivors(used.fit);
  const { mismatches: wrong = 0 } = other;
  return asPromised === undefined || (asPromised.mismatches ?? 0) > 2 * wrong + misfit * all.fit.limited;
}

/**
 * Whether headers show that nothing was counted before the run: at an answer before these rejections, no more of the limit was
 * spent than by the requests of this run that surely came before.
 */
function startsUnused({ judged: { promised, stream }, rows: [first] }: EarlyRejections): boolean {
  const { rows, sent } = stream;
  const stated = readingsOf(sent.limitHeaders);
  let counted = 0;
  for (const [i, row] of rows.entries()) {
    // One after the other: else it is not certain which came first.
    const nextNs = sent.sentNs[rows[i + 1] ?? row] as number;
    if (row === first || (sent.answeredNs[row] as number) > nextNs) return false;
    if (isSuccess(sent, row)) counted++;
    const spent = stated[sent.limitHeaders.code[row] as number]?.flatMap(({ limit, remaining }) =>
      limit === promised.requests && remaining !== undefined ? [limit - remaining] : [],
    );
    if (spent?.some((each) => each > 0 && each <= counted)) return true;
  }
  return false;
}

/** The stream as a limiter saw it that others may have used up in the window before an instant, or up to another one. */
function afterUse({ promised, stream }: JudgedStream, atNs: number, untilNs: number): JudgedStream['stream'] {
  const { requests, windowNs } = promised;
  const { charge, options, rows, sent } = stream;
  const own = traceOfRows(sent, rows, charge, { ...options, unknownNs: 0 });
  const [{ answeredNs, length, outcome, sentNs, seq }] = withStandingClock([own]) as [Trace];
  const both = (value: number, others: Float64Array): Float64Array => {
    const values = new Float64Array(requests + length).fill(value);
    values.set(others, requests);
    return values;
  };
  const outcomes = new Uint8Array(requests + length).fill(ambiguous);
  outcomes.set(outcome, requests);
  const trace: Trace = {
    length: requests + length,
    sentNs: both(atNs - windowNs, sentNs),
    answeredNs: both(untilNs, answeredNs),
    outcome: outcomes,
    seq: both(Number.NaN, seq),
  };
  return { ...stream, trace };
}

/** What follows from when the limiter counted what. */
const byClock: ReadonlySet<CheckId> = new Set<CheckId>([
  ...ofTheLimit,
  'rate-limit.rejections',
  'rate-limit.retry-after',
  'rate-limit.headers-remaining',
  'rate-limit.headers-reset',
  'rate-limit.algorithm',
  'rate-limit.limit',
  'rate-limit.window',
]);

/** Of these, what the requests after a step show whatever the limiter counted before it. */
const whateverCounted: ReadonlySet<CheckId> = new Set<CheckId>([
  'rate-limit.rejections',
  'rate-limit.retry-after',
  'rate-limit.headers-reset',
]);

/** A Retry-After that is wrong whatever the time is. */
const atAnyTime: ReadonlySet<string> = new Set([
  'rejections-no-date',
  'rejections-other-date',
  'rejections-fraction',
  'rejections-negative',
  'rejections-zero',
  'rejections-over-a-day',
]);

/** What the requests on one side of a step of the clock show by themselves. */
export interface StepSide {
  readonly requests: number;
  readonly results: readonly CheckFinding[];
}

/** What the requests after a step show whatever the limiter may have counted when its clock was set. */
export function shownAfter(
  { results, streams }: Pick<StepSide, 'results'> & { readonly streams: readonly JudgedStream[] },
  step: DateStep,
  history: Pick<History, 'run' | 'profile'>,
): CheckFinding[] {
  const atNs = step.atMs * 1e6;
  const used = streams.map((judged) =>
    judgeStream(afterUse(judged, atNs, atNs + Math.abs(step.byMs) * 1e6), history),
  );
  const despite = judgePromise(used, used.filter(isPastLimit));
  return results.filter(
    ({ id }) => whateverCounted.has(id) || despite.some((each) => each.id === id && each.verdict === 'fail'),
  );
}

/**
 * The clock of the target was set within the run. A limiter that goes by it shows no limit across the step: what fails there
 * fails only where one side of it shows that by itself. That it rejects nothing, it shows all the same.
 */
export function clockWasSet(
  results: readonly CheckFinding[],
  { atMs, byMs, seqs }: DateStep,
  sides: { readonly before: StepSide; readonly after: StepSide },
): Excuse {
  const isSureAnyway = ({ causes = [], reasons }: CheckFinding): boolean =>
    causes.some(({ cause }) => cause.code === 'limit-not-enforced') ||
    reasons.some(({ code }) => atAnyTime.has(code) || code === 'limit-clock-stepped');
  const { before, after } = sides;
  const params = { byMs, atMs, before: before.requests, after: after.requests };
  const bothSides = evidence('before and after the clock was set', seqs);
  const stillFailing = results.flatMap((result): CheckFinding[] => {
    if (isSureAnyway(result)) return [result];
    for (const shownBy of ['before', 'after'] as const) {
      const own = sides[shownBy].results.find((each) => each.id === result.id && each.verdict === 'fail');
      const stepped = reason('limit-clock-stepped', { ...params, shownBy });
      if (own !== undefined)
        return [
          { ...own, reasons: [stepped, ...own.reasons], evidence: [...(own.evidence ?? []), bothSides] },
        ];
    }
    return [];
  });
  return {
    checks: byClock,
    stillFailing,
    reasons: [reason('limit-clock-stepped', { ...params, shownBy: 'neither' })],
    evidence: [bothSides],
  };
}

/** A pass names the rejections that it is not about: it is not known which limit counts them. */
export function namingUnjudged(
  result: CheckFinding,
  sent: SentRequests,
  streams: readonly JudgedStream[],
): CheckFinding {
  if (result.id !== 'rate-limit.wrongful' || result.verdict !== 'pass') return result;
  const judged = new Set(
    streams.flatMap(({ stream: { rows, trace } }) =>
      Array.from(rows.filter((_, i) => trace.outcome[i] === limited)),
    ),
  );
  const left = rowsWhere(sent, (row) => sent.status[row] === 429 && !judged.has(row));
  if (left.length === 0) return result;
  const interactions = rowsWhere(sent, isWord(sent.endpoint, 'interact'), left).length;
  return withReasons(result, reason('wrongful-not-judged', { rejected: left.length, interactions }));
}

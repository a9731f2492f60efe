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
import { type CheckFinding, type Evidence, evidence, withReasons } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { keysText } from '../../reasons/words/limits.ts';
import { readingsOf } from '../headers/claims.ts';
import {
  isPastLimit,
  isTight,
  type JudgedStream,
  judgeStream,
  otherwise,
  subjectOf,
  survivors,
} from '../traces/judged.ts';
import { judgePromise } from './checks.ts';
import { type Explain, type ExplainedStream, traceOf } from './explanation.ts';

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
export const afterUse = (judged: JudgedStream, atNs: number, untilNs: number): JudgedStream['stream'] =>
  amongOthers(judged, new Array(judged.promised.requests).fill([atNs - judged.promised.windowNs, untilNs]));

/** Requests of others that may have been sent, each within a span. */
type OthersSpans = readonly (readonly [fromNs: number, untilNs: number])[];

function amongOthers({ stream }: JudgedStream, others: OthersSpans): JudgedStream['stream'] {
  const { charge, options, rows, sent } = stream;
  const [own] = withStandingClock([traceOfRows(sent, rows, charge, { ...options, unknownNs: 0 })]) as [Trace];
  const all = [
    ...others.map(([sentNs, answeredNs]) => ({ sentNs, answeredNs, outcome: ambiguous, seq: Number.NaN })),
    ...Array.from(own.outcome, (outcome, i) => ({
      sentNs: own.sentNs[i] as number,
      answeredNs: own.answeredNs[i] as number,
      outcome,
      seq: own.seq[i] as number,
    })),
  ].toSorted((a, b) => a.sentNs - b.sentNs);
  const columnOf = (name: 'sentNs' | 'answeredNs' | 'seq'): Float64Array =>
    Float64Array.from(all, (each) => each[name]);
  const trace: Trace = {
    length: all.length,
    sentNs: columnOf('sentNs'),
    answeredNs: columnOf('answeredNs'),
    outcome: Uint8Array.from(all, ({ outcome }) => outcome),
    seq: columnOf('seq'),
  };
  return { ...stream, trace };
}

/** The part of a limit that others may use meanwhile: what a monitor or a colleague sends. Ours. */
const othersPart = 0.06;
/** What costs less says more than that somebody else was there. */
const telling = 1.5;

/**
 * Somebody uses the keys during the run, now and then. Undefined where nothing depends on it, or something else explains the
 * answers: one limit in each window does, and others would have to use the same number in each.
 */
export function usedMeanwhile(
  streams: readonly ExplainedStream[],
  promise: readonly CheckFinding[],
  history: Pick<History, 'profile' | 'run'>,
): Excuse | undefined {
  const unexplained = streams.filter(
    ({ explanation, fit }) =>
      fit.limited > 0 && survivors(fit).length === 0 && (explanation?.price ?? telling + 1) > telling,
  );
  const requests = (judged: JudgedStream): number => Math.floor(othersPart * judged.promised.requests);
  const among = streams.map((judged) => {
    if (!unexplained.includes(judged)) return judged;
    const { sentNs } = judged.trace;
    const { windowNs } = judged.promised;
    const [gapNs, fromNs] = [windowNs / requests(judged), (sentNs[0] ?? 0) - windowNs];
    const count = Math.ceil(((sentNs.at(-1) ?? 0) - fromNs) / gapNs);
    const starts = Array.from({ length: count }, (_, k) => fromNs + k * gapNs);
    const spans = starts.map((ns) => [ns, ns + gapNs] as const);
    return judgeStream(amongOthers(judged, spans), history);
  });
  const isExplained = ({ fit, promised }: JudgedStream, at: number): boolean =>
    among[at] === streams[at] || survivors(fit).some((each) => isTight(each, promised));
  if (!among.every(isExplained)) return undefined;
  const despite = judgePromise(among, among.filter(isPastLimit));
  return {
    checks: ofTheLimit,
    stillFailing: promise.filter(({ id }) =>
      despite.some((each) => each.id === id && each.verdict === 'fail'),
    ),
    reasons: unexplained.map((judged) =>
      reason('set-aside-use-meanwhile', { ...subjectOf(judged), others: requests(judged) }),
    ),
    evidence: [],
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

import type { CandidateFit } from '../../../limits/fit.ts';
import { isSuccess, isWord, rowsWhere, type SentRequests, seqsOf } from '../../../limits/sent/columns.ts';
import { traceOfRows } from '../../../limits/sent/traces.ts';
import { withStandingClock } from '../../../limits/standing-clock.ts';
import { ambiguous, limited, type Trace } from '../../../limits/trace.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import { type CheckFinding, evidence, withReasons } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { keysText } from '../../reasons/words/limits.ts';
import { readingsOf } from '../headers/claims.ts';
import {
  isTight,
  type JudgedStream,
  judgeStream,
  otherwise,
  subjectOf,
  survivors,
} from '../traces/judged.ts';
import { type Assumption, traceOf } from './explanation.ts';

/** The checks of the promised limit, of which rejections decide. */
export const ofTheLimit: ReadonlySet<CheckId> = new Set<CheckId>([
  'rate-limit.wrongful',
  'rate-limit.enforced',
  'rate-limit.admitted',
  'rate-limit.recovery',
]);

/** Somebody used the key in the window before the run. */
export const usedBefore: Assumption = {
  what: 'the key was used before the run',
  price: 0,
  isLikely: true,
  explains(judged, history) {
    const { promised, stream, trace } = judged;
    const { rows, sent } = stream;
    const startNs = trace.sentNs[0] ?? 0;
    const knownNs = startNs + promised.windowNs;
    const early = rows.filter((row) => sent.status[row] === 429 && (sent.sentNs[row] as number) < knownNs);
    if (history.profile.exclusive_keys || early.length === 0 || startsUnused(judged, early[0]))
      return undefined;
    const [known] = withStandingClock([traceOf(judged, rows, { unknownNs: promised.windowNs })]) as [Trace];
    const later = judgeStream({ ...stream, trace: known }, history);
    const under = judgeStream(afterUse(judged, startNs, startNs), history);
    if (isOtherLimit(judged, later, under)) return undefined;
    const where = `429s with ${keysText(subjectOf(judged).stream)} in the first window`;
    return {
      under,
      reasons: [reason('set-aside-use-before', { ...subjectOf(judged), rejected: early.length })],
      evidence: [evidence(where, seqsOf(sent, early))],
    };
  },
};

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
 * Whether headers show that nothing was counted before the run: at an answer before the first rejection, no more of the limit was
 * spent than by the requests of this run that surely came before.
 */
function startsUnused({ promised, stream }: JudgedStream, first: number | undefined): boolean {
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

/**
 * Somebody uses the key during the run, now and then. What costs less says more than that: one limit in each window, say, where
 * others would have to use the same number in each.
 */
export const usedMeanwhile: Assumption = {
  what: 'others use the key now and then',
  price: 1.9,
  explains(judged, history) {
    const { fit, promised, trace } = judged;
    if (history.profile.exclusive_keys || fit.limited === 0 || history.countsOnlyOwn()) return undefined;
    const others = Math.floor(othersPart * promised.requests);
    const [gapNs, fromNs] = [promised.windowNs / others, (trace.sentNs[0] ?? 0) - promised.windowNs];
    const count = Math.ceil(((trace.sentNs.at(-1) ?? 0) - fromNs) / gapNs);
    const starts = Array.from({ length: count }, (_, k) => fromNs + k * gapNs);
    const spans = starts.map((ns) => [ns, ns + gapNs] as const);
    const under = judgeStream(amongOthers(judged, spans), history);
    if (!survivors(under.fit).some((each) => isTight(each, promised))) return undefined;
    return { under, reasons: [reason('set-aside-use-meanwhile', { ...subjectOf(judged), others })] };
  },
};

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

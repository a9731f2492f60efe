import type { History } from '../../../history/history.ts';
import { withStandingClock } from '../../../limits/standing-clock.ts';
import { ambiguous, limited, type Trace } from '../../../limits/trace.ts';
import { isSuccess, isWord, type Rows, rowsWhere, type SentRequests, seqsOf } from '../../../sent/columns.ts';
import { traceOfRows } from '../../../sent/traces.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import { type CheckFinding, evidence, withReasons } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { keysText } from '../../reasons/words/limits.ts';
import { readingsOf } from '../headers/dialects.ts';
import { isPastLimit, type JudgedStream, judgeStream, subjectOf } from '../traces/judged.ts';
import { judgeEnforced } from './enforced.ts';
import { judgeRecovery } from './recovery.ts';
import { judgeWrongful } from './wrongful.ts';

/** Rejections that bound nothing, since use of the keys before the run may have filled their limit. */
export interface SetAside {
  readonly judged: JudgedStream;
  readonly rows: Rows;
}

export function setAside(streams: readonly JudgedStream[]): SetAside[] {
  return streams.flatMap((judged) => {
    const { rows: own, sent, trace } = judged.stream;
    const rows = own.filter((row, i) => trace.outcome[i] === ambiguous && sent.status[row] === 429);
    return rows.length === 0 ? [] : [{ judged, rows }];
  });
}

/**
 * Whether headers show that nothing was counted before the run: at an answer before these rejections, no more of the limit was
 * spent than by the requests of this run that surely came before.
 */
export function startsUnused({ judged: { promised, stream }, rows: [first] }: SetAside): boolean {
  const { rows, sent } = stream;
  const said = readingsOf(sent.limitHeaders);
  let counted = 0;
  for (const [i, row] of rows.entries()) {
    // One after the other: else it is not certain which came first.
    const nextNs = sent.sentNs[rows[i + 1] ?? row] as number;
    if (row === first || (sent.answeredNs[row] as number) > nextNs) return false;
    if (isSuccess(sent, row)) counted++;
    const spent = said[sent.limitHeaders.code[row] as number]?.flatMap(({ limit, remaining }) =>
      limit === promised.requests && remaining !== undefined ? [limit - remaining] : [],
    );
    if (spent?.some((each) => each > 0 && each <= counted)) return true;
  }
  return false;
}

/** Checks of which rejections may turn the result. */
const ofRejections: ReadonlySet<CheckId> = new Set<CheckId>([
  'rate-limit.wrongful',
  'rate-limit.enforced',
  'rate-limit.admitted',
  'rate-limit.recovery',
  'rate-limit.isolation',
]);

/**
 * What the checks find with rejections set aside, held against what they find with them (`unused`: as if the keys had not been
 * used before). Only what is found with them passes; and what use of the keys before explains does not fail.
 */
export function withSetAside(
  found: readonly CheckFinding[],
  unused: readonly CheckFinding[],
  streams: readonly JudgedStream[],
  history: Pick<History, 'profile' | 'run'>,
): CheckFinding[] {
  const aside = setAside(streams);
  const despite = despiteUse(streams, history);
  const areOthersAtWork = found.some(({ id }) => id === 'rate-limit.others');
  return found.map((result) => {
    if (!ofRejections.has(result.id)) return result;
    const other = unused.find(({ id }) => id === result.id) ?? result;
    const still = despite.find(({ id }) => id === result.id) ?? result;
    if (still.verdict === 'fail' && result.verdict === 'fail') return result;
    if (still.verdict === 'fail' && !areOthersAtWork) return still;
    return other.verdict === 'fail' ? doubted(result, aside) : other;
  });
}

/** What fails although the limit may have been used up by others, in the window before an instant or up to another one. */
export function despiteUse(
  streams: readonly JudgedStream[],
  history: Pick<History, 'run' | 'profile'>,
  use?: { readonly atNs: number; readonly untilNs: number },
): CheckFinding[] {
  const used = streams.map((judged) => judgeStream(usedBefore(judged, use), history));
  const past = used.filter(isPastLimit);
  return [judgeWrongful(used), judgeEnforced(past), judgeRecovery(past)];
}

/** The stream as a limiter saw it that others may have used up in the window before. */
function usedBefore(
  { promised, stream }: JudgedStream,
  use: Parameters<typeof despiteUse>[2],
): JudgedStream['stream'] {
  const { charge, rows, sent } = stream;
  const { requests, windowNs } = promised;
  const own = traceOfRows(sent, rows, charge, { refusalStatus: 429, unknownNs: 0, windowNs });
  const [{ answeredNs, length, outcome, sentNs, seq } = own] = withStandingClock([own]);
  const { atNs, untilNs } = use ?? { atNs: sentNs[0] ?? 0, untilNs: sentNs[0] ?? 0 };
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

function doubted(result: CheckFinding, aside: readonly SetAside[]): CheckFinding {
  return {
    ...result,
    verdict: 'inconclusive',
    reasons: [
      // What the later answers fit, which use of the keys before may explain as well.
      ...(result.verdict === 'fail' ? result.reasons : []),
      ...aside.map(({ judged, rows }) => {
        const { limit, stream } = subjectOf(judged);
        return reason('set-aside-use-before', { stream, limit, rejected: rows.length });
      }),
    ],
    evidence: aside.map(({ judged, rows }) =>
      evidence(
        `429s with ${keysText(subjectOf(judged).stream)} in the first window`,
        seqsOf(judged.stream.sent, rows),
      ),
    ),
  };
}

/** A pass names the rejections that it is not about: it is not known which limit counts them. */
export function namingUnjudged(
  result: CheckFinding,
  sent: SentRequests,
  streams: readonly JudgedStream[],
): CheckFinding {
  if (result.verdict !== 'pass') return result;
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

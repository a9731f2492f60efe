import { ambiguous, limited } from '../../../limits/trace.ts';
import { isSuccess, isWord, type Rows, rowsWhere, type SentRequests, seqsOf } from '../../../sent/columns.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import { type CheckFinding, evidence, withReasons } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { keysText } from '../../reasons/words/limits.ts';
import { readingsOf } from '../headers/dialects.ts';
import { type JudgedStream, subjectOf } from '../traces/judged.ts';

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

/** Checks that rejections may turn. */
const ofRejections: ReadonlySet<CheckId> = new Set<CheckId>([
  'rate-limit.wrongful',
  'rate-limit.enforced',
  'rate-limit.admitted',
  'rate-limit.recovery',
  'rate-limit.isolation',
]);

/**
 * What the checks find with rejections set aside, held against what they find with them (`unused`: as if the keys had not been
 * used before). What is found without them fails; but only what is found with them passes.
 */
export function withSetAside(
  found: readonly CheckFinding[],
  unused: readonly CheckFinding[],
  aside: readonly SetAside[],
): CheckFinding[] {
  return found.map((result) => {
    const other = unused.find(({ id }) => id === result.id);
    if (other === undefined || result.verdict === 'fail' || !ofRejections.has(result.id)) return result;
    return other.verdict === 'fail' ? doubted(result, aside) : other;
  });
}

function doubted(result: CheckFinding, aside: readonly SetAside[]): CheckFinding {
  return {
    ...result,
    verdict: 'inconclusive',
    reasons: aside.map(({ judged, rows }) => {
      const { limit, stream } = subjectOf(judged);
      return reason('set-aside-use-before', { stream, limit, rejected: rows.length });
    }),
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
